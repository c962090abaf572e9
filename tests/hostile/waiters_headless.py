# story: as `waiters`, in processes whose first thread has ended, of which /proc/PID tells nothing
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 128
# time: move=2s,start=20s
# before: 576,000 waiters that nothing counted; of 5 matches in Docker against a bot that woke them
#   while the other's container was made, 4 had void deals, uncharged, and 2 no result
# after: what a process has open is asked of a thread that lives
# not-bare: bare counts no memory of the kernel
import ctypes
import os
import threading
import time

from hostile.descriptors import wait_often
from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES = 40


def wait_without(source: int) -> None:
    """Wait until the first thread has ended."""
    time.sleep(0.1)
    wait_often(source)


def headless(source: int) -> None:
    """Go on without the first thread."""
    threading.Thread(target=wait_without, args=(source,)).start()
    ctypes.CDLL(None).pthread_exit(None)


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: headless(source))
        rest()
    answer(act)


play(misdeed)
