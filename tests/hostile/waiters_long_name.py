# story: as `waiters`, with a file open whose name is longer than the kernel tells of a descriptor
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 100
# time: move=2s,start=20s
# before: 400,000 waiters that nothing counted: the look at a process ended at that descriptor
# after: no name of a descriptor is asked for but that of what may be an epoll
# not-bare: bare counts no memory of the kernel
import contextlib
import os
import select

from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES, EPOLLS, COPIES = 60, 100, 120
DEEP, LONG = 25, 200


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
        os.chdir("/tmp")  # noqa: S108  # its own
        for _ in range(DEEP):
            os.mkdir("x" * LONG)
            os.chdir("x" * LONG)
        os.open("file", os.O_CREAT | os.O_RDWR)
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: wait_often(source))
        rest()
    answer(act)


play(misdeed)
