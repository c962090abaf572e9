"""One bot between its acts: what it uses there, how it is stopped, and what that costs it.

A bot that works off turn takes the time of the one that is to move. It is stopped; where that does
not help, it is ended, and charged with a fault at its own next act.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from referee.errors import SandboxError, Unstoppable
from referee.match.verdict import Freeze
from referee.sandbox import BotProcess, core_time, kernel_threads
from referee.sandbox.count_process import COUNT_PROCESSES
from referee.sandbox.procfs import is_running

OFF_TURN_US: Final = 1000
"""How much processor time a bot may use between its acts before it is stopped there."""

MOST_STOPPED_US: Final = 500_000
"""How much a bot may use in a deal after it was stopped, before it is ended and charged.

What it was doing in the kernel then goes on. One that is not stopped yet is not charged, since we
may have been kept from looking at it by others."""

_LEAST_LOOKS: Final = 5
"""In fewer a bot may be seen ready to run that only waits to do the last of its own act."""

_SLOW_NS: Final = 50_000_000
"""A daemon takes so long to stop a bot only where it is kept from it."""

_NEVER: Final = 1 << 62

_REST: Final = 3
"""So many times as long as a look took we do without the next: it takes the time, and the core, of
the bot that is to move."""

_SEEN_NS: Final = 1_000_000
"""What bots can use in less is not worth a look."""


class OffTurn:
    """What one bot does between its acts.

    Attributes:
        used_us: processor time that it used between two acts, where that is why it is stopped
            there from now on and the record does not say so yet; else 0.
        freezes: whether it is to be stopped between its acts.
        since_us: the processor time that it had used when its last act was over, in microseconds.
        charge: what it did to the bot that was to move, in a sentence; empty if nothing.
    """

    def __init__(self, process: BotProcess, freeze: Freeze) -> None:
        """Begin with a bot that was just started, and has had no act yet."""
        self._process = process
        self.freezes = freeze is Freeze.ALWAYS
        self._watches = freeze is Freeze.AUTO
        self._rests = False
        self._stopped_us = _NEVER
        """The processor time that it had used when it was stopped."""
        self._after_us = self._before_us = 0
        """What it used after it was stopped: since its last act, and before that in the deal."""
        self.since_us = self._seen_us = _NEVER
        self._rested_us = 0
        """The processor time that it had used when it was last made to rest, which it may."""
        self._since_ns = -_NEVER
        self.used_us = 0
        self.charge = ""

    def begin_deal(self) -> None:
        """Forget what it used after it was stopped in the deal before."""
        self._after_us = self._before_us = 0

    def end(self, now_ns: int) -> int:
        """Let the bot go on for an act that begins now; it may turn out that it is charged.

        Returns:
            The processor time from which the act's is counted, in microseconds.
        """
        if self.charge:
            return self.since_us
        if self.freezes or self._rests:
            self._process.thaw()
            self._rests = False
        if now_ns - self._since_ns <= OFF_TURN_US * 1000:
            return self.since_us  # in less it cannot have used so much
        cpu = self._process.cpu_us()
        self._judge(cpu)
        return cpu

    def begin(self) -> int:
        """Count from now on; `stop` follows.

        Returns:
            The processor time used until now, in microseconds.
        """
        self.since_us = self._seen_us = self._process.cpu_us()
        self._before_us, self._after_us = self._before_us + self._after_us, 0
        self._stopped_us = self.since_us if self.freezes else _NEVER
        self._since_ns = time.perf_counter_ns()
        return self.since_us

    def stop(self) -> None:
        """Stop the bot, if it is to be stopped between its acts; `begin` was before."""
        if not self.freezes:
            return
        begin = time.perf_counter_ns()
        if not self._freeze(self.since_us):
            self._stopped_us = _NEVER
        elif time.perf_counter_ns() - begin > _SLOW_NS:
            # what a daemon lets it use is not its fault
            self._stopped_us = self._process.cpu_us()

    def rest(self) -> None:
        """Stop the bot until it is asked or `go_on`, whenever it may work otherwise."""
        if self._process.status() is None and not self.charge:
            self._rests = True
            self._rested_us = self._process.cpu_us()
            self._stop_from(self._rested_us, for_now=not self.freezes)

    @property
    def may_work(self) -> bool:
        """Whether it is neither stopped, nor ended."""
        return not (self._rests or self.freezes or self.charge)

    def is_free(self) -> bool:
        """Whether it works, and may."""
        return self.may_work and self.worked_us() > OFF_TURN_US

    def rests(self) -> bool:
        """Whether it has come to a stop, or has ended."""
        return not self._rests or self._process.is_stopped() or self._process.status() is not None

    def go_on(self) -> None:
        """Let the bot go on after a rest, if it may."""
        if self._rests and not self.freezes:
            self._process.thaw()
            self._stopped_us = _NEVER
        self._rests = False

    def check(self) -> None:
        """Look, while another bot is to move, whether this one works, and stop it then."""
        cpu = self._process.cpu_us()
        if self._judge(cpu):
            self._stop_from(cpu)

    def _stop_from(self, cpu: int, *, for_now: bool = False) -> None:
        """Stop the bot, which may have worked until now, and had used `cpu` by then."""
        if not self._freeze(cpu, for_now=for_now):
            self._stopped_us = _NEVER
        elif self._process.is_stopped():  # what a slow daemon lets it use is not its fault
            self._stopped_us = self._process.cpu_us()
        else:
            self._stopped_us = cpu

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
        return min(took_us, max(self._rested_us - self._seen_us, 0)) if self._rests else took_us

    def took_unasked_us(self) -> int:
        """Return what of that it used after it was made to rest, if it was: before, it might."""
        self._process.recount()
        return max(self._process.cpu_us() - max(self._seen_us, self._rested_us), 0)

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
        self._process.kill()


class OffTurnTable:
    """The other bots of a match, as seen while one is to move."""

    def __init__(self, others: Iterable[OffTurn]) -> None:
        """Begin with none of them found at work."""
        self._found_running = dict.fromkeys(others, 0)
        self._looks = 0
        self._next_look_ns = -_NEVER

    def check(self) -> None:
        """Stop those that work."""
        for other in self._found_running:
            other.check()

    def count_running(self) -> None:
        """Count those that work all the same, though they are stopped or may not be.

        Does nothing soon after a look that took long.
        """
        begin = time.perf_counter_ns()
        if begin < self._next_look_ns:
            return
        self._looks += 1
        for other in self._found_running:
            self._found_running[other] += other.runs()
        end = time.perf_counter_ns()
        self._next_look_ns = end + _REST * (end - begin)

    def make_room(self, held_up_us: int) -> bool:
        """Stop those that work and may, until their next act; if none does, end the busiest.

        No look until then says anything against any of them.

        Args:
            held_up_us: for how long others kept the bot that is to move from running.

        Returns:
            Whether there is any such bot.
        """
        free = [
            other
            for other, often in self._found_running.items()
            if other.is_free() or (often and other.may_work)
        ]
        for other in free:
            other.rest()
            self._found_running[other] = 0
        return bool(free) or self._end_busiest(held_up_us)

    def _end_busiest(self, held_up_us: int) -> bool:
        """End the bot that took most: by the processor time that it used, or by looks.

        A bot can keep the core so that we cannot look; what it has used meanwhile is counted all
        the same, and what friends have that share the work. By looks it has to be found at work in
        a quarter of them at least.

        Args:
            held_up_us: for how long others kept the bot that is to move from running.

        Returns:
            Whether there is such a bot.
        """
        self.count_running()
        free = [other for other in self._found_running if not other.charge]
        kept = f"it kept another bot from running for {held_up_us // 1000} ms of that one's act"
        took_us = {other: other.took_unasked_us() for other in free}
        if sum(took_us.values()) >= max(held_up_us // 2, OFF_TURN_US):
            worker = max(took_us, key=took_us.__getitem__)
            used_ms = took_us[worker] // 1000
            self._end(worker, f"{kept}: it used {used_ms} ms of the processor off turn")
            return True
        busiest = max(free, key=self._found_running.__getitem__, default=None)
        often = 0 if busiest is None else self._found_running[busiest]
        if busiest is None or often * 4 < max(self._looks, _LEAST_LOOKS * 4):
            return False
        charge = f"{kept}: it was found at work off turn in {often} of {self._looks} looks"
        self._end(busiest, charge)
        return True

    def _end(self, other: OffTurn, charge: str) -> None:
        with suppress(SandboxError):
            other.end_for_good(charge)
        self._found_running = dict.fromkeys(self._found_running, 0)
        self._looks = 0


class LastSeen:
    """When it was last seen what bots have used, so that it is known what they use in an act.

    Between two acts that are not usual ones the referee can be away for a quarter of a second: for
    the last word of a bot at fault, a start, a slow disk. What a bot does then keeps none from its
    act.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._at_ns = -_NEVER
        self._cores = kernel_threads.cores_of_ours()
        self._ours_ns = _of_no_bot_ns(self._cores)
        self._idle_us: int | None = None

    def see(self, bots: Iterable[OffTurn]) -> None:
        """Look, if an act is about to begin and we have been away."""
        now_ns = time.perf_counter_ns()
        if now_ns - self._at_ns > _SEEN_NS:
            for bot in bots:
                bot.see()
            self._cores = kernel_threads.cores_of_ours()
            self._ours_ns = _of_no_bot_ns(self._cores)
            self._idle_us = self._core_idle_us()
            self._at_ns = time.perf_counter_ns()

    def ours_us(self) -> int:
        """Return the processor time that has been used for no bot since, but for this thread's.

        Other threads and count processes of ours look at what bots have, and it may be on the core
        on which those play; threads of the kernel free there what bots have left.
        """
        return (_of_no_bot_ns(self._cores) - self._ours_ns) // 1000

    def busy_us(self) -> int:
        """Return for how long the core was busy since, at least; 0 where that is not known.

        With the bots and with us, but also with a daemon that takes containers away, with other
        matches, and with all else that the machine does.
        """
        before_us, now_us = self._idle_us, self._core_idle_us()
        if before_us is None or now_us is None:
            return 0
        spent_us = (time.perf_counter_ns() - self._at_ns) // 1000
        return max(spent_us - (now_us - before_us) - core_time.RESOLUTION_US, 0)

    def _core_idle_us(self) -> int | None:
        return core_time.idle_us(*self._cores) if len(self._cores) == 1 else None


def _of_no_bot_ns(cores: Iterable[int]) -> int:
    threads_ns = time.process_time_ns() - time.thread_time_ns()
    return threads_ns + COUNT_PROCESSES.used_ns() + kernel_threads.used_ns(cores)
