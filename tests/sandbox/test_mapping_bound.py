"""A bot that maps files many thousand times is ended, and nobody counts mappings needlessly."""

import errno
import mmap
import os
import select
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path

import pytest

from referee.sandbox import counting, mapping_bound, procfs
from referee.sandbox.count_process import Counter
from referee.sandbox.counting import (
    MOST_MAPPINGS,
    MOST_TABLES_KIB,
    MOST_WAITERS,
    UNSEEN,
    Budget,
    Found,
)
from referee.sandbox.environment import OPEN_FILES
from referee.sandbox.mapping_bound import MappingBound
from referee.sandbox.procfs import Tick, TooLong, count_mappings, within
from referee.sandbox.waiters import count_waiters


def at_leisure() -> None:
    """However long it takes."""


class CountsHere(Counter):
    """Does all of it in its own thread, however long it takes: no process knows these bots."""

    def count(self, pids: Iterable[int], budget: Budget) -> Found:
        self.worker = threading.get_native_id()
        found = counting.count(pids, budget, lambda: self.is_stopped)
        self.took_s += found.took_s
        return found


class Bot:
    """What the bound asks for, in numbers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran_us = self.used = self.mapped = self.counts = self.waiters = self.holds = 0
        self.tables_kib = 0
        self.ended = self.hidden = self.relays = self.held = self.ended_while_held = False
        self.can_be_held = True
        self.some_can_be_held = self.starves = False
        self.is_slow = False
        self.runs, self.took, self.hold_takes = 1, 0.001, 0.0
        self.now = self.worked = 0.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setattr("time.thread_time", lambda: self.worked)
        self._pids = count(1)
        monkeypatch.setattr(counting, "count_mappings", self._count)
        monkeypatch.setattr(counting, "count_waiters", self._wait)
        monkeypatch.setattr(counting, "tables_kib", lambda *_: self.tables_kib)
        self.bound = MappingBound(
            lambda: self.used,
            lambda: self.ran_us,
            self._members,
            self._end,
            self._hold,
            counter=CountsHere,
        )

    def _count(self, pids: tuple[int, ...], most: int, tick: Tick) -> tuple[int, bool]:
        self.counts += 1
        self.worked += 0.2 if self.is_slow else self.took
        if self.is_slow:
            raise TooLong
        if self.held and self.starves:
            self.now += 1
            tick()
        return 0 if self._is_missed() else self.mapped, self.hidden

    def _wait(self, *_: object) -> int:
        return 0 if self._is_missed() else self.waiters

    def _is_missed(self) -> bool:
        """Whether each of its processes is gone before it is looked at."""
        return self.relays and not self.held

    def _changes(self) -> bool:
        """Whether others are there each time: also where some cannot be held."""
        return self.relays and not (self.held and self.can_be_held)

    def _members(self) -> tuple[int, ...]:
        return (next(self._pids),) if self._changes() else (1,)

    @contextmanager
    def _hold(self) -> Iterator[bool]:
        self.holds += 1
        self.held = self.some_can_be_held or self.can_be_held
        yield self.can_be_held
        self.held = False
        self.now += self.hold_takes

    def _end(self) -> None:
        self.ended, self.ended_while_held = True, self.ended_while_held or self.held

    def uses(self, mib: float, mapped: int) -> None:
        self.used, self.mapped = int(mib * 2**20), mapped
        for _ in range(2):
            self.ran_us += self.runs
            self.now += 0.1
            self.bound.look()
            if self.bound._count is None:
                return
            self.bound._count.thread.join()


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Bot:
    return Bot(monkeypatch)


def test_too_many_are_ended(bot: Bot) -> None:
    """One more than there may be."""
    ended = []
    for mib, mapped in ((8, MOST_MAPPINGS), (16, MOST_MAPPINGS + 1)):
        bot.uses(mib, mapped)
        ended.append((bot.ended, bot.bound.exceeded))
    assert ended == [(False, False), (True, True)]


@pytest.mark.parametrize(
    ("what", "most"), [("waiters", MOST_WAITERS), ("tables_kib", MOST_TABLES_KIB)]
)
def test_too_much_that_is_woken_or_freed_at_once_is_ended(what: str, most: int, bot: Bot) -> None:
    """One message wakes all waiters, and the kernel frees page tables in the time of others."""
    ended = []
    for mib, number in ((80, most), (90, most + 1)):
        setattr(bot, what, number)
        bot.uses(mib, 20)
        ended.append((bot.ended, bot.bound.exceeded))
    assert ended == [(False, False), (True, True)]


def test_who_cannot_be_counted_is_ended(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the next look, and without a word of ours about it."""

    def unreadable(*_: object) -> int:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    monkeypatch.setattr(counting, "count_waiters", unreadable)
    bot.uses(4, 20)

    assert (bot.ended, bot.bound.exceeded) == (True, True)


