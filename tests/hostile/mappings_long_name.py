# story: maps a file whose name is 15,000 letters long so often that to read the list takes seconds
# row: resources: mappings of a file
# memory: 256
# expect: memory
# time: move=5s
# before: one count of it took 27 seconds, in which nothing else of the bot was looked at; where all
#   bots of the match were held still for it, an honest one was late in 4 of 4 matches
# after: a count has half a second of our time, and a bot is held still alone, for 0.3 s at most
# not-bare: bare bounds no mappings
import ctypes
import mmap
import os

from hostile.descriptors import open_deep
from hostile.honest import Act, answer, play, rest, sandboxed

DEEP, LONG, TIMES = 60, 250, 28_000


def misdeed(act: Act) -> None:
    if sandboxed():
        libc = ctypes.CDLL(None)
        file = open_deep(DEEP, LONG)
        os.truncate(file, mmap.PAGESIZE)
        for turn in range(TIMES):  # two ways in turn, so that the kernel joins none
            way = mmap.PROT_READ | (mmap.PROT_WRITE if turn % 2 else 0)
            libc.mmap(None, mmap.PAGESIZE, way, mmap.MAP_SHARED, file, 0)
        rest()
    answer(act)


play(misdeed)
