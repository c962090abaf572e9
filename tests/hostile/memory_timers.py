# story: takes memory of the kernel as timers that never fire, in many processes
# row: resources: memory through timers and sets of descriptors
# memory: 32
# expect: plays memory
# time: move=5s
# not-bare: bare bounds no memory
import os
from contextlib import suppress
from functools import partial

from hostile.honest import Act, answer, child, play, rest
from hostile.kernel import buffer, call

PROCESSES, TIMERS = 40, 10_000
MONOTONIC = 1


def misdeed(act: Act) -> None:
    for _ in range(PROCESSES):
        ours, theirs = os.pipe()
        child(partial(fill, theirs))
        os.close(theirs)
        os.read(ours, 1)  # its end: it has all that it gets, or it is no more
        os.close(ours)
    answer(act)


def fill(news: int) -> None:
    with suppress(OSError):
        for _ in range(TIMERS):
            call("timer_create", MONOTONIC, None, buffer(8))
    os.close(news)
    rest()


play(misdeed, only_in_a_sandbox=True)