def test_a_count_ends_with_its_bot(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its next step; it would hold files open else, while others look what is left."""
    steps, begun = count(), threading.Event()

    def endless(_: object, __: int, tick: Tick) -> int:
        begun.set()
        while True:
            next(steps)
            tick()

    monkeypatch.setattr(counting, "count_waiters", endless)
    bot.used = 8 << 20
    bot.bound.look()
    begun.wait()
    assert bot.bound._count is not None
    bot.bound.close()
    assert not bot.bound._count.thread.is_alive()
    assert not bot.ended


def test_a_count_that_is_broken_off_holds_no_bot(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that follows it at once may hold it then, and it would be let go on meanwhile."""
    begun = threading.Event()

    class IsKilled(CountsHere):
        def count(self, pids: Iterable[int], budget: Budget) -> Found:
            super().count(pids, budget)
            return UNSEEN

    def endless(_: object, __: int, tick: Tick) -> int:
        begun.set()
        while True:
            tick()

    monkeypatch.setattr(counting, "count_waiters", endless)
    bot.bound._counter, bot.used = IsKilled, 8 << 20
    bot.bound.look()
    begun.wait()
    bot.bound.close()
    assert bot.bound._count is not None
    assert not bot.bound._count.thread.is_alive()
    assert bot.holds == 0


def test_a_bot_that_has_not_run_is_not_counted_again(bot: Bot) -> None:
    """A hundred processes with many descriptors that only lie there keep no core busy."""
    bot.uses(4, 20)
    bot.runs = 0
    bot.uses(4, 20)
    before = bot.counts
    for _ in range(9):
        bot.uses(4, 20)
    assert bot.counts == before
    bot.runs = 1
    bot.uses(4, 20)
    assert bot.counts > before


def test_a_bot_that_may_have_been_missed_is_counted_though_it_does_not_run_any_more(
    bot: Bot,
) -> None:
    """It could not be held still before."""
    bot.relays, bot.can_be_held, bot.waiters = True, False, MOST_WAITERS + 1
    bot.uses(4, 20)
    bot.runs, bot.relays = 0, False
    bot.uses(4, 20)
    assert bot.ended


def test_counts_take_no_more_than_a_share_of_the_time(bot: Bot) -> None:
    """Those of 150 ms come every three seconds, those of a millisecond at each look."""
    bot.took = 0.15
    for _ in range(90):
        bot.uses(4, 20)
    assert 2 <= bot.counts <= 7
    bot.took = 0.001
    bot.now += 3
    before = bot.counts
    for _ in range(30):
        bot.uses(4, 20)
    assert bot.counts - before >= 20


@pytest.mark.parametrize("used", [[4, 6], [4, 1, 3], [7, 8]])
def test_a_bot_for_which_the_kernel_needs_more_is_counted_though_a_count_took_long(
    used: list[int], bot: Bot
) -> None:
    """Two MiB more than it has needed since, or eight in all: rests are short, of holds too."""
    bot.took, bot.hold_takes, bot.relays = 0.08, 0.08, True
    bot.uses(used[0], 20)
    bot.now += 0.6
    for mib in (*used[1:-1], used[-1] - 0.1):
        bot.uses(mib, 20)
    assert (bot.counts, bot.holds) == (2, 1)
    bot.waiters = MOST_WAITERS + 1
    bot.uses(used[-1], 20)
    assert (bot.holds, bot.ended) == (2, True)


def test_a_bot_for_which_the_kernel_needs_much_more_is_held_still_at_once(bot: Bot) -> None:
    """It would give back all that it has taken while it is counted as it runs; there is no rest."""
    bot.took, bot.hold_takes, bot.relays = 0.3, 0.3, True
    bot.uses(9, 20)
    assert (bot.counts, bot.holds) == (2, 1)
    bot.uses(16.9, 20)
    assert (bot.counts, bot.holds) == (2, 1)
    bot.waiters = MOST_WAITERS + 1
    bot.uses(17, 20)
    assert (bot.counts, bot.holds, bot.ended_while_held) == (3, 2, True)


def test_a_bot_that_takes_much_more_while_it_is_counted_is_held_still_at_once(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had made that count long, and would give all of it back before the end."""
    begun = threading.Event()

    def endless(_: object, __: int, tick: Tick) -> int:
        begun.set()
        while not bot.held:
            tick()
        return MOST_WAITERS + 1

    monkeypatch.setattr(counting, "count_waiters", endless)
    for mib in (4, 11.9, 12):
        assert not bot.ended
        bot.used = int(mib * 2**20)
        bot.bound.look()
        begun.wait()
    assert bot.bound._count is not None
    bot.bound.close()
    assert not bot.bound._count.thread.is_alive()
    assert (bot.holds, bot.ended_while_held) == (1, True)


def test_a_bot_is_held_still_for_a_fourth_of_the_time_at_most_whatever_it_needs(bot: Bot) -> None:
    """Others may want the processor that looking at it takes."""
    bot.took = bot.hold_takes = 0.05
    bot.relays = True
    before = bot.now
    for _ in range(100):
        bot.uses(50, 20)
    assert bot.holds * bot.hold_takes <= (bot.now - before) / 4 + bot.hold_takes
    assert bot.holds > 20


@pytest.mark.parametrize("waiters", [MOST_WAITERS, MOST_WAITERS + 1])
def test_processes_that_hand_on_what_they_have_are_counted_while_they_are_held_still(
    waiters: int, bot: Bot
) -> None:
    """Each ends before it is looked at; who has too much is ended before any can go on."""
    bot.relays, bot.waiters = True, waiters
    bot.uses(4, 20)

    assert bot.holds == 1
    assert bot.bound.exceeded == bot.ended == bot.ended_while_held == (waiters > MOST_WAITERS)


def test_no_bot_is_held_still_for_long(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A twentieth of the time at most, and never if its processes stay."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    held = bot._hold

    @contextmanager
    def slow() -> Iterator[bool]:
        with held() as stands_still:
            yield stands_still
            now[0] += 0.05

    bot.bound._hold, bot.relays = slow, True
    for _ in range(100):
        bot.uses(4, 20)
        now[0] += 0.1
    assert 9 <= bot.holds <= 11
    bot.relays = False
    for _ in range(20):
        bot.uses(4, 20)
        now[0] += 1
    assert bot.holds <= 11
    assert not bot.ended


def test_a_bot_whose_count_takes_too_long_has_too_much(bot: Bot) -> None:
    """Names that are very long take the kernel so long."""
    bot.is_slow = True
    bot.uses(4, 20)
    assert (bot.ended, bot.holds) == (True, 0)


def test_descriptors_that_take_long_hide_no_mappings(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot has as many as it may, so that a count comes to nothing in its time."""

    def slow(*_: object) -> int:
        if bot.held:
            raise TooLong
        return 0

    monkeypatch.setattr(counting, "count_waiters", slow)
    for mib, mappings in ((4, 0), (12, MOST_MAPPINGS), (20, MOST_MAPPINGS + 1)):
        assert not bot.ended
        bot.uses(mib, mappings)
    assert (bot.holds, bot.ended_while_held) == (2, True)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_no_bot_is_charged_for_what_we_lack_ourselves(
    number: int, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted anew, whether it runs or not."""

    def look(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(counting, "count_waiters", look)
    bot.uses(4, 20)
    assert not bot.ended
    assert bot.bound._counted_us == -1


@pytest.mark.parametrize(("now", "worked", "is_over"), [(7, 1, False), (8, 0, True), (5, 2, True)])
def test_a_look_has_so_much_time(
    now: int, worked: int, is_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock that it is given, from 5 to 7; and so much work, here 1."""
    clock, own = [5.0], [0.0]
    monkeypatch.setattr("time.thread_time", lambda: own[0])
    tick = within(2, lambda: clock[0], 1)
    tick()
    clock[0], own[0] = now, worked
    with pytest.raises(TooLong) if is_over else nullcontext():
        tick()


def test_a_bot_is_not_ended_for_a_processor_that_others_have(bot: Bot) -> None:
    """Its count is broken off, and done anew; it is held still no longer for that."""
    bot.relays = bot.starves = True
    for _ in range(1500):
        bot.uses(4, 20)
    assert bot.holds > 11
    assert not bot.ended


def test_a_bot_that_takes_long_to_be_counted_while_it_is_held_still_is_ended_in_the_end(
    bot: Bot,
) -> None:
    """It is let go on each time, for others may want the processor; but not without end."""
    bot.relays, held = True, bot._hold

    @contextmanager
    def slow() -> Iterator[bool]:
        with held() as stands_still:
            bot.is_slow = True
            yield stands_still
            bot.is_slow = False
            bot.now += 0.05

    bot.bound._hold = slow
    while bot.holds <= 10:
        assert not bot.ended
        bot.uses(4, 20)  # mostly without a hold: those have to rest
    bot.uses(4, 20)
    assert (bot.ended, bot.bound.exceeded) == (True, True)


@pytest.mark.parametrize("waiters", [MOST_WAITERS, MOST_WAITERS + 1])
def test_what_stands_still_is_counted_though_some_does_not(waiters: int, bot: Bot) -> None:
    """A process that is long in the kernel hides no others; but such a count proves nothing."""
    bot.relays, bot.some_can_be_held, bot.can_be_held, bot.waiters = True, True, False, waiters
    bot.uses(4, 20)
    assert bot.ended is (waiters > MOST_WAITERS)
    assert bot.bound._counted_us == -1


def test_a_bot_that_cannot_be_held_still_is_counted_as_it_runs(bot: Bot) -> None:
    """A process may wait where the kernel cannot stop it, through no doing of its own."""
    bot.relays, bot.can_be_held, bot.waiters = True, False, MOST_WAITERS + 1
    bot.uses(4, 20)
    assert (bot.holds, bot.ended) == (1, False)


def test_waiters_of_a_process_are_counted_until_they_are_too_many() -> None:
    """One for each descriptor; as many as a process may open for one that waits itself."""
    before = count_waiters([os.getpid()], 1 << 20, at_leisure)
    pipes = [os.pipe() for _ in range(10)]
    plain, outer = select.epoll(), select.epoll()
    for source, _ in pipes:
        plain.register(source, select.EPOLLIN)
    assert count_waiters([os.getpid()], 1 << 20, at_leisure) - before == 10
    outer.register(plain.fileno(), select.EPOLLIN)
    assert count_waiters([os.getpid()], 1 << 20, at_leisure) - before == 10 + OPEN_FILES
    assert count_waiters([os.getpid(), os.getpid()], 5, at_leisure) > 5
    assert count_waiters([2**22 + 1], 10, at_leisure) == 0
    plain.close()
    outer.close()
    for pair in pipes:
        for end in pair:
            os.close(end)


@pytest.mark.parametrize("disguise", ["a file", "an event counter"])
def test_an_epoll_is_known_whatever_has_its_number_now(disguise: str) -> None:
    """It goes on to wait in another one when its number is given to something else.

    To the kernel, epolls and event counters are one file: so each of these weighs much, too.
    """
    other = os.eventfd(0) if disguise == "an event counter" else os.open("/dev/null", os.O_RDONLY)
    with select.epoll() as outer, select.epoll() as inner:
        before = count_waiters([os.getpid()], 1 << 20, at_leisure)
        outer.register(inner.fileno(), select.EPOLLIN)
        assert count_waiters([os.getpid()], 1 << 20, at_leisure) - before == OPEN_FILES
        kept = os.dup(inner.fileno())
        os.dup2(other, inner.fileno())
        found = count_waiters([os.getpid()], 1 << 20, at_leisure) - before
        assert found == (64 if disguise == "an event counter" else OPEN_FILES)
        os.close(kept)
    os.close(other)


def test_a_descriptor_that_is_closed_meanwhile_hides_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a bot that opens and closes one all the time would never be counted."""
    before = count_waiters([os.getpid()], 1 << 20, at_leisure)
    pipes = [os.pipe() for _ in range(10)]
    with select.epoll() as poll:
        for source, _ in pipes:
            poll.register(source, select.EPOLLIN)
        look, gone = os.stat, str(pipes[0][1])
        closed = []

        def just_closed(path: str, *, dir_fd: int | None = None) -> os.stat_result:
            if path == gone:
                closed.append(path)
                raise FileNotFoundError(path)
            return look(path, dir_fd=dir_fd)

        monkeypatch.setattr(os, "stat", just_closed)
        found = count_waiters([os.getpid()], 1 << 20, at_leisure)
        monkeypatch.undo()
        assert (found - before, closed) == (10, [gone])
    for pair in pipes:
        for end in pair:
            os.close(end)


def test_they_are_counted_only_when_there_can_be_more(bot: Bot) -> None:
    """When the kernel's memory has grown since the last count; what it gives back counts anew."""
    for kib in (100, 225, 275, 375, 500, 540, 125, 350, 400):
        bot.uses(kib / 1024, 100)
    assert bot.counts == 3


def test_where_the_kernel_needs_much_they_are_counted_at_each_look(bot: Bot) -> None:
    """Else a bot could give back as much for other things as new waiters take."""
    for _ in range(5):
        bot.uses(3, 100)
    assert bot.counts >= 5


def test_where_they_cannot_be_counted_the_kernels_memory_is_bound(bot: Bot) -> None:
    """As in a container that is another user's, even if some of its processes are ours."""
    bot.hidden = True
    ended = []
    for mib in (31, 40):
        bot.uses(mib, 20)
        ended.append(bot.ended)
    assert ended == [False, True]


def test_a_bot_whose_mappings_stay_locked_is_ended(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a second in which it runs; no look waits for the lock."""
    looks_until_the_end = _looks_at_locked_mappings(bot, monkeypatch, ran_us=100_000)
    assert looks_until_the_end == 11  # the first begins to count


def test_a_bot_that_others_keep_from_its_core_is_not_charged_for_its_lock(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that kept a core for two seconds had an honest bot charged that was in a call there."""
    assert _looks_at_locked_mappings(bot, monkeypatch, ran_us=1_000) > 100


def test_a_bot_that_keeps_its_lock_asleep_is_ended_in_the_end(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though we know of none."""
    assert _looks_at_locked_mappings(bot, monkeypatch, ran_us=0) == 201


def _looks_at_locked_mappings(bot: Bot, monkeypatch: pytest.MonkeyPatch, *, ran_us: int) -> int:
    """How many looks end a bot that keeps its mappings locked, and runs so long between two."""
    unlocked = threading.Event()

    def locked(*_: object) -> tuple[int, bool]:
        unlocked.wait()
        return 1, False

    monkeypatch.setattr(counting, "count_mappings", locked)
    monkeypatch.setattr(mapping_bound, "is_blocked", lambda _: True)  # an event is no kernel's lock
    bot.used = 8 << 20
    looks = 0
    while not bot.ended:
        bot.ran_us += ran_us
        bot.bound.look()
        looks += 1
    unlocked.set()
    assert bot.bound.exceeded
    return looks


def test_a_count_that_waits_for_us_ends_no_bot(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts sleeps when it is done; our thread takes that in when it has a processor."""
    taken_in = threading.Event()

    def counts(*_: object) -> tuple[int, bool]:
        taken_in.wait()
        return 1, False

    monkeypatch.setattr(counting, "count_mappings", counts)
    bot.used = 8 << 20
    bot.bound.look()
    assert bot.bound._count is not None
    worker = bot.bound._count.counter
    while not (worker.worker and procfs._state_of(worker.worker) == b"S"):
        bot.bound._count.thread.join(0.001)
    for _ in range(50):
        bot.bound.look()
    taken_in.set()
    assert not bot.ended


def test_a_bot_that_has_ended_by_itself_has_no_mappings(bot: Bot) -> None:
    """Whatever the kernel still holds for it: files in its /tmp, say."""
    bot.uses(200, 0)
    assert (bot.ended, bot.bound.exceeded) == (False, False)


def test_mappings_of_a_process_are_counted_until_they_are_too_many() -> None:
    """Those of a process that is gone are none."""
    before, hidden = count_mappings([os.getpid()], 1 << 20, at_leisure)
    with Path(__file__).open("rb") as file:
        kept = [
            mmap.mmap(file.fileno(), 1, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)
            for _ in range(500)
        ]
    after, _ = count_mappings([os.getpid()], 1 << 20, at_leisure)
    assert 400 < after - before < 600  # the interpreter lets go of some of its own meanwhile
    assert not hidden
    assert count_mappings([os.getpid(), os.getpid()], 10, at_leisure)[0] > 10
    assert count_mappings([2**22 + 1], 10, at_leisure) == (0, False)
    del kept
