"""Bounds on what the kernel has to go through in one piece for a bot, while others wait.

To evict a page the kernel goes through all mappings of it, about a microsecond each, and a process
that maps or unmaps that file meanwhile waits: at each fork, start and end of a process, in any bot.
And when a process closes a pipe, the kernel wakes all waiters of that pipe with the interrupts of
the core off: a million in 150 ms.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from typing import Final

from referee.sandbox.count_process import Counter
from referee.sandbox.counting import UNSEEN, Budget, Found
from referee.sandbox.lockout import Lockout
from referee.sandbox.priority import start_none_that_comes_first
from referee.sandbox.procfs import is_blocked

_GROWN: Final = 1 << 18
"""Bytes by which the kernel's own memory for a bot grows before its mappings are counted again.

A mapping takes about 200, so some 1,300 more are overlooked at most."""

_MUCH: Final = 2 << 20
"""Bytes of it from which all is counted at each look: what a bot gives back may hide what it takes.

Java, Go and node were seen to need 1.5 MiB at most. Below this, 10,000 waiters fit in."""

_MOST_UNSEEN: Final = 32 << 20
"""Bytes that the kernel may need for a bot whose mappings are not ours to count."""


_SHARE: Final = 20
"""How many times as long as a count took, or a bot was held still for it, we rest before the next:
all descriptors that a bot can have take 200 ms to look at."""

_LONGEST_REST_S: Final = 3.0
"""But never longer after a count."""

_LEAST_SHARE: Final = 3
"""Likewise, when the kernel needs more for the bot than before."""

_PLENTY: Final = 8 << 20
"""Bytes that the kernel needs for a bot from which rests are short."""

_LEAP: Final = 8 << 20
"""Bytes by which that has grown, and there is no rest, but a hold at once: a bot that looks at its
clock gives all of it back when a count is over, and one that runs lets a nice thread take long."""

_WHILE_HELD: Final = Budget(work_s=0.1, wall_s=0.3)
"""A bot is held still for a count no longer, should others have the processor."""

_STOP_S: Final = 0.2
"""So long the end of a count is waited for when its bot is gone; it takes a millisecond."""

_WHILE_IT_RUNS: Final = Budget(work_s=0.5)
"""All descriptors that a bot can have take 0.2 seconds to look at."""

_PATIENCE: Final = 10
"""So many holds of a bot in a row may prove nothing."""


Hold = Callable[[], AbstractContextManager[bool]]
"""Holds a bot's processes still for as long as a block lasts, and tells whether they stand."""


class _Rest:
    """A time in which a bot is not counted, or not held; shorter if the kernel needs more for it.

    A bot that knows of it, by being held, could take as much as it likes meanwhile.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._until = self._least_until = 0.0
        self._most = math.inf

    def begin(self, took_s: float, longest_s: float, used: int) -> None:
        """Rest from now on, after what took so long; `used` bytes are the kernel's."""
        now = time.monotonic()
        self._until = now + min(_SHARE * took_s, longest_s)
        self._least_until = now + _LEAST_SHARE * took_s
        self._most = used + _MUCH

    def is_over(self, used: int) -> bool:
        """Whether it is; to be asked at each look, for what the bot has given back counts."""
        self._most = min(self._most, used + _MUCH)
        is_more = used >= min(self._most, _PLENTY)
        now = time.monotonic()
        return now >= (self._least_until if is_more else self._until) or self.is_a_leap(used)

    def is_a_leap(self, used: int) -> bool:
        """Whether the kernel needs much more than at any look since it began."""
        return used >= self._most - _MUCH + _LEAP


class MappingBound:
    """Ends a bot that has far too much of these, or does not let its mappings be counted.

    Who counts waits for the lock that the kernel has for the memory of a process, and a bot can
    hold that for as long as it likes. So each count has a thread of its own, or a process.

    A process that passes what it has to a child and ends is gone before it is looked at, and so is
    that child. So where others are there after a count than before it, all are held still and
    counted again; where the kernel needs much more for them, they are held still at once.

    Attributes:
        exceeded: whether it had.
    """

    def __init__(
        self,
        kernel_bytes: Callable[[], int],
        cpu_us: Callable[[], int],
        members: Callable[[], Iterable[int]],
        kill: Callable[[], None],
        hold: Hold | None,
        *,
        counter: Callable[[], Counter] = Counter,
    ) -> None:
        """Begin with a bot that has none.

        Args:
            kernel_bytes: returns what the kernel itself needs for the bot; quickly known.
            cpu_us: returns the processor time that it has used, likewise.
            members: returns the ids of its processes.
            kill: ends them.
            hold: holds them still; None if that cannot be done.
            counter: makes what counts once.
        """
        self.exceeded = False
        self._kernel_bytes, self._cpu_us = kernel_bytes, cpu_us
        self._members, self._kill = members, kill
        self._hold, self._counter = hold, counter
        self._counted_at = 0
        self._counted_us = -1
        """What it had used before the last count, if nothing was missed in that."""
        self._rest, self._rest_of_holds = _Rest(), _Rest()
        self._unsure = 0
        """How many counts in a row proved nothing though the bot was held still."""
        self._count: _Count | None = None

    def look(self) -> None:
        """Have all counted if there can be more than at the last count, and end what has too many.

        What a count has brought is seen by the next look. A bot that has not run since has no more.

        Raises:
            OSError: the bot is gone.
        """
        used = self._kernel_bytes()
        if self._count is not None:
            if not self._count.is_over(used, self._cpu_us()):
                self._hold_if_it_leaps(self._count, used)
                return
            if self._count.held_s:
                self._rest_of_holds.begin(self._count.held_s, math.inf, used)
                self._unsure = self._unsure + 1 if self._count.is_unsure else 0
            if self._count.is_too_much or self._unsure > _PATIENCE:
                self._end()
            self._rest.begin(self._count.counter.took_s, _LONGEST_REST_S, used)
            self._counted_us = self._count.cpu_us if self._count.is_whole else -1
            self._count = None
        may_count, may_hold = self._rest.is_over(used), self._rest_of_holds.is_over(used)
        cpu_us = self._cpu_us()
        if not may_count or cpu_us == self._counted_us:
            return
        if used < min(self._counted_at + _GROWN, _MUCH):
            self._counted_at = min(self._counted_at, used)
            return
        self._counted_at = used
        self._begin(cpu_us, self._hold if may_hold else None, at_once=self._rest.is_a_leap(used))

    def _hold_if_it_leaps(self, count: "_Count", used: int) -> None:
        """Begin again, with the bot held still: it has made this count long, and knows of it."""
        may_hold = self._hold is not None and not count.is_held
        if may_hold and self._rest.is_a_leap(used) and self._rest_of_holds.is_over(used):
            count.stop()
            self._begin(self._cpu_us(), self._hold, at_once=True)

    def _begin(self, cpu_us: int, hold: Hold | None, *, at_once: bool) -> None:
        self._count = _Count(
            cpu_us, self._members, self._end, hold, self._counter(), at_once=at_once
        )

    def close(self) -> None:
        """Count no more: a count that is under way ends at its next step. Idempotent."""
        if self._count is not None:
            self._count.stop()

    def _end(self) -> None:
        self.exceeded = True  # first: who sees the end asks for the reason
        self._kill()


