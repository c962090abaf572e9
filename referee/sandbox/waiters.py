"""What a process waits for with epoll and poll: the kernel wakes all of that in one piece."""

import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.sandbox.environment import OPEN_FILES
from referee.sandbox.procfs import living, polls, threads_of

_EPOLL: Final = "[eventpoll]"
_UNTOLD: Final = "anon_inode:"
"""How the names of all begin that are one file with epolls."""


def count_waiters(pids: Iterable[int], most: int) -> int:
    """Count what the processes wait for with epoll, until it is more than `most`.

    An epoll that waits for another one is woken for all that this one waits for, so it counts as
    many: as many as a process may have open. So does what is not open in the process any more, by
    its number or by what has that number now, and what a thread may keep alive that was closed
    while it waits (see `_kept_by`). A process that cannot be looked at has none.
    """
    count = 0
    for pid in pids:
        with suppress(OSError):
            for waits in _waits_of(pid):
                count += waits
                if count > most:
                    return count
    return count


def _waits_of(pid: int) -> Iterator[int]:
    """Yield how much each epoll of a process counts, and what its threads may keep.

    Raises:
        OSError: the process cannot be looked at.
    """
    place, opened = living(pid), dict[str, str]()
    for name in os.listdir(f"{place}/fd"):
        with suppress(FileNotFoundError):  # it has just been closed; the others are still there
            opened[name] = os.readlink(f"{place}/fd/{name}")
    epolls = {name for name, target in opened.items() if _EPOLL in target}
    weights = _Weights(place, opened)
    for name in epolls:
        with suppress(FileNotFoundError), open(f"{place}/fdinfo/{name}", "rb") as file:
            yield sum(weights.of(line) for line in file if line.startswith(b"tfd:"))
    threads = list(threads_of([pid]))
    if len(threads) > 1:  # one alone cannot close what it waits in
        yield from _kept_by(threads, {int(name) for name in epolls})


class _Weights:
    """How much counts what an epoll of a process waits for."""

    def __init__(self, place: str, opened: Mapping[str, str]) -> None:
        """Take the folder of a process in /proc, and what it has open, by number."""
        self._place, self._opened = place, opened
        self._files: dict[str, bytes] = {}

    def of(self, line: bytes) -> int:
        """Weigh a line of fdinfo, which names a number and a file that had it (proc_pid_fdinfo(5)).

        Epolls and their like are one file to the kernel, so of those the name alone tells.
        """
        words = line.split()
        number, file = words[1].decode(), b" ".join(words[-2:])
        name = self._opened.get(number, _EPOLL)
        if _EPOLL in name or (file.startswith(b"ino:") and file != self._file(number)):
            return OPEN_FILES
        return _POLLED_WAITS if name.startswith(_UNTOLD) else 1

    def _file(self, number: str) -> bytes:
        """What a line of fdinfo has of the file that has a number now; nothing if there is none."""
        found = self._files.get(number)
        if found is None:
            found = b""
            with suppress(OSError):
                status = os.stat(f"{self._place}/fd/{number}")
                device = os.major(status.st_dev) << 20 | os.minor(status.st_dev)
                found = b"ino:%x sdev:%x" % (status.st_ino, device)
            self._files[number] = found
        return found


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
