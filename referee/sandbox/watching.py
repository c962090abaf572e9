"""The best that can be done where there are no control groups: looking at /proc, and signals.

A bot can have more memory than it may for as long as one look takes; what it holds in files in
memory is seen only while a process has it mapped, so memfd_create is denied here.
"""

import os
import signal
from contextlib import suppress
from typing import Final

import trio

from referee.sandbox.processes import cpu_us, descendants, memory_kib

_LOOK_S: Final = 0.05


class Watch:
    """The processes below one that we started; see `referee.sandbox.cgroups.Group`."""

    doors: tuple[str, ...] = ()

    def __init__(self, memory_mb: int) -> None:
        """Nothing is watched yet."""
        self._most_kib = memory_mb * 1024
        self._root = 0
        self._cpu: dict[int, int] = {}
        self._exceeded = False

    async def look(self, root: int) -> None:
        """Looks again and again at all below `root`, and ends them when they have too much."""
        self._root = root
        while self._root:
            await trio.sleep(_LOOK_S)
            found = self.members()
            self.cpu_us()
            if sum(map(memory_kib, found)) > self._most_kib:
                self._exceeded = True
                self.kill()
                return

    def members(self) -> tuple[int, ...]:
        """The ids of the processes."""
        return tuple(descendants(self._root)) if self._root else ()

    def cpu_us(self) -> int:
        """Processor time used, in microseconds, as far as it was seen; ticks of the clock."""
        self._cpu |= {pid: cpu_us(pid) for pid in self.members()}
        return sum(self._cpu.values())

    def oom_kills(self) -> int:
        """1 when they had too much memory."""
        return int(self._exceeded)

    def freeze(self) -> None:
        """Stops them all; twice, since a process may start another meanwhile."""
        for _ in range(2):
            self._signal(signal.SIGSTOP)

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
