"""What a process waits for with epoll and poll: the kernel wakes all of that in one piece."""

import os
import platform
import select
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from referee.sandbox.environment import OPEN_FILES
from referee.sandbox.procfs import Tick, living, polls, threads_of

_EPOLL: Final = "[eventpoll]"

_File = tuple[int, int]
"""Its device and its inode."""


def count_waiters(pids: Iterable[int], most: int, tick: Tick) -> int:
    """Count what the processes wait for with epoll, until it is more than `most`.

    An epoll that waits for another one is woken for all that this one waits for, so it counts as
    many: as many as a process may have open. So does what is not open in the process any more, by
    its number or by what has that number now, and what a thread may keep alive that was closed
    while it waits (see `_kept_by`). A process that has ended has none, nor has one that is another
    user's.

    Raises:
        OSError: a process cannot be looked at, though it is there and ours to look at.
        TooLong: `tick` says so.
    """
    count = 0
    for pid in pids:
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            for waits in _waits_of(pid, tick):
                count += waits
                if count > most:
                    return count
    return count


def _waits_of(pid: int, tick: Tick) -> Iterator[int]:
    """Yield how much each epoll of a process counts, and what its threads may keep.

    Raises:
        OSError: the process cannot be looked at.
    """
    place = living(pid)
    opened = _Opened(place, tick)
    for name in opened.epolls:
        tick()
        with suppress(FileNotFoundError), open(f"{place}/fdinfo/{name}", "rb") as file:
            yield sum(opened.weight_of(line) for line in file if line.startswith(b"tfd:"))
    threads = list(threads_of([pid]))
    if len(threads) > 1:  # one alone cannot close what it waits in
        yield from _kept_by(threads, {int(name) for name in opened.epolls})


class _Opened:
    """What a process has open, by number.

    Names are asked for only where the file does not tell: a long one takes the kernel long.

    Attributes:
        epolls: those that are epolls.
    """

    def __init__(self, place: str, tick: Tick) -> None:
        """Look at all of it; `place` is the folder of the process in /proc.

        Raises:
            OSError: it cannot be looked at.
        """
        self.epolls: set[str] = set()
        self._untold: set[str] = set()
        self._files: dict[str, _File] = {}
        like_epolls = _file_of_epolls()
        folder = os.open(f"{place}/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in os.listdir(folder):
                tick()
                try:
                    status = os.stat(name, dir_fd=folder)
                    file = status.st_dev, status.st_ino
                    if file == like_epolls:
                        is_epoll = _EPOLL in os.readlink(name, dir_fd=folder)
                        (self.epolls if is_epoll else self._untold).add(name)
                except FileNotFoundError:
                    continue  # it has just been closed; others are still there
                self._files[name] = file
        finally:
            os.close(folder)

    def weight_of(self, line: bytes) -> int:
        """Weigh a line of fdinfo, which names a number and a file that had it (proc_pid_fdinfo(5)).

        Epolls and their like are one file to the kernel: of those the number's name alone tells.
        """
        words = line.split()
        number, file = words[1].decode(), b" ".join(words[-2:])
        if number in self.epolls or number not in self._files:
            return OPEN_FILES
        if file.startswith(b"ino:") and file != _as_in_fdinfo(self._files[number]):
            return OPEN_FILES
        return _POLLED_WAITS if number in self._untold else 1


def _as_in_fdinfo(file: _File) -> bytes:
    """A file as a line of fdinfo names it."""
    device, inode = file
    return b"ino:%x sdev:%x" % (inode, os.major(device) << 20 | os.minor(device))


@cache
def _file_of_epolls() -> _File:
    """What epolls, and counters of events and their like, are to the kernel: one file, with us."""
    with select.epoll() as ours:
        status = os.fstat(ours.fileno())
        return status.st_dev, status.st_ino


_EPOLL_WAIT: Final = {"x86_64": (232, 281, 441), "aarch64": (22, 441)}
_POLL: Final = {"x86_64": {7: 1, 271: 1, 23: 0, 270: 0}, "aarch64": {73: 1, 72: 0}}
"""The calls that wait for several descriptors, and which argument says how many."""

_RESTARTED: Final = {"x86_64": 219, "aarch64": 128}
_POLLED_WAITS: Final = 64
"""How much a descriptor counts that a thread polls: it can be an epoll that is not open any more,
which leaves few descriptors for what that waits for."""

_UNKNOWN_WAITS: Final = 1024
"""How much a thread counts that polls since it was stopped: how many, is not known any more."""


def _kept_by(threads: Iterable[int], epolls: set[int]) -> Iterator[int]:
    """Yield how much threads count that may keep an epoll alive which was closed meanwhile.

    Args:
        threads: those of one process.
        epolls: its descriptors that are epolls; each can be waited in by one thread.
    """
    machine, left = platform.machine(), set(epolls)
    for thread in threads:
        try:
            words = Path(f"/proc/{thread}/syscall").read_text().split()
            call, arguments = int(words[0]), [int(word, 16) for word in words[1:7]]
        except (OSError, ValueError, IndexError):
            continue  # it runs, or has ended
        if call in _EPOLL_WAIT.get(machine, ()):
            if arguments[0] in left:
                left.remove(arguments[0])
            else:
                yield OPEN_FILES
        elif call in (count_at := _POLL.get(machine, {})):
            yield _POLLED_WAITS * min(arguments[count_at[call]], OPEN_FILES)
        elif call == _RESTARTED.get(machine) and polls(thread):
            yield _UNKNOWN_WAITS
