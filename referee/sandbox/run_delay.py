"""How long a bot was ready to run while others had the processor."""

import time
from collections.abc import Mapping
from itertools import islice
from typing import Final

from msgspec import Struct

from referee.sandbox import BotProcess
from referee.sandbox.procfs import UNREADABLE

_MOST_THREADS: Final = 16
"""So many are looked at of those that began first, and of those that began last, which may do the
work while the others sleep: a bot does not make us look at thousands."""

_MOST_LISTED: Final = 4096

_READY: Final = b"\nState:\tR"
_SLEPT: Final = b"\nvoluntary_ctxt_switches:"


class Thread(Struct, frozen=True):
    """What the kernel has counted for a thread until now.

    Attributes:
        ran: nanoseconds.
        waited: nanoseconds in which it was ready to run and did not, as far as that is over.
        slept: how often it gave up the processor by itself.
        is_ready: whether it runs now, or waits for the processor.
    """

    ran: int
    waited: int
    slept: int = 0
    is_ready: bool = False


class Reading(Struct, frozen=True):
    """What the kernel has counted for a bot until now.

    Attributes:
        at: when that was, in nanoseconds.
        cpu_us: processor time of all its processes, in microseconds.
        threads: by the id of the thread.
    """

    at: int
    cpu_us: int
    threads: Mapping[int, Thread]


def read(process: BotProcess) -> Reading:
    """Read what the kernel has counted for a bot; nothing for threads that are gone."""
    threads = {}
    listed = list(islice(process.threads(), _MOST_LISTED))
    for thread in {*listed[:_MOST_THREADS], *listed[-_MOST_THREADS:]}:
        try:
            threads[thread] = _read_thread(thread)
        except UNREADABLE:
            continue
    return Reading(time.perf_counter_ns(), process.cpu_us(), threads)


def _read_thread(thread: int) -> Thread:
    """Read what the kernel has counted for a thread.

    Raises:
        OSError: it is gone.
        ValueError: this kernel does not say.
        IndexError: likewise.
    """
    with open(f"/proc/{thread}/schedstat", "rb", buffering=0) as file:
        ran, waited, _ = file.read(100).split()
    with open(f"/proc/{thread}/status", "rb", buffering=0) as file:
        status = file.read(8192)
    slept = int(status.partition(_SLEPT)[2].split(None, 1)[0])
    return Thread(int(ran), int(waited), slept, _READY in status)


class Waits:
    """How long others kept a bot from running since a first reading, at least.

    While a thread waits, another has its core: the bot itself for no longer than its other threads
    have run meanwhile, and others for the rest. So a bot cannot bring it about by processes of its
    own, which wait for each other.

    Nor by what its threads have waited before: one may come to be looked at only now, since older
    ones have ended, and one that calls `execve` takes the place and the number of the first thread,
    but keeps its own counts. So from one reading to the next no thread can have run and waited for
    longer than that was, and one that is new has begun since the last. But for a wait that was
    under way at the last: the kernel counts it when it is over, and it had begun before.
    """

    def __init__(self, first: Reading) -> None:
        """Begin to count.

        Args:
            first: what was counted before.
        """
        self._first = self._last = first
        self._times = {number: _ThreadTimes(one, first.at) for number, one in first.threads.items()}
        self._gone = 0
        """Nanoseconds that threads waited which are gone."""

    def add(self, now: Reading) -> None:
        """Take in a later reading."""
        times = {}
        for number, thread in now.threads.items():
            one_thread = self._times.get(number)
            if one_thread is None:
                life = thread.ran + thread.waited
                is_new = life <= now.at - self._last.at
                one_thread = _ThreadTimes(Thread(0, 0) if is_new else thread, self._last.at)
            one_thread.add(thread, now.at)
            times[number] = one_thread
        gone = self._times.keys() - times.keys()
        self._gone += sum(self._times[number].since()[1] for number in gone)
        self._times, self._last = times, now

    @property
    def cpu_us(self) -> int:
        """The processor time that the bot had used at the last reading, in microseconds."""
        return self._last.cpu_us

    def held_up_us(self) -> int:
        """Return how long it was until the last reading, in microseconds."""
        since = [one_thread.since() for one_thread in self._times.values()]
        cpu_ns = (self._last.cpu_us - self._first.cpu_us) * 1000
        own = max(cpu_ns, sum(ran for ran, _ in since))
        return max(0, *(waited - (own - ran) for ran, waited in since), 0) // 1000

    def at_most_us(self) -> int:
        """Return how long it may have been: all waits, in turn, while the bot did not run.

        Threads that hand work to each other wait one after the other; threads that wait for each
        other do so while one of them runs.
        """
        waited = self._gone + sum(
            waited for _, waited in map(_ThreadTimes.since, self._times.values())
        )
        cpu_us = self._last.cpu_us - self._first.cpu_us
        spent_us = (self._last.at - self._first.at) // 1000
        return max(min(waited // 1000, spent_us - cpu_us), 0)

    def asleep_us(self) -> int:
        """Return how long the bot neither ran nor wanted to, in microseconds."""
        spent = (self._last.at - self._first.at) // 1000
        return max(0, spent - (self._last.cpu_us - self._first.cpu_us) - self.held_up_us())


class _ThreadTimes:
    """How long one thread ran and waited, in nanoseconds.

    A wait that is not over is not counted by the kernel; but a thread that was ready before and is
    now, and has not run for a nanosecond in between, has waited all the time. To have been ready
    twice is not enough: a thread that calls `execve` comes in the place of one that sleeps, and can
    see to it that it has slept as often as that, but not that it has run as long.
    """

    def __init__(self, begin: Thread, at: int) -> None:
        self._begin, self._at = begin, at
        self._ran = self._waited = self._under_way = 0
        self._before = 0
        """How long a wait that was under way at the last reading can have been by then."""

    def add(self, now: Thread, at: int) -> None:
        begin, spent = self._begin, at - self._at
        if begin.is_ready and now.is_ready and (now.ran, now.slept) == (begin.ran, begin.slept):
            self._under_way = spent
            return
        ran = min(max(now.ran - begin.ran, 0), spent)
        rest = spent - ran
        waited = min(max(now.waited - begin.waited, 0), self._before + rest)
        self._before = rest - max(waited - self._before, 0) if now.is_ready else 0
        self._ran, self._waited = self._ran + ran, self._waited + waited
        self._begin, self._at, self._under_way = now, at, 0

    def since(self) -> tuple[int, int]:
        return self._ran, self._waited + self._under_way
