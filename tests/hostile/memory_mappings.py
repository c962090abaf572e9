# story: maps a library many thousand times: who evicts a page of it has to go through all of them
# row: resources: mappings of a file
# memory: 256
# expect: memory
# time: move=5s
# before: 540,000 mappings of libc, within a bot's memory, made forks of others wait half a second
# after: a bot has 32,768 mappings, all its processes together
# not-bare: bare bounds no mappings
import ctypes
import mmap
import sys
import time

from hostile.honest import Act, answer, play

TIMES = 45_000
LIBC = ctypes.CDLL(None)


def misdeed(act: Act) -> None:
    with open(sys.executable, "rb") as file:
        for _ in range(TIMES):  # Python's own would take a descriptor for each
            LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
    time.sleep(1)  # whoever looks, looks ten times a second
    answer(act, action=f"ESCAPED:{TIMES} mappings")


play(misdeed, only_in_a_sandbox=True)
