# story: has most of a million descriptors wait for one pipe, to be woken in one piece when it
#   likes, with the interrupts of its core off
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 100
# time: move=2s,start=20s
# before: 3 of 3 deals void at the opponent's act, uncharged (700,000 waiters, two layers deep)
# after: it has 4,096 waiters at most; what it took of the processor is its own time
# not-bare: bare counts no memory of the kernel
import os

from hostile.descriptors import wait_often
from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES = 60


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: wait_often(source))
        rest()
    answer(act)


play(misdeed)
