# story: has children hold the lock of their memory, and keeps them off the processor: who counts
#   their mappings would wait with them, and stand still
# row: resources: the lock of its own memory
# memory: 256
# expect: memory late plays - held for a second, or not long enough by so few; never a void deal
# time: move=5s
# before: 3 of 3 deals were void, of a referee that stood still for 1.2 s, as a user
# after: mappings are counted by a thread of their own; memory that stays locked is too much
# not-bare: bare counts no mappings
import ctypes
import mmap
import os
import time

from hostile.honest import Act, answer, child, play

HOLDERS, SPINNERS, SIZE, THINKS_S = 2, 45, 60 << 20, 2.0
LIBC = ctypes.CDLL(None)


def hold() -> None:
    """Nearly all of its time is spent in the kernel, with the lock."""
    held = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    held.madvise(mmap.MADV_NOHUGEPAGE)  # each page has to be gone to
    held.write(b"x" * SIZE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(held))
    os.nice(19)
    while True:
        LIBC.mprotect(ctypes.c_void_p(at), SIZE, mmap.PROT_READ)
        LIBC.mprotect(ctypes.c_void_p(at), SIZE, mmap.PROT_READ | mmap.PROT_WRITE)


def spin() -> None:
    while True:
        pass


def misdeed(act: Act) -> None:
    found = [child(hold) for _ in range(HOLDERS)]
    time.sleep(0.1)
    found += [child(spin) for _ in range(SPINNERS)]
    until = time.monotonic() + THINKS_S
    while time.monotonic() < until:
        pass
    for pid in filter(None, found):
        os.kill(pid, 9)
    answer(act)


play(misdeed, only_in_a_sandbox=True)
