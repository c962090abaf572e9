# story: locks more memory than it may have, so that it could not be taken away
# row: resources: mlock
# memory: 48
# expect: plays memory
# time: move=2s
import ctypes
import mmap

from hostile.honest import Act, answer, play

SIZE = 64 * 2**20


def misdeed(act: Act) -> None:
    memory = mmap.mmap(-1, SIZE)
    where = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    ctypes.CDLL(None).mlock(ctypes.c_void_p(where), ctypes.c_size_t(SIZE))
    answer(act)


play(misdeed)
