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

_MOST: Final = 4
"""So many times its allowance is a bot waited for while others have the processor, and so many
times what it has used itself while we do: five threads of ours took 2.8 times that from a bot."""

_MOST_STOOD_US: Final = 10_000_000
"""So long is a bot waited for in an act while we stand still."""


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
    longer than that was, and one that is new has begun since the last.
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

    A wait that is not over is not counted by the kernel; but a thread that was ready all the time
    has waited whenever it did not run.
    """

    def __init__(self, begin: Thread, at: int) -> None:
        self._begin, self._at = begin, at
        self._ran = self._waited = 0
        self._under_way = (0, 0)

    def add(self, now: Thread, at: int) -> None:
        begin, spent = self._begin, at - self._at
        ran = min(max(now.ran - begin.ran, 0), spent)
        waited = min(max(now.waited - begin.waited, 0), spent - ran)
        if begin.is_ready and now.is_ready and now.slept == begin.slept:
            self._under_way = (ran, spent - ran)
            return
        self._ran, self._waited = self._ran + ran, self._waited + waited
        self._begin, self._at, self._under_way = now, at, (0, 0)

    def since(self) -> tuple[int, int]:
        ran, waited = self._under_way
        return self._ran + ran, self._waited + waited


class HeldUp:
    """For how long others keep a bot from running during one act."""

    def __init__(
        self, process: BotProcess, allowance_us: int, asked: int = 0, cpu_us: int = 0
    ) -> None:
        """Begin with nothing; `begin` is called only where the act takes long enough to matter.

        Args:
            process: the bot's.
            allowance_us: how long the act may take.
            asked: when the bot was asked, in nanoseconds.
            cpu_us: the processor time that it had used then, in microseconds.
        """
        self._process = process
        self._allowance_us = allowance_us
        self._asked, self._cpu_us = asked, cpu_us
        self._least_us = _MOST * allowance_us
        self._most_us = self._least_us
        self._waits: Waits | None = None
        self._lost_us = self._unseen_us = self._away_us = self._stalled_us = self._us = 0
        self._unread_us = self._unread_cpu_us = 0
        self._looked_us = self._stopped_us = self._free_us = self._ours_us = self._stood_us = 0
        self._disk_us = self._rested_us = 0
        """How long the bot had not run when we first looked."""
        self._waited_us = 0
        """How long it may have waited for us."""
        self._is_known = True
        self._has_answered = self._counts_all = False

    def begin(self, due: int) -> None:
        """Take what the kernel counts from now on into account. Idempotent.

        Of the time before, it is that in which the bot did not run and we should have looked: it
        wanted to, for it had been asked.

        Args:
            due: when we should have looked, in nanoseconds; without what we stood still.
        """
        if self._waits is None:
            now = read(self._process)
            self._waits = Waits(now)
            self._rested_us = max((now.at - self._asked) // 1000 - (now.cpu_us - self._cpu_us), 0)
            late_us = (now.at - due) // 1000 - self._stood_us
            self.lose(max(min(late_us, self._rested_us), 0))

    def lose(self, us: int) -> None:
        """Add time in which we were not woken and the bot did not run: others had our core."""
        self._lost_us += us

    def stall(self, us: int) -> None:
        """Take into account that others kept the core for so long, all in all.

        What its own threads waited meanwhile does not say all of it: they may have slept, or ended
        before we looked. What of that is counted otherwise, too, is not counted twice.
        """
        self._stalled_us = max(self._stalled_us, us)

    def share(self, stopped_us: int, free_us: int, ours_us: int) -> None:
        """Take into account what other bots, and we ourselves, used meanwhile.

        Of those that may work, as far as its own threads may have waited: a friend that works could
        win it time in which it sleeps. So could one that we look at, perhaps on another core: what
        we use counts up to `_MOST` times what the bot has used of its allowance, or as far as its
        threads may have waited. We may look at what it has itself, so what we use makes no wait too
        long: a bot that is silent meanwhile is late.

        Args:
            stopped_us: processor time that they used while they were stopped, since the first look.
            free_us: likewise, while they might work; it may turn out that they might not.
            ours_us: likewise, by ourselves, by what looks at bots for us, and by all else that has
                their core: a daemon, another match.
        """
        self._stopped_us = max(self._stopped_us, stopped_us)
        self._free_us = free_us
        self._ours_us = max(self._ours_us, ours_us)

    def count_all(self) -> None:
        """Count all that others used while they might work, who have been made to rest now.

        What its own threads have waited does not say it, where they live for milliseconds: a bot of
        ten children in turn was late with a fifth of its time used. A friend wins it as much sleep
        by that, once an act, but no time to work.
        """
        self._counts_all = True

    def be_away(self, us: int) -> None:
        """Add time in which we saw to others, or held the bot; its bound is that of what we did."""
        self._away_us += us

    def stand_still(self, us: int) -> None:
        """Add time in which we stood still, and perhaps the bot too, as far as it did not run.

        None of the match is known to have had the processor then, so it is no other's doing. For
        ten seconds of it an answer is waited for: no bot may keep us from going on for ever.
        """
        self._stood_us += us

    def wait_for_disk(self, us: int) -> None:
        """Take into account for how long the core was idle and waited for the disk, all in all.

        What a bot reads of the disk may be what another has had dropped from memory. Up to `_MOST`
        times its allowance is it waited for, as far as it did not run: it sleeps then.
        """
        self._disk_us = max(self._disk_us, min(us, self._least_us))

    def leave_unread(self, us: int, used_us: int) -> None:
        """Take note that bytes of the bot lay there when we came back: perhaps its answer.

        What it did since came after that, then.

        Args:
            us: how long they may have lain there.
            used_us: processor time that it used in that time.
        """
        self._unread_us, self._unread_cpu_us = self._unread_us + us, self._unread_cpu_us + used_us

    def works_on(self) -> None:
        """Take note that what lay there was not the whole answer."""
        self._unread_us = self._unread_cpu_us = 0

    def answered(self, us: int) -> None:
        """Take note of the answer, which ends the wait: all that others took by then counts.

        Args:
            us: for how long we were not woken to it, as `lose_asleep` has it.
        """
        self._has_answered = True
        self.lose_asleep(us)

    def lose_asleep(self, us: int) -> None:
        """Add time in which we were not woken to the answer of a bot, as far as it slept by then.

        When it was that it answered is not known. It gains nothing by making us late, which takes
        processes of its own that run, nor by sleeping, which it does in its own time.
        """
        if (waits := self._look()) is not None:
            self._unseen_us = min(self._unseen_us + us, waits.asleep_us())

    def give_up(self) -> None:
        """Take nothing into account: it cannot be told from what the bot's own processes took."""
        self._is_known, self._us = False, 0

    def us(self) -> int:
        """Return how many microseconds it were until now, as far as they are taken into account."""
        if self._is_known:
            waited = 0
            if (waits := self._look()) is not None:
                at_most_us = waits.at_most_us()
                used_us = min(waits.cpu_us - self._cpu_us, self._allowance_us)
                ours_us = max(self._ours_us - self._looked_us, 0)
                self._waited_us = min(max(at_most_us, _MOST * used_us), ours_us)
                free_us = self._free_us
                if not self._counts_all:
                    free_us = min(max(at_most_us - self._waited_us, 0), free_us)
                self.stall(self._stopped_us + free_us + self._waited_us)
                waited = max(waits.held_up_us() - self._looked_us, 0)
            found = waited + self._lost_us + self._unseen_us
            if not self._has_answered:
                found = min(found, self._most_us + self._waited_us)
            self._us = max(self._us, found, self._stalled_us)
        return self._us + self._away_us + self._idle_us()

    def _idle_us(self) -> int:
        """Return for how long we stood still or the core waited for the disk, and the bot slept."""
        if not self._is_known:
            return min(self._stood_us, self._least_us)
        stood_us = self._stood_us if self._has_answered else min(self._stood_us, _MOST_STOOD_US)
        if self._waits is None:
            return stood_us
        return min(stood_us + self._disk_us, self._rested_us + self._waits.asleep_us())

    def _look(self) -> Waits | None:
        """Return what the kernel has counted until now, if it is taken into account.

        What our own looks take is left out of it: a bot with many threads makes them long, and they
        would put off its deadline to the next look.
        """
        if self._waits is not None:
            begin = time.thread_time_ns()
            self._waits.add(read(self._process))
            self._looked_us += (time.thread_time_ns() - begin) // 1000
        return self._waits

    def not_charged_us(self, spent_us: int, cpu_us: int) -> int:
        """Return what of it is left out of the time that is charged, in microseconds.

        But for time in which its answer lay unread, never more than in which the bot itself did not
        run: no other can win it time to work.

        Args:
            spent_us: how long the act took, until its answer or its end and no longer: what we do
                after that is long, too, if the bot has many threads or we others to look at.
            cpu_us: the processor time that the bot had used by then.
        """
        held_up, unread = self.us(), self._unread_us
        used = cpu_us - self._cpu_us - self._unread_cpu_us
        return unread + min(held_up - unread, max(spent_us - unread - used, 0))

    def is_too_long(self) -> bool:
        """Whether there is no sense in waiting any longer."""
        return self._is_known and 0 < self._most_us <= self.by_others_us()

    def by_others_us(self) -> int:
        """Return what of it others took, as far as that is known, and not we ourselves."""
        return self._us - self._waited_us

    def wait_longer(self) -> None:
        """Wait as long again, whatever the others took at once: one of them is gone."""
        self._most_us = max(self._most_us, self.by_others_us()) + self._least_us
