"""One bot between its acts: what it uses there, how it is stopped, and what that costs it.

A bot that works off turn takes the time of the one that is to move. It is stopped; where that does
not help, it is ended, and charged with a fault at its own next act.
"""

import os
import time
from typing import Final

from referee.errors import Unstoppable
from referee.match.verdict import Freeze
from referee.sandbox import BotProcess
from referee.sandbox.bare import has_ended
from referee.sandbox.freezer_file import FreezerFile
from referee.sandbox.procfs import is_running

OFF_TURN_US: Final = 1000
"""How much processor time a bot may use between its acts before it is stopped there."""

MOST_STOPPED_US: Final = 100_000
"""How much a bot may use in a deal after it was stopped, before it is ended and charged.

What it was doing in the kernel then goes on, where it was stopped at another's turn; after its
own act it is waited for (`referee.play.settling`). One that is not stopped yet is not charged,
since we may have been kept from looking at it by others."""

_SLOW_NS: Final = 2_000_000
"""Only a daemon takes so long to stop a bot, which goes on meanwhile: 14 ms an act were seen."""

_MOMENT_NS: Final = 1_000_000
"""So long a bot may take to come to a stop after its act, without being charged."""

NEVER: Final = 1 << 62
"""More than any clock or count says."""


class OffTurn:
    """What one bot does between its acts.

    Attributes:
        used_us: processor time that it used between two acts, where that is why it is stopped
            there from now on and the record does not say so yet; else 0.
        freezes: whether it is to be stopped between its acts.
        since_us: the processor time that it had used when its last act was over, in microseconds.
        resting: whether it was made to rest, and not let go on yet.
        charge: what it did to the bot that was to move, in a sentence; empty if nothing.
    """

    def __init__(self, process: BotProcess, freeze: Freeze) -> None:
        """Begin with a bot that was just started, and has had no act yet."""
        self._process = process
        self.freezes = freeze is Freeze.ALWAYS
        self._watches = freeze is Freeze.AUTO
        self.resting = False
        self._stopped_us = NEVER
        """The processor time that it had used when it was stopped."""
        self._after_us = self._before_us = 0
        """What it used after it was stopped: since its last act, and before that in the deal."""
        self.since_us = self._seen_us = NEVER
        self._rested_us = 0
        """The processor time that it had used when it was last made to rest, which it may."""
        self._since_ns = -NEVER
        self.used_us = 0
        self.charge = ""

    def begin_deal(self) -> None:
        """Forget what it used after it was stopped in the deal before."""
        self._after_us = self._before_us = 0

    def end(self, now_ns: int) -> int:
        """Let the bot go on for an act that begins now; it may turn out that it is charged.

        One that `freezer` lets go on stays as it is: it is told its line first, so that all it does
        is of its act.

        Returns:
            The processor time from which the act's is counted, in microseconds.
        """
        if self.charge:
            return self.since_us
        was_stopped = self.freezes or self.resting
        is_short = now_ns - self._since_ns <= OFF_TURN_US * 1000
        cpu = self.since_us  # in less it cannot have used so much
        if not is_short:
            cpu = self._process.cpu_us()
            self._judge(cpu)
        if was_stopped and not self.charge:
            self.resting = False
            if not self._process.freezer().is_there():
                self._process.thaw()
                cpu = self._process.cpu_us()  # what it uses while a daemon does that is of no act
        return cpu

    def freezer(self) -> FreezerFile:
        """Return the file that lets it go on, if it is stopped by one, and stops it after its act.

        The latter only where it is to be stopped between its acts.
        """
        file = self._process.freezer()
        return file if self.freezes else file._replace(freeze=b"")

    def begin(self) -> int:
        """Count from now on; `stop` follows.

        Returns:
            The processor time used until now, in microseconds.
        """
        self._process.end_act()
        self.since_us = self._seen_us = self._process.cpu_us()
        self._before_us, self._after_us = self._before_us + self._after_us, 0
        self._stopped_us = self.since_us if self.freezes else NEVER
        self._since_ns = time.perf_counter_ns()
        return self.since_us

    def stop(self) -> None:
        """Stop the bot, if it is to be stopped between its acts; `begin` was before."""
        if not self.freezes:
            return
        begin = time.perf_counter_ns()
        if not self._freeze(self.since_us):
            self._stopped_us = NEVER
        elif time.perf_counter_ns() - begin > _SLOW_NS:
            # what a daemon lets it use is not its fault
            self._stopped_us = self._process.cpu_us()

    def comes_to_a_stop(self) -> bool:
        """Whether it stands still at once, or need not; it was told to stop.

        Each of its threads needs the core for that, which is theirs until then, or for a moment. A
        daemon has waited for that already.
        """
        until = time.perf_counter_ns() + _MOMENT_NS
        while self.was_stopped() and self._process.stops_at_once() and not self.stands_still():
            if time.perf_counter_ns() > until:
                return False
            os.sched_yield()
        return True

    def stands_still(self) -> bool:
        """Whether it has come to a stop, or has ended."""
        return self._process.is_stopped() or self._has_ended()

    def _has_ended(self) -> bool:
        """Whether its process has; how is not asked, which a daemon can take a second to say."""
        return has_ended(self._process.exited_fd)

    def rest(self) -> None:
        """Stop the bot until it is asked or `go_on`, whenever it may work otherwise."""
        if not self._has_ended() and not self.charge:
            self.resting = True
            self._rested_us = self._process.cpu_us()
            self._stop_from(self._rested_us, for_now=not self.freezes)

    def stops_at_once(self) -> bool:
        """Whether to stop it takes no time that counts."""
        return self._process.stops_at_once()

    def was_stopped(self) -> bool:
        """Whether it was stopped since its last act, or ended; else it may work, or none could."""
        return self._stopped_us != NEVER or bool(self.charge)

    def rests(self) -> bool:
        """Whether it has come to a stop, or has ended."""
        return not self.resting or self.stands_still()

    def go_on(self) -> None:
        """Let the bot go on after a rest, if it may."""
        if self.resting and not self.freezes:
            self._process.thaw()
            self._stopped_us = NEVER
        self.resting = False

    def check(self) -> bool:
        """Look, while another bot is to move, whether this one works, and stop it then.

        Returns:
            Whether it has been stopped only now, or ended.
        """
        before = self.was_stopped(), self.charge
        cpu = self._process.cpu_us()
        if self._judge(cpu):
            self._stop_from(cpu)
        return before != (self.was_stopped(), self.charge)

    def _stop_from(self, cpu: int, *, for_now: bool = False) -> None:
        """Stop the bot, which may have worked until now, and had used `cpu` by then."""
        if not self._freeze(cpu, for_now=for_now):
            self._stopped_us = NEVER
        else:  # what a slow daemon lets it use is not its fault, nor what we count only now
            self._process.recount()
            self._stopped_us = self._process.cpu_us()

    def _freeze(self, cpu: int, *, for_now: bool = False) -> bool:
        """Stop the bot; one that works so much that it cannot be stopped is ended for it.

        One that does not work is let be: it may be another one that keeps a daemon from stopping
        it, and it takes the time of none.

        Args:
            cpu: the processor time that it had used before.
            for_now: whether it is not to be stopped again and again.

        Returns:
            Whether it is to come to a stop.
        """
        begin = time.perf_counter_ns()
        try:
            self._process.freeze(for_now=for_now)
        except Unstoppable as error:
            took_us = (time.perf_counter_ns() - begin) // 1000
            if (self._process.cpu_us() - cpu) * 2 > took_us:
                self.end_for_good(f"it could not be stopped between its acts: {error}")
            return False
        return True

    def _judge(self, cpu: int) -> bool:
        """Whether it is found only now to have worked between its acts; `cpu` is its time now.

        One that has used much after it was stopped, all in all in a deal, is ended for it: it was
        in the kernel, where nothing stops it, and has kept the core from all others.
        """
        used_us = cpu - self.since_us
        if used_us <= OFF_TURN_US or self.charge:
            return False
        self._after_us = max(cpu - self._stopped_us, self._after_us)
        if self._before_us + self._after_us > MOST_STOPPED_US:
            used_ms = (self._before_us + self._after_us) // 1000
            self.end_for_good(f"it used {used_ms} ms of the processor after it was stopped")
            return False
        if not self._watches:
            return False
        self.used_us = used_us
        self._watches, self.freezes = False, True
        return True

    def worked_us(self) -> int:
        """Return the processor time that it has used since its last act, in microseconds."""
        self._process.recount()
        return max(self._process.cpu_us() - self.since_us, 0)

    def see(self) -> None:
        """Take note of what it has used by now: that is of no act of another that begins later."""
        self._process.recount()
        self._seen_us = max(self._process.cpu_us(), self.since_us)

    def took_us(self) -> int:
        """Return the processor time that it has used in the act of another that is under way."""
        self._process.recount()
        return max(self._process.cpu_us() - self._seen_us, 0)

    def took_freely_us(self) -> int:
        """Return what of that it used while it might: until it was made to rest, if it was."""
        if self.freezes:
            return 0
        took_us = self.took_us()
        return min(took_us, max(self._rested_us - self._seen_us, 0)) if self.resting else took_us

    def took_unasked_us(self) -> int:
        """Return what of that it used after it was stopped, if it was.

        Before, it might, or we have been kept from looking at it: by a daemon that took two seconds
        to stop another.
        """
        self._process.recount()
        return max(self._process.cpu_us() - max(self._seen_us, self._stopped_us), 0)

    def runs(self) -> bool:
        """Whether a thread of it has the processor or waits for it.

        One that has come to a stop may have hundreds, and to look at all takes the time, and the
        core, of the bot that is to move.
        """
        if self._process.is_stopped():
            return False
        return any(map(is_running, self._process.threads()))

    def end_for_good(self, charge: str) -> None:
        """End the bot, which is to be charged at its next act."""
        self.charge = charge
        self._process.send_kill()

    def is_dying(self) -> bool:
        """Whether it was ended and is not gone yet, which takes the time of others."""
        return bool(self.charge) and not self._process.is_gone()
