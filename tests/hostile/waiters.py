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
import contextlib
import os
import select

from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES, EPOLLS, COPIES = 60, 100, 120


def wait_often(source: int) -> None:
    """Have each of many epolls wait for many copies of a descriptor."""
    copies = [os.dup(source) for _ in range(COPIES)]
    kept = []
    with contextlib.suppress(OSError):
        for _ in range(EPOLLS):
            poll = select.epoll()
            kept.append(poll)
            for copy in copies:
                poll.register(copy, select.EPOLLIN | select.EPOLLET)
    rest()


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: wait_often(source))
        rest()
    answer(act)


play(misdeed)
