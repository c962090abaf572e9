"""What /proc says of other processes. Each may be gone at any moment: then there is nothing."""

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_READING: Final = ("pipe_read",)
_POLLING: Final = ("epoll_wait", "ep_poll", "do_poll", "poll_schedule", "do_select")
_SLEEPING: Final = ("nanosleep",)
_MOST_LOOKS: Final = 8


def sleeps_in_a_read(pid: int) -> bool:
    """Whether a thread of the process sleeps in a read, or its first one in a poll.

    Other threads of Go and of Java poll all the time, for what they may be told later.
    """
    return _is_in(pid, (*_READING, *_POLLING)) or any(
        _is_in(thread, _READING) for thread in threads_of([pid])
    )


def sleeps(thread: int) -> bool:
    """Whether a thread sleeps until some time has passed."""
    return _is_in(thread, _SLEEPING)


def polls(thread: int) -> bool:
    """Whether a thread sleeps until one of several descriptors has something for it."""
    return _is_in(thread, _POLLING)


def _is_in(thread: int, calls: Iterable[str]) -> bool:
    try:
        place = Path(f"/proc/{thread}/wchan").read_text()
    except OSError:
        return False  # it has just ended
    return any(call in place for call in calls)


def children(pid: int) -> set[int]:
    """The child processes, whichever thread started them.

    When a thread ends, its children belong to another one, so then all are looked at again; but a
    bot whose threads end all the time does not keep us looking.
    """
    found: set[int] = set()
    for _ in range(_MOST_LOOKS):
        if _add_children(pid, found):
            break
    return found


def _add_children(pid: int, found: set[int]) -> bool:
    """Add the child processes of all threads, and return whether none of these has ended."""
    all_there = True
    for thread in threads_of([pid]):
        try:  # by the process: below the thread's own folder, the kernel was seen to take seconds
            text = Path(f"/proc/{pid}/task/{thread}/children").read_text()
        except OSError:
            all_there = False
        else:
            found.update(map(int, text.split()))
    return all_there


def descendants(pid: int) -> set[int]:
    """The children, their children, and so on."""
    found: set[int] = set()
    generation = children(pid)
    while generation:
        found |= generation
        generation = set().union(*(children(one) for one in generation)) - found
    return found


class TooLong(Exception):
    """A look takes too long: the kernel writes out names, and a bot can make them very long."""


Tick = Callable[[], None]
"""Called at each step of a long look; raises `TooLong` when it has taken too long."""


def within(seconds: float, clock: Callable[[], float], work_s: float = math.inf) -> Tick:
    """Return what gives a look so much time from now on.

    Args:
        seconds: by the clock.
        clock: tells the time.
        work_s: processor time of this thread, likewise.
    """
    until, worked = clock() + seconds, time.thread_time() + work_s

    def tick() -> None:
        if clock() > until or time.thread_time() > worked:
            raise TooLong

    return tick


UNREADABLE: Final = (OSError, ValueError, IndexError, TooLong)
"""What is raised where a bot makes of /proc what we do not understand: then it has too much."""

_PAGE_TABLES: Final = b"VmPTE:"
_SOCKET_KIB: Final = 312
"""What a socket's messages that none has read may take: its buffer, and half of one for the last.

The kernel's default buffer (212,992 bytes) is meant; the filter of system calls lets no bot change
it.
"""


_MAPPING_KIB: Final = 0.2
_MANY_MAPPINGS: Final = 2000
_MOST_MAPPINGS: Final = 65_530
"""Of a process, as the kernel has it from the start (`vm.max_map_count`)."""

_READ: Final = 1 << 16
_ENTRY_KIB: Final = 1.5
"""Of the kernel's memory for an empty file with a long name; 1.1 was measured."""


def is_running(thread: int) -> bool:
    """Whether a thread has the processor or waits for it."""
    return _state_of(thread) == b"R"


def is_blocked(thread: int) -> bool:
    """Whether a thread waits in the kernel for what it cannot be woken from: a lock, or the disk.

    One that waits for an order, for Python's lock or for a clock sleeps otherwise.
    """
    return _state_of(thread) == b"D"


def is_stopped(thread: int) -> bool:
    """Whether a thread was stopped by a signal, or has ended."""
    return _state_of(thread) in _STOPPED


_STATE: Final = b"\nState:\t"
_STOPPED: Final = (b"", b"T", b"t", b"Z", b"X")


def _state_of(thread: int) -> bytes:
    """Return the letter that the kernel has for what a thread does; none once it is gone.

    Not by `stat`: while a thread calls `execve`, the kernel has a reader of that wait until what it
    had in memory is taken apart, which can be seconds.
    """
    try:
        with open(f"/proc/{thread}/status", "rb", buffering=0) as file:
            return file.read(512).partition(_STATE)[2][:1]
    except OSError:
        return b""


def threads_of(pids: Iterable[int]) -> Iterator[int]:
    """The threads of some processes, those of the first process first."""
    for pid in sorted(pids):
        try:
            yield from sorted(map(int, os.listdir(f"/proc/{pid}/task")))
        except OSError:
            continue


