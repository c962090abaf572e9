"""Whether the referee itself stood still: what no signal tells, by what the kernel counts.

A frozen control group, a stopped virtual machine or a debugger keeps us from running, and an
answer in a pipe does not say when it came. What we were woken too late is no proof: others may have
had the processor, or we may have been at work. Both the kernel counts, so the rest is standstill.
While the whole machine is suspended no clock of ours goes on (they are CLOCK_MONOTONIC).
"""

import os
import threading
import time
from contextlib import suppress
from typing import Final

STOOD_STILL_US: Final = 10_000
"""From which standstill on it is left out of a bot's time. What is shorter is charged, as noise is.
"""

_THREADS: Final = "/proc/self/task"
_OWN: Final = "/proc/thread-self/schedstat"

_Counts = dict[str, tuple[int, int]]
"""Of each thread, how long it ran and how long it waited for a processor, in microseconds."""


class Standstill:
    """How long this thread did not run, though it had no work and no other had its processor.

    What our other threads did, or waited for, counts as work: only one of them runs at a time.
    """

    def __init__(self) -> None:
        """Begins to count now."""
        self._before = _counts()

    def begin(self) -> None:
        """Count from now on."""
        self._before = _counts()

    def end(self, late_us: int) -> int:
        """Return how much of a delay was standstill, in microseconds; count from now on.

        Args:
            late_us: by how much the thread went on too late.
        """
        return _worth(late_us - sum(sum(spent) for spent in self._spent().values()))

    def end_of_poll(self, late_us: int) -> int:
        """Likewise of a call in which this thread does no work, some time since we began."""
        spent = self._spent()
        worked, _ = spent.get(str(threading.get_native_id()), (0, 0))
        return _worth(late_us + worked - sum(sum(one) for one in spent.values()))

    def _spent(self) -> _Counts:
        """What the threads there are have used since we began to count; begin again."""
        before, self._before = self._before, _counts()
        spent = {}
        for thread, (worked, waited) in self._before.items():
            worked_before, waited_before = before.get(thread, (0, 0))
            spent[thread] = worked - worked_before, waited - waited_before
        return spent


def _worth(still_us: int) -> int:
    return still_us if still_us >= STOOD_STILL_US else 0


class OwnWait:
    """How long this thread waited for a processor, ready to run; as far as the kernel counts it."""

    def __init__(self) -> None:
        """Begin to count now."""
        self._file = -1
        with suppress(OSError):
            self._file = os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)
        self._before_us = self._now_us()

    def begin(self) -> None:
        """Count from now on; a microsecond."""
        self._before_us = self._now_us()

    def us(self) -> int:
        """Return it, in microseconds, and count from now on."""
        before_us, self._before_us = self._before_us, self._now_us()
        return self._before_us - before_us

    def _now_us(self) -> int:
        try:
            return int(os.pread(self._file, 128, 0).split()[1]) // 1000
        except (OSError, ValueError, IndexError):
            return 0

    def close(self) -> None:
        """Close our descriptor. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _counts() -> _Counts:
    """What the kernel has counted.

    Where it does not count (it is built without), all time seems to be waited for, so that nothing
    is taken for a standstill.
    """
    found: _Counts = {}
    try:
        for thread in os.listdir(_THREADS):
            file = os.open(f"{_THREADS}/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
            try:
                worked, waited, _ = os.read(file, 128).split()
            finally:
                os.close(file)
            found[thread] = int(worked) // 1000, int(waited) // 1000
    except (OSError, ValueError):  # also where a thread ends meanwhile, which is rare
        return {"": (0, time.monotonic_ns() // 1000)}
    return found
