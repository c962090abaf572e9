# story: has page tables for 2 MiB of addresses each, far more than it has memory for what is there
# row: resources: memory through tables of pages
# memory: 256
# expect: memory
# time: move=5s
# before: seven friends gave 245,000 back each, in one call after their answer, and the kernel freed
#   them in interrupts: an honest bot of 70 ms was charged up to 95 of 100, and late in 5 of 7
# after: a bot has 32 MiB of them, all its processes together
# not-bare: bare bounds no page tables
import ctypes
import mmap
import time

from hostile.honest import Act, answer, play

TABLES, SIZE = 24_000, 2 << 20
NO_HUGE_PAGES, NO_RESERVE = 15, 0x4000
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p


def misdeed(act: Act) -> None:
    how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    begin = LIBC.mmap(None, ctypes.c_size_t(TABLES * SIZE), mmap.PROT_READ, how, -1, 0)
    LIBC.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(TABLES * SIZE), NO_HUGE_PAGES)
    for number in range(TABLES):
        ctypes.string_at(begin + number * SIZE, 1)
    time.sleep(1)  # the referee counts ten times a second
    answer(act, action=f"ESCAPED:{TABLES} page tables")


play(misdeed, only_in_a_sandbox=True)