def memory_kib(pid: int) -> int:
    """How much memory a process has, swap included, its share of what it shares; KiB, no files."""
    thread = _with_memory(pid)
    shares = _kib(f"/proc/{thread}/smaps_rollup", b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
    return shares + _kib(f"/proc/{thread}/status", _PAGE_TABLES)


def resident_kib(pid: int) -> int:
    """The same, but what processes share is counted for each of them; quickly known."""
    return _kib(
        f"/proc/{_with_memory(pid)}/status", b"RssAnon:", b"RssShmem:", b"VmSwap:", _PAGE_TABLES
    )


def living(pid: int) -> str:
    """Return the folder of /proc that has the memory and descriptors of a process.

    That of its first thread has none once that has ended, and the process goes on without it.
    """
    return f"/proc/{pid}/task/{_with_memory(pid)}"


def _with_memory(pid: int) -> int:
    """A thread of the process that has its memory: the first has none once it has ended."""
    if _kib(f"/proc/{pid}/status", b"VmSize:"):
        return pid
    threads = (one for one in threads_of([pid]) if _kib(f"/proc/{one}/status", b"VmSize:"))
    return next(threads, pid)


def _kib(file: str, *wanted: bytes) -> int:
    """Add up lines of a file by their first word.

    One of them is the name that a process gave itself: any bytes but a newline, which alone ends a
    line here.
    """
    try:
        lines = Path(file).read_bytes().split(b"\n")
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(wanted))


def sockets_kib(pids: Iterable[int]) -> int:
    """What the local sockets of a network, open or on their way, may take in KiB.

    Args:
        pids: processes that are in it; those that have ended tell nothing.
    """
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"{living(pid)}/net/unix").read_bytes().count(b"\n")
            return max(lines - 1, 0) * _SOCKET_KIB
    return 0


def mappings_kib(pid: int, tick: Tick) -> int:
    """Return what the kernel needs for the mappings of a process, in KiB, touched or not.

    A process with more than two thousand counts as one with as many as there can be: to count them
    all would take milliseconds.

    Raises:
        TooLong: `tick` says so.
    """
    lines = 0
    with suppress(OSError), open(f"{living(pid)}/maps", "rb", buffering=0) as file:
        while data := file.read(_READ):
            tick()
            lines += data.count(b"\n")
            if lines > _MANY_MAPPINGS:
                return int(_MOST_MAPPINGS * _MAPPING_KIB)
    return int(lines * _MAPPING_KIB)


def count_mappings(pids: Iterable[int], most: int, tick: Tick) -> tuple[int, bool]:
    """Count the mappings that processes have together; those that have ended have none.

    Returns:
        How many; once they are more than `most`, any such number. And whether there are processes
        beside these that are not ours to look at.

    Raises:
        TooLong: `tick` says so.
    """
    lines, hidden = 0, False
    for pid in pids:
        try:
            with open(f"{living(pid)}/maps", "rb", buffering=0) as file:
                while data := file.read(_READ):
                    tick()
                    lines += data.count(b"\n")
                    if lines > most:
                        return lines, hidden
        except PermissionError:
            hidden = True
        except OSError:
            continue
    return lines, hidden


def tables_kib(pids: Iterable[int], tick: Tick) -> int:
    """Return how large the page tables of processes are together, in KiB.

    Raises:
        TooLong: `tick` says so.
    """
    found = 0
    for pid in pids:
        tick()
        found += _kib(f"{living(pid)}/status", _PAGE_TABLES)
    return found


def entries_kib(pids: Iterable[int], folders: Iterable[str]) -> int:
    """Return what the kernel needs for the files in folders of memory, empty ones too, in KiB.

    Args:
        pids: processes that have the same folders; those that have ended tell nothing, nor does
            one that still has ours, since its sandbox is not complete.
        folders: absolute paths, as the processes see them, each with a file system of its own.
    """
    ours = {folder: _device_of(folder) for folder in folders}
    for pid in pids:
        with suppress(OSError):
            root = f"{living(pid)}/root"
            if any(_device_of(root + folder) == device for folder, device in ours.items()):
                continue
            found = [os.statvfs(root + folder) for folder in ours]
            return int(sum(one.f_files - one.f_ffree for one in found) * _ENTRY_KIB)
    return 0


def _device_of(path: str) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_dev
    return None


def cpu_us(pid: int, *, waited: bool = True) -> int:
    """The processor time a process has used, with the children that it has waited for or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11 : 15 if waited else 13])) * 1_000_000 // os.sysconf("SC_CLK_TCK")


def is_dead(pid: int) -> bool:
    """Whether the process has ended and waits to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "Z"


def marks(pid: int, name: str) -> set[str]:
    """The values of a variable in a process's environment, if there are any that we may read."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return set()
    begin = f"{name}=".encode()
    return {
        entry.removeprefix(begin).decode(errors="replace")
        for entry in data.split(b"\0")
        if entry.startswith(begin)
    }
