"""For how long a bot waited in the kernel for what it cannot be woken from: a lock, or the disk."""

import time
from itertools import islice
from typing import Final

from referee.sandbox import BotProcess
from referee.sandbox.procfs import is_blocked

_MOST_THREADS: Final = 32
"""So many are looked at: a bot does not make us look at thousands."""


class Blocked:
    """For how long threads of a bot were blocked in one act, as far as it is seen by looks.

    The kernel counts it nowhere. From a look at which a thread is blocked to the next, and from the
    one before it, all of the time counts: what is left out of an act is bounded otherwise.
    """

    def __init__(self, process: BotProcess, begin: int) -> None:
        """Begin to count; `begin` is when, in nanoseconds."""
        self._process = process
        self._looked, self._was_blocked = begin, False
        self._ns = 0

    def look(self) -> None:
        """Look whether a thread is blocked."""
        is_now = any(map(is_blocked, islice(self._process.threads(), _MOST_THREADS)))
        now = time.perf_counter_ns()
        if is_now or self._was_blocked:
            self._ns += now - self._looked
        self._looked, self._was_blocked = now, is_now

    def us(self) -> int:
        """Return how long it was until now, in microseconds."""
        since = time.perf_counter_ns() - self._looked if self._was_blocked else 0
        return (self._ns + since) // 1000
