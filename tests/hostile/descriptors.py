"""What several hostile bots do with descriptors: many waiters, files with very long names."""

import contextlib
import os
import select

from hostile.honest import TMP, rest

EPOLLS, COPIES = 100, 120


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


def open_deep(folders: int, letters: int) -> int:
    """Open a new file so many folders down, whose names have so many letters each."""
    os.chdir(TMP)
    for _ in range(folders):
        os.mkdir("x" * letters)
        os.chdir("x" * letters)
    return os.open("file", os.O_CREAT | os.O_RDWR)
