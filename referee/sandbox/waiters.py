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


def count_descriptors(pids: Iterable[int], most: int, tick: Tick) -> int:
    """Count what processes have open, until it is more than `most`; see `count_waiters`.

    Raises:
        OSError: a process cannot be looked at, though it is there and ours to look at.
        TooLong: `tick` says so.
    """
    count = 0
    for pid in pids:
        tick()
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            count += len(os.listdir(f"{living(pid)}/fd"))
            if count > most:
                break
    return count


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
        self._files: dict[str, bytes] = {}
        like_epolls = _file_of_epolls()
        for name in os.listdir(f"{place}/fd"):
            tick()
            with suppress(FileNotFoundError):  # it has just been closed; others are still there
                file = _as_in_fdinfo(os.stat(f"{place}/fd/{name}"))
                if file == like_epolls:
                    is_epoll = _EPOLL in os.readlink(f"{place}/fd/{name}")
                    (self.epolls if is_epoll else self._untold).add(name)
                self._files[name] = file

    def weight_of(self, line: bytes) -> int:
        """Weigh a line of fdinfo, which names a number and a file that had it (proc_pid_fdinfo(5)).

        Epolls and their like are one file to the kernel: of those the number's name alone tells.
        """
        words = line.split()
        number, file = words[1].decode(), b" ".join(words[-2:])
        if number in self.epolls or number not in self._files:
            return OPEN_FILES
        if file.startswith(b"ino:") and file != self._files[number]:
            return OPEN_FILES
        return _POLLED_WAITS if number in self._untold else 1


def _as_in_fdinfo(status: os.stat_result) -> bytes:
    """A file as a line of fdinfo names it."""
    device = os.major(status.st_dev) << 20 | os.minor(status.st_dev)
    return b"ino:%x sdev:%x" % (status.st_ino, device)


@cache
def _file_of_epolls() -> bytes:
    """What epolls, and counters of events and their like, are to the kernel: one file, with us."""
    with select.epoll() as ours:
        return _as_in_fdinfo(os.fstat(ours.fileno()))


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
