"""The best that can be done where there are no control groups: looking at /proc, and signals.

A bot can have more memory than it may for as long as one look takes; what it holds in files in
memory is seen only while a process has it mapped, so memfd_create is denied here. Of memory of the
kernel, tables of pages, mappings, local sockets and the entries of folders in memory are counted.

Who counts mappings waits for the lock that the kernel has for the memory of a process, and a bot
can hold that for as long as it likes. So this is done in another thread, and not for long.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

import trio

from referee.sandbox.counting import MOST_MAPPINGS, MOST_TABLES_KIB
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.lockout import Lockout
from referee.sandbox.procfs import (
    UNREADABLE,
    children,
    count_mappings,
    cpu_us,
    descendants,
    entries_kib,
    is_blocked,
    is_stopped,
    mappings_kib,
    memory_kib,
    resident_kib,
    sockets_kib,
    tables_kib,
    threads_of,
    within,
)

_LOOK_S: Final = 0.05
_SHARE: Final = 20
"""How many times as long as a look we rest after it: no bot can make us look all the time."""

_LONGEST_S: Final = 0.25
"""But never longer: processes that share memory make looks long, and a bot could do as it likes
until the next one. Four GiB that are shared take 60 ms to count."""

_LONGEST_COUNT_S: Final = 0.15
"""Processor time of ours that a count of mappings may take, in which nothing else is looked at."""

_LONG_COUNT_NS: Final = 3_000_000
_COUNT_REST: Final = 3
"""So many times as long as a count of processor time that took long we do without the next: 115
processes take ten milliseconds, and each look at a bot that is to move asked for it three times."""

_IN_MEMORY: Final = ("/tmp", "/dev/shm")  # noqa: S108  # the bot's own
"""Folders in which a bot can make files that take no room, but memory of the kernel."""

_MOST_MAPPED: Final = 16
"""So many times its bound may the processes of a bot map together, however much of it they share:
when they write to it, it is no longer shared."""


T = TypeVar("T")


def _mappings_of(pids: tuple[int, ...]) -> tuple[int, bool]:
    """What the kernel needs for the mappings of processes in KiB, and whether that is too much."""
    tick = within(_LONGEST_COUNT_S, time.thread_time)
    needed = sum(mappings_kib(pid, tick) for pid in pids)
    too_many = count_mappings(pids, MOST_MAPPINGS, tick)[0] > MOST_MAPPINGS
    return needed, too_many or tables_kib(pids, tick) > MOST_TABLES_KIB


class PolledGroup:
    """The processes below one that we started; see `referee.sandbox.cgroups.group.Group`."""

    doors: tuple[str, ...] = ()

    def __init__(self, memory_mb: int) -> None:
        """Nothing is watched yet."""
        self._most_kib = memory_mb * 1024
        self._root = 0
        self._cpu_us = 0
        self._others_us = 0
        self._main = 0
        self._exceeded = False
        self._next_count_ns = 0
        self._undated_us = 0
        """What others used before a first count, of which it is not known in whose act it was."""
        self._is_behind = False
        """Whether the next count is such a first one."""

    def begin(self, root: int) -> None:
        """Names the process below which all is the bot's."""
        self._root = root

    async def look(self) -> None:
        """Looks again and again at all of it, and ends it when it has too much."""
        rest_s = _LOOK_S
        while self._root:
            await trio.sleep(rest_s)
            began = time.perf_counter()
            if await self._has_too_much(self._count()):
                self._exceeded = True
                self.kill()
                return
            rest_s = min(max(_LOOK_S, _SHARE * (time.perf_counter() - began)), _LONGEST_S)

    def end_act(self) -> None:
        """Count what processes beside the main one have used until now, if there were any.

        Of a bot that had none it is not asked, since that takes longer than an act: should it have
        some by now, what they used before the next count may be of this act, and is left out.
        """
        if self._others_us:
            self._count()
        else:
            self._is_behind = True

    def recount(self) -> None:
        """Count what processes beside the main one have used, if a count has not just taken long.

        It is the turn of another bot, perhaps, which has to wait for us meanwhile.
        """
        if time.perf_counter_ns() >= self._next_count_ns:
            self._count()

    def _count(self) -> tuple[int, ...]:
        """Count what processes beside the main one have used; return the ids of all."""
        begin = time.thread_time_ns()
        found = self.members()
        # of those that have ended, their parent knows
        others_us = sum(map(cpu_us, found)) - cpu_us(self._main, waited=False)
        if self._is_behind:
            self._undated_us += max(others_us - self._others_us, 0)
        self._others_us, self._is_behind = others_us, False
        took_ns = time.thread_time_ns() - begin
        if took_ns >= _LONG_COUNT_NS:
            self._next_count_ns = time.perf_counter_ns() + _COUNT_REST * took_ns
        return found

    async def _has_too_much(self, found: tuple[int, ...]) -> bool:
        """Whether processes have too much memory, or too many mappings, or do not let us see."""
        mappings = await self._in_time(lambda: _mappings_of(found))
        if mappings is None or mappings[1]:
            return True
        entries = entries_kib(sorted(found, reverse=True), _IN_MEMORY)
        kernel = mappings[0] + sockets_kib(found) + entries
        mapped = sum(map(resident_kib, found)) + kernel
        if mapped <= self._most_kib:
            return False
        # what they share counts once, which takes the kernel long to find out
        fair = await self._in_time(lambda: sum(map(memory_kib, found)))
        least = mapped > self._most_kib * _MOST_MAPPED
        return least or fair is None or fair + kernel > self._most_kib

    async def _in_time(self, look: Callable[[], T]) -> T | None:
        """Looks at what a bot can lock, in a thread that is given up; None if it does not let us.

        A thread that runs, or waits for a processor or for Python's lock, is not locked out: on a
        machine that has other work that can take long, through no bot's doing.
        """
        found: list[T] = []
        thread: list[int] = []

        def begin() -> T:
            thread.append(threading.get_native_id())
            return look()

        async def work() -> None:
            limiter = trio.CapacityLimiter(1)  # those that were given up hold up no other
            with suppress(*UNREADABLE):
                found.append(
                    await trio.to_thread.run_sync(begin, abandon_on_cancel=True, limiter=limiter)
                )
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(work)
            lockout, stays_locked = Lockout(self._used_us()), False
            while not stays_locked:
                await trio.sleep(_LOOK_S)
                is_locked_out = bool(thread) and is_blocked(thread[0])
                stays_locked = lockout.look(self._used_us(), is_blocked=is_locked_out)
                seen = sum(map(resident_kib, self.members())) if lockout.looks > 1 else 0
                if seen > self._most_kib * _MOST_MAPPED:
                    break
            nursery.cancel_scope.cancel()
        return found[0] if found else None

    def _used_us(self) -> int:
        """The processor time that the processes have used, now; some that have ended forgotten."""
        return sum(map(cpu_us, self.members()))

    def members(self) -> tuple[int, ...]:
        """The ids of the processes."""
        return tuple(descendants(self._root)) if self._root else ()

    def threads(self) -> Iterator[int]:
        """The ids of the threads."""
        return threads_of(self.members())

    def counts_all(self) -> bool:
        """Whether there is one process only: what others use is seen late, or never."""
        inside = [pid for first in children(self._root) for pid in children(first)]
        return len(inside) <= 1 and not any(map(children, inside))

    def cpu_us(self) -> int:
        """Processor time used, in microseconds: the bot's now, of its others at the last look."""
        if not self._main and self._root:
            inside = [pid for first in children(self._root) for pid in children(first)]
            self._main = min(inside, default=0)
        with suppress(OSError):
            own_us = time.clock_gettime_ns((~self._main << 3) | 2) // 1000 if self._main else 0
            dated_us = self._others_us - self._undated_us
            self._cpu_us = max(self._cpu_us, own_us + dated_us)
        return self._cpu_us

    def oom_kills(self) -> int:
        """1 when they had too much memory."""
        return int(self._exceeded)

    def freezer(self) -> FreezerFile:
        """Returns none: its processes are stopped one by one."""
        return NO_FILE

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops them all; twice, since a process may start another meanwhile."""
        for _ in range(2):
            self._signal(signal.SIGSTOP)

    def is_stopped(self) -> bool:
        """Whether all have stopped."""
        return all(map(is_stopped, self.threads()))

    def thaw(self) -> None:
        """Lets them run again."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """Ends them all."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        for pid in self.members():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def remove(self) -> None:
        """There is nothing to take away."""
        self._root = 0
