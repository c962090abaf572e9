# story: maps a library many thousand times in a process whose first thread has ended
# row: resources: mappings of a file
# memory: 256
# expect: memory
# time: move=5s
# before: 240,000 mappings that nothing counted
# after: they are asked of a thread that lives
# not-bare: bare bounds no mappings
import ctypes
import mmap
import sys
import threading
import time

from hostile.honest import Act, child, play, rest

TIMES = 45_000
LIBC = ctypes.CDLL(None)


def map_often() -> None:
    """Map the interpreter again and again."""
    time.sleep(0.1)  # until the first thread has ended
    with open(sys.executable, "rb") as file:
        for _ in range(TIMES):  # Python's own would take a descriptor for each
            LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
        rest()


def headless() -> None:
    """Go on without the first thread."""
    threading.Thread(target=map_often).start()
    LIBC.pthread_exit(None)


def misdeed(_act: Act) -> None:
    child(headless)
    rest()


play(misdeed, only_in_a_sandbox=True)