class _Count:
    """A count of mappings that is under way, in a thread.

    Attributes:
        is_too_much: whether there are too many, as far as is known when it is over.
        is_held: whether the bot is held still for it, or was.
        held_s: how long it was, all in all.
        counter: what counts.
        cpu_us: the processor time that the bot had used before.
        is_whole: whether no process was missed.
        is_unsure: whether that was so, or it took too long, though the bot was held still.
    """

    def __init__(
        self,
        cpu_us: int,
        members: Callable[[], Iterable[int]],
        end: Callable[[], None],
        hold: Hold | None,
        counter: Counter,
        *,
        at_once: bool,
    ) -> None:
        """Begin to count.

        Args:
            cpu_us: the processor time that the bot has used.
            members: returns the ids of its processes.
            end: ends the bot, which has too much.
            hold: holds it still; None if that is not to be done now.
            counter: counts.
            at_once: whether it is held from the beginning on, and not only if something is missed.
        """
        self.cpu_us = cpu_us
        self.is_held = at_once and hold is not None
        self.is_too_much = self.is_whole = self.is_unsure = False
        self.held_s = 0.0
        self.counter = counter
        self._members, self._end, self._hold = members, end, hold
        self._found: Found | None = None
        self._lockout = Lockout(cpu_us)
        self.thread = threading.Thread(target=self._work, name="mappings", daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """End at the next step, and wait for that a moment."""
        self.counter.stop()
        self.thread.join(_STOP_S)

    def _work(self) -> None:
        start_none_that_comes_first()  # as this thread does, like the one that started it
        before = frozenset(self._members())
        found = UNSEEN if self.is_held else self.counter.count(before, _WHILE_IT_RUNS)
        self.is_whole = found.was_looked_at and frozenset(self._members()) == before
        has_missed = not self.is_whole and not found.is_too_much and not self.counter.is_stopped
        if self._hold is not None and has_missed:
            self.is_held = True
            with suppress(OSError):  # the bot is gone
                still = self._counted_still(self._hold)
                self.is_whole, found = still is not None, still or found
        self._found = found

    def _counted_still(self, hold: Hold) -> Found | None:
        """Hold the bot still, count, and end it at once if it has too much: it could not be later.

        A process that is long in one call of the kernel does not come to a stop; the others do.

        Returns:
            What was found; None if it took too long, or something may have been missed.

        Raises:
            OSError: the bot is gone.
        """
        began = time.monotonic()
        try:
            with hold() as stands_still:
                pids = frozenset(self._members())
                found = self.counter.count(pids, _WHILE_HELD)
                if found.took_too_long:
                    self.is_unsure = found.took_s > _WHILE_HELD.work_s
                    return None
                if found.is_too_much:
                    self._end()
                if not found.was_looked_at:
                    return None
                self.is_unsure = not stands_still and frozenset(self._members()) != pids
                return None if self.is_unsure else found
        finally:
            self.held_s = time.monotonic() - began

    def is_over(self, used: int, cpu_us: int) -> bool:
        """Whether it is done, or stays locked.

        What runs, or waits for a processor, is not locked out; nor is a process that has counted,
        while our thread that is to take that in has no processor.

        Args:
            used: what the kernel needs for the bot, in bytes.
            cpu_us: the processor time that the bot has used.
        """
        if self._found is None:
            worker = self.counter.worker
            is_locked_out = worker != 0 and is_blocked(worker)
            self.is_too_much = self._lockout.look(cpu_us, is_blocked=is_locked_out)
            return self.is_too_much
        self.is_too_much = self._found.is_too_much
        self.is_too_much |= self._found.hidden and used > _MOST_UNSEEN
        return True
