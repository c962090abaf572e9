# story: maps a library many thousand times, and has children that stay when it is ended
# row: resources: mappings of a file
# memory: 256
# expect: memory
# time: move=5s
# before: in Docker as an ordinary user the daemon ended it, which passed for another's doing: every
#     deal was void, none charged
# after: it is ended, and charged
# not-bare: bare bounds no mappings
import ctypes
import mmap
import os
import sys
import time

from hostile.honest import Act, answer, play

TIMES, CHILDREN = 45_000, 6
LIBC = ctypes.CDLL(None)


def misdeed(act: Act) -> None:
    with open(sys.executable, "rb") as file:
        for _ in range(TIMES):
            LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
    for _ in range(CHILDREN):
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
    time.sleep(1)
    answer(act, action=f"ESCAPED:{TIMES} mappings")


play(misdeed, only_in_a_sandbox=True)
