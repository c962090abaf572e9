# story: as `waiters`, in processes whose first thread has ended, of which /proc/PID tells nothing
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 128
# time: move=2s,start=20s
# before: 576,000 waiters that nothing counted; of 5 matches in Docker against a bot that woke them
#   while the other's container was made, 4 had void deals, uncharged, and 2 no result
# after: what a process has open is asked of a thread that lives
# not-bare: bare counts no memory of the kernel
import contextlib
import ctypes
import os
import select
import threading
import time

from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES, EPOLLS, COPIES = 40, 100, 120


def wait_often(source: int) -> None:
    """Have each of many epolls wait for many copies of a descriptor."""
    time.sleep(0.1)  # until the first thread has ended
    copies = [os.dup(source) for _ in range(COPIES)]
    kept = []
    with contextlib.suppress(OSError):
        for _ in range(EPOLLS):
            poll = select.epoll()
            kept.append(poll)
            for copy in copies:
                poll.register(copy, select.EPOLLIN | select.EPOLLET)
    rest()


def headless(source: int) -> None:
    """Go on without the first thread."""
    threading.Thread(target=wait_often, args=(source,)).start()
    ctypes.CDLL(None).pthread_exit(None)


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: headless(source))
        rest()
    answer(act)


play(misdeed)
