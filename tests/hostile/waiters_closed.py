# story: has threads wait in epolls that are closed meanwhile, so that no descriptor shows them
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 128
# time: move=2s,start=20s
# before: 42,000 waiters that nothing counted
# after: a thread that waits in what is not open counts as many as it can have kept
# not-bare: bare counts no memory of the kernel
import ctypes
import os
import select
import threading
import time

from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES, EPOLLS, COPIES = 3, 60, 150
LIBC = ctypes.CDLL(None)


def wait_unseen(source: int) -> None:
    """Close each epoll as soon as a thread sleeps in it."""
    copies = [os.dup(source) for _ in range(COPIES)]
    threading.stack_size(1 << 16)
    for _ in range(EPOLLS):
        poll = select.epoll()
        for copy in copies:
            poll.register(copy, select.EPOLLIN | select.EPOLLET)
        thread = threading.Thread(target=wait_once, args=(poll.fileno(),), daemon=True)
        thread.start()
        time.sleep(0.005)
        poll.close()
    rest()


def wait_once(descriptor: int) -> None:
    """Wait for nothing that ever comes."""
    LIBC.epoll_wait(descriptor, ctypes.create_string_buffer(12), 1, -1)


def misdeed(act: Act) -> None:
    if sandboxed():
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: wait_unseen(source))
        rest()
    answer(act)


play(misdeed)
