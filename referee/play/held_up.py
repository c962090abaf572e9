"""For how long others keep a bot from running during one act: time that is not charged to it."""

import time
from typing import Final

from referee.play.blocked import Blocked
from referee.sandbox import BotProcess
from referee.sandbox.core_time import CoreUse
from referee.sandbox.run_delay import Waits, read

_MOST: Final = 4
"""So many times its allowance is a bot waited for while others have the processor, and so many
times what it has used itself while we do: five threads of ours took 2.8 times that from a bot."""

_MOST_STOOD_US: Final = 10_000_000
"""So long is a bot waited for in an act while we stand still."""

_LEAST_KEPT_US: Final = 250_000
"""So long is a bot waited for that has hardly run, while the disk or a lock keeps it from it."""


class HeldUp:
    """For how long others keep a bot from running during one act."""

    def __init__(self, process: BotProcess, allowance_us: int, asked: int, cpu_us: int) -> None:
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
        self._blocked = Blocked(process, asked)
        self._lost_us = self._unseen_us = self._away_us = self._stalled_us = self._us = 0
        self._unread_us = self._unread_cpu_us = 0
        self._looked_us = self._stopped_us = self._free_us = self._ours_us = self._stood_us = 0
        self._kept_us = 0
        """For how long the core was idle, and the bot kept from running by the disk or a lock."""
        self._rested_us = 0
        """How long the bot had not run when we first looked."""
        self._waited_us = 0
        """How long it may have waited for us."""
        self._is_known = True
        self._has_answered = self._counts_all = False

    def begin(self, due: int) -> None:
        """Take what the kernel counts from now on into account, and look what the bot waits for.

        Of the time before the first look, it is that in which the bot did not run and we should
        have looked: it wanted to, for it had been asked.

        Args:
            due: when we should have looked, in nanoseconds; without what we stood still.
        """
        self._blocked.look()
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

    def be_idle(self, core: CoreUse) -> None:
        """Take into account that the core was idle while the disk, or a lock, kept the bot waiting.

        What a bot reads of the disk may be what another has had dropped from memory, and a lock of
        the kernel, as that on all mappings of a file, may be held on another core. The bot sleeps
        then, so it is waited for, but no longer than `_MOST` times what it has used of its
        allowance: else one that reads for ever makes each act five times as long, uncharged.

        Args:
            core: what it has done since the act began, all in all.
        """
        self._kept_us = max(self._kept_us, core.disk_us, min(self._blocked.us(), core.idle_us))

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
                ours_us = max(self._ours_us - self._looked_us, 0)
                self._waited_us = min(max(at_most_us, _MOST * self._used_us(waits)), ours_us)
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
        """Return for how long we stood still, or the disk or a lock kept the bot, and it slept."""
        if not self._is_known:
            return min(self._stood_us, self._least_us)
        stood_us = self._stood_us if self._has_answered else min(self._stood_us, _MOST_STOOD_US)
        if self._waits is None:
            return stood_us
        most_us = max(_MOST * self._used_us(self._waits), min(self._allowance_us, _LEAST_KEPT_US))
        kept_us = min(self._kept_us, most_us)
        return min(stood_us + kept_us, self._rested_us + self._waits.asleep_us())

    def _used_us(self, waits: Waits) -> int:
        """Return what the bot has used of its allowance by the last look."""
        return min(waits.cpu_us - self._cpu_us, self._allowance_us)

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
