# story: fills pipes, and lets waiters take their place piece by piece, so that the kernel's memory
#   for it never grows and there is no cause to count
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 100
# time: move=8s,start=20s
# before: 84,000 waiters in plain sight that were never counted
# after: where the kernel's memory for a bot is large, it is counted at each look
# not-bare: bare counts no memory of the kernel
import os
import select
import time

from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES, PIPES, EPOLLS, COPIES = 20, 60, 70, 60
PAGE = bytes(4096)
A_PAGE = 14
"""Waiters that take as much memory of the kernel as a page in a pipe."""


def exchange(source: int) -> None:
    """Have as many waiters as fit into the memory of full pipes that are emptied for them."""
    pipes = [os.pipe() for _ in range(PIPES)]
    for _, end in pipes:
        os.write(end, bytes(65536))
    time.sleep(2)  # until they have been counted
    copies = [os.dup(source) for _ in range(COPIES)]
    kept, made = [], 0
    full = [out for out, _ in pipes for _ in range(16)]
    for _ in range(EPOLLS):
        poll = select.epoll()
        kept.append(poll)
        for copy in copies:
            poll.register(copy, select.EPOLLIN | select.EPOLLET)
            made += 1
            if made % A_PAGE == 0 and full:
                os.read(full.pop(), len(PAGE))
        time.sleep(0.002)
    rest()


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: exchange(source))
        time.sleep(6)
    answer(act, action="ESCAPED:84000 waiters" if sandboxed() else None)


play(misdeed)
