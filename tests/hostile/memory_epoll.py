# story: takes memory of the kernel as sets of descriptors that it waits for, in many processes
# row: resources: memory through timers and sets of descriptors
# memory: 32
# expect: plays memory
# time: move=5s
# not-bare: bare bounds no memory
import os
import select
from contextlib import suppress
from functools import partial

from hostile.honest import Act, answer, child, play, rest

PROCESSES, SETS, EVENTS = 40, 120, 120


def misdeed(act: Act) -> None:
    for _ in range(PROCESSES):
        ours, theirs = os.pipe()
        child(partial(fill, theirs))
        os.close(theirs)
        os.read(ours, 1)  # its end: it has all that it gets, or it is no more
        os.close(ours)
    answer(act)


def fill(news: int) -> None:
    kept: list[object] = []
    with suppress(OSError):
        events = [os.eventfd(0) for _ in range(EVENTS)]
        for _ in range(SETS):
            kept.append(waited := select.epoll())
            for event in events:
                waited.register(event)
    os.close(news)
    rest()


play(misdeed, only_in_a_sandbox=True)
