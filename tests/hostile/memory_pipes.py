# story: takes memory as full pipes that nobody reads, in as many processes as it takes
# row: resources: memory through pipe buffers
# memory: 32
# expect: memory
# time: move=2s
# not-bare: bare bounds no memory
import os
from functools import partial

from hostile.honest import Act, answer, child, play, rest

PROCESSES, PIPES, EACH = 10, 100, 65536


def misdeed(act: Act) -> None:
    for _ in range(PROCESSES):
        ours, theirs = os.pipe()
        child(partial(fill, theirs))
        os.close(theirs)
        os.read(ours, 1)  # its end: it is full, or it is no more
        os.close(ours)
    answer(act)


def fill(news: int) -> None:
    for _ in range(PIPES):
        _, end = os.pipe2(os.O_NONBLOCK)
        os.write(end, bytes(EACH))
    os.close(news)
    rest()


play(misdeed, only_in_a_sandbox=True)
