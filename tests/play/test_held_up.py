"""Time that others took from a bot: how it is counted, and which bot pays for it."""

import os
import select
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import chain, count, repeat
from typing import Final

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from protocol.connection import Connection
from referee.errors import Unstoppable
from referee.match.leg import Ask
from referee.match.verdict import Blame, FaultCode, Freeze, Mishap, Verdict
from referee.play.evidence import Heard
from referee.play.held_up import HeldUp
from referee.play.last_seen import LastSeen
from referee.play.off_turn import OFF_TURN_US, OffTurn
from referee.play.off_turn_table import OffTurnTable
from referee.play.seat import Seat
from referee.play.waiting import Wait
from referee.sandbox import BotProcess, run_delay
from referee.sandbox.procfs import is_running
from referee.sandbox.run_delay import Reading, Thread, Waits, read
from referee.sandbox.watchdog import WATCHDOG
from support.drive import HELLO
from support.fake_process import FakeProcess
from support.fake_process import asked as hello
from support.fuzz import Puppet

ALLOWANCE_US: Final = 50_000
READY: Final = b'{"type":"ready","protocol":1,"name":"x"}\n'
MS: Final = 1_000_000
"""In nanoseconds, as the kernel counts."""


def reading(
    *threads: tuple[int, int],
    more_ms: int = 0,
    at: int = 200,
    slept: int = 1,
    is_ready: bool = True,
) -> Reading:
    """Threads that have run and waited for so many milliseconds; others ran for some more."""
    ran = sum(times[0] for times in threads) + more_ms
    found = {
        number: Thread(one * MS, two * MS, slept, is_ready)
        for number, (one, two) in enumerate(threads)
    }
    return Reading(at * MS, ran * 1000, found)


counts = st.builds(Thread, st.integers(0, 90), st.integers(0, 90), st.integers(0, 2), st.booleans())

NOTHING: Final = reading((0, 0), (0, 0), at=0, slept=0)
CASES: Final = {
    "it had the core to itself": (reading((100, 0)), 0),
    "others had the core for a while": (reading((100, 40)), 40),
    "its own two threads took turns": (reading((50, 50), (50, 50)), 0),
    "they took turns, and others came between": (reading((50, 80), (50, 80)), 30),
    "a helper slept, and others came between": (reading((100, 40), (0, 0)), 40),
    "its children, gone since, took turns with it": (reading((10, 90), more_ms=90), 0),
    "a thread that is new was kept waiting": (reading((0, 0), (0, 0), (10, 20)), 20),
    "it slept": (reading((0, 0)), 0),
    "no thread is left": (reading(more_ms=5), 0),
    "it has not run, and its wait is not over": (reading((0, 0), slept=0), 200),
    "it has run, and its last wait is not over": (reading((100, 40), slept=0), 40),
    "it slept all the time": (reading((0, 0), slept=0, is_ready=False), 0),
    "neither of two of its own has run": (reading((0, 0), (0, 0), slept=0), 200),
}


@pytest.mark.parametrize("case", CASES)
def test_only_what_others_ran_while_it_waited_counts(case: str) -> None:
    """Waiting for processes of its own gains a bot nothing, however many it has."""
    after, expected_ms = CASES[case]
    assert held_up_us(NOTHING, after) == expected_ms * 1000


def held_up_us(first: Reading, *later: Reading) -> int:
    """How long it was, by readings one after the other."""
    waits = Waits(first)
    for one in later:
        waits.add(one)
    return waits.held_up_us()


def threads(at: int, **waited_ms: int) -> Reading:
    """Threads that sleep, by number, and have waited for so long in their lives."""
    found = {
        int(number[1:]): Thread(0, waited * MS, slept=at) for number, waited in waited_ms.items()
    }
    return Reading(at * MS, 0, found)


def test_what_threads_waited_before_does_not_count() -> None:
    """Neither where older ones end, so that they are looked at, nor by `execve` in a thread.

    Each such trick wins the time between two readings at most, and that before, where the thread
    whose place is taken was ready in between; a second one, by another thread, does not add to it.
    """
    begin = threads(0, t1=0, t2=5000)
    assert held_up_us(begin, threads(100, t2=5000, t33=6700)) == 0
    assert held_up_us(begin, threads(100, t1=6700, t2=5000)) == 100_000
    assert held_up_us(begin, threads(100, t1=6700), threads(200, t1=6700, t2=9000)) == 100_000
    in_between = Reading(100 * MS, 0, {1: Thread(0, 0, slept=1, is_ready=True)})
    assert held_up_us(begin, in_between, threads(200, t1=6700)) == 200_000
    assert held_up_us(begin, in_between, threads(200, t1=6700), threads(300, t1=9900)) == 300_000
    readings = [threads(100 * at, **{f"t{at}": 100 * at}) for at in range(1, 9)]
    assert held_up_us(begin, *readings) == 0
    assert held_up_us(begin, threads(100, t33=100), threads(200, t33=100, t34=150)) == 100_000


@given(st.lists(st.tuples(st.integers(0, 50), st.dictionaries(st.integers(0, 3), counts))))
def test_others_keep_a_bot_for_no_longer_than_that_takes(
    later: list[tuple[int, dict[int, Thread]]],
) -> None:
    """Whatever the kernel counts, and whichever thread that is of."""
    at, readings = 0, [Reading(0, 0, {})]
    for spent, found in later:
        at += spent
        readings.append(Reading(at, 0, found))

    assert held_up_us(*readings) * 1000 <= at


def test_a_wait_is_the_same_in_one_reading_or_in_many() -> None:
    """It is counted when it is over, and known before: the thread was ready and did not run."""
    begin = reading((10, 0), at=0, slept=1)
    under_way = [reading((10, 0), at=at, slept=1) for at in (50, 100, 150)]
    over = reading((10, 170), at=200, slept=2)

    assert held_up_us(begin, under_way[-1]) == 150_000
    assert held_up_us(begin, *under_way) == 150_000
    assert held_up_us(begin, over) == held_up_us(begin, *under_way, over) == 170_000


def test_a_wait_that_looks_come_into_is_counted_as_a_whole() -> None:
    """Each look cut off what of it was before: 10 ms an act where a daemon kept the core busy."""
    begin = reading((0, 0), at=0)
    in_a_wait = [reading((4 * at, 6 * (at - 1)), at=10 * at) for at in (1, 2, 3)]
    assert held_up_us(begin, *in_a_wait, reading((15, 18), at=33)) == 18_000
    asleep_first = reading((4, 0), at=10, is_ready=False)
    assert held_up_us(begin, asleep_first, reading((8, 12), at=20)) == 6_000


@pytest.mark.parametrize("ran_ns", [1, 20 * MS])
def test_the_sleep_of_a_thread_whose_place_another_has_taken_is_no_wait(ran_ns: int) -> None:
    """One that calls `execve` comes in the place of the first, ready as that was before it slept.

    Such a bot saw to it that it had slept as often: each deal that it wished was void, uncharged.
    """
    begin = Reading(0, 0, {1: Thread(30 * MS, 5 * MS, slept=12, is_ready=True)})
    in_its_place = Thread(30 * MS + ran_ns, 5 * MS, slept=12, is_ready=True)
    assert held_up_us(begin, Reading(300 * MS, ran_ns // 1000, {1: in_its_place})) == 0


def test_the_kernel_counts_for_this_process() -> None:
    """Its own threads are found, and what they have run."""
    puppet = Puppet()
    puppet.threads = lambda: (os.getpid(), 1 << 30)  # type: ignore[method-assign]  # one of ours, one gone
    found = read(puppet)
    puppet.release()

    assert set(found.threads) == {os.getpid()}
    assert found.threads[os.getpid()].ran > 0


class Busy(Puppet):
    """A bot whose kernel counters are what the test says."""

    works = False
    waited_us = 0
    froze = thawed = 0
    killed = False
    alone = True

    def cpu_us(self) -> int:
        """All the time in which it did not wait, where it works: no lag of ours is an excuse."""
        if not self.works:
            return self.worked_us
        return int(time.perf_counter() * 1e6) - Busy.waited_us

    def counts_all(self) -> bool:
        """Unless it has processes that are not counted."""
        return self.alone

    def threads(self) -> tuple[int, ...]:
        """One of no process."""
        return (1 << 30,)

    def freeze(self, *, for_now: bool = False) -> None:
        """Count."""
        self.froze += 1

    def thaw(self) -> None:
        """Likewise."""
        self.thawed += 1

    def is_stopped(self) -> bool:
        """What it does in the kernel goes on."""
        return False

    def kill(self) -> None:
        """Remember."""
        self.killed = True
        super().kill()


def waits(monkeypatch: pytest.MonkeyPatch, *all_ms: int) -> None:
    """From now on the kernel says, from look to look, that the bot has waited so long; then 1 s."""
    readings = chain(all_ms, count(1000, 1000))
    monkeypatch.setattr(Busy, "waited_us", 0)

    def read_on(_: BotProcess) -> Reading:
        waited = next(readings) * MS
        Busy.waited_us = waited // 1000
        return Reading(waited, 0, {1: Thread(0, waited)})

    monkeypatch.setattr("referee.play.held_up.read", read_on)


async def silent(bot: Busy, *others: Seat) -> Mishap | Verdict:
    """What comes of a question that is never answered, by a bot that works all the time."""
    bot.works = True
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    found = await Seat(0, bot, seats=others).ask(ask)
    assert isinstance(found, Mishap | Verdict)
    return found


async def asked_while(
    works: Callable[[], Awaitable[None]], mover: Busy, other: Seat
) -> tuple[Heard | Verdict | Mishap, float]:
    """What comes of a question while another bot works, and after how many microseconds."""
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    begun = time.perf_counter()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(works)
        found = await Seat(0, mover, seats=(other,)).ask(ask)
        took_us = (time.perf_counter() - begun) * 1e6
        nursery.cancel_scope.cancel()
    return found, took_us


@pytest.fixture(autouse=True)
def we_use_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What our own thread uses is real, whereas the clock of these tests is not."""
    monkeypatch.setattr("time.thread_time_ns", lambda: 0)


@pytest.fixture
def bots() -> Iterator[tuple[Busy, Busy]]:
    """One that is to move, and another."""
    both = (Busy(), Busy())
    yield both
    for bot in both:
        bot.release()


async def test_a_deadline_is_put_off_by_what_others_took(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has as much longer as it was kept waiting, and is late then; the wait is not charged."""
    waits(monkeypatch, 0, 30, *[30] * 9)
    begun = time.perf_counter()
    found = await silent(bots[0])
    took_us = (time.perf_counter() - begun) * 1e6

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert took_us >= ALLOWANCE_US + 30_000
    assert found.evidence.receipt is not None
    assert found.evidence.receipt.complete <= took_us - 30_000


@pytest.mark.parametrize(
    ("threads", "freeze"), [(3, Freeze.NEVER), (0, Freeze.ALWAYS), (0, Freeze.NEVER)]
)
async def test_what_others_use_meanwhile_is_not_charged(
    threads: int,
    freeze: Freeze,
    bots: tuple[Busy, Busy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever its threads tell: here of 60 ms 20 each, which hand work to each other, or nothing,
    since processes waited that have ended. One that may work is made to rest then: else a friend
    would win it time to sleep without end.
    """
    mover, worker = bots
    other = Seat(0, worker, freeze)
    other.receipt(0, 0, 0, 0)  # its own act is over
    looks = count()

    def read_on(_: BotProcess) -> Reading:
        turn = min(next(looks), 1)
        return reading(*[(15 * turn, 20 * turn)] * threads, at=200 * turn, slept=turn)

    monkeypatch.setattr("referee.play.held_up.read", read_on)
    monkeypatch.setattr(mover, "cpu_us", lambda: 0)

    async def works() -> None:
        await trio.sleep(ALLOWANCE_US / 2e6)
        worker.worked_us += 60_000

    found, took_us = await asked_while(works, mover, other)

    assert isinstance(found, Verdict)
    assert took_us >= ALLOWANCE_US + 60_000
    assert found.evidence.receipt is not None
    assert found.evidence.receipt.complete <= took_us - 60_000
    assert worker.froze == (freeze is Freeze.NEVER)


async def test_a_friend_that_may_work_wins_time_to_sleep_once(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As much as it had used when the time was over: then it rests until its own act."""
    mover, worker = bots
    other = Seat(0, worker, Freeze.NEVER)
    other.receipt(0, 0, 0, 0)  # its own act is over
    monkeypatch.setattr(mover, "cpu_us", lambda: 0)

    async def works() -> None:
        for _ in range(100):
            await trio.sleep(0.005)
            worker.worked_us += 5000 * (not worker.froze)

    found, took_us = await asked_while(works, mover, other)

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert worker.froze == 1
    assert took_us >= ALLOWANCE_US + worker.worked_us
    assert worker.worked_us <= took_us / 2


def test_a_bot_has_its_time_however_much_one_that_is_gone_has_taken_at_once(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long again as it is waited for at most, not what is left of that: here nothing."""
    monkeypatch.setattr("referee.play.held_up.read", lambda _: reading())
    held_up = HeldUp(bots[0], ALLOWANCE_US, 0, 0)
    held_up.begin(0)
    held_up.share(40 * ALLOWANCE_US, 0, 0)
    held_up.us()
    assert held_up.is_too_long()
    held_up.wait_longer()
    assert not held_up.is_too_long()


def test_what_a_bot_has_used_is_counted_once_when_it_turns_out_that_it_might_not(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what put the deadline off by 60 ms would do so by twice as much."""
    looks = count()

    def read_on(_: BotProcess) -> Reading:
        turn = min(next(looks), 1)
        return reading(*[(20 * turn, 20 * turn)] * 10, at=700 * turn, slept=turn)

    monkeypatch.setattr("referee.play.held_up.read", read_on)
    held_up = HeldUp(bots[0], ALLOWANCE_US, 0, 0)
    held_up.begin(0)
    for stopped_us, free_us in ((0, 60_000), (60_000, 0)):
        held_up.share(stopped_us, free_us, 0)
        assert held_up.us() == 60_000


@pytest.mark.parametrize(
    ("used_ms", "threads", "put_off_ms"),
    [(60, 15, 60), (5 * ALLOWANCE_US // 1000, 15, 5 * ALLOWANCE_US // 1000), (60, 0, 0)],
)
async def test_what_threads_of_ours_use_meanwhile_is_not_charged(
    used_ms: int,
    threads: int,
    put_off_ms: int,
    bots: tuple[Busy, Busy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They look at what another bot has, and the threads of this one may wait for that: here 15
    that hand work to each other, of 300 ms 20 each. If they do not, it is no time of theirs: a bot
    slept for four seconds at a clock of 40 ms while seven friends of it were looked at.

    Or they look at what it has itself: so they void nothing, however much it is. One that was
    silent while its own descriptors were counted had each deal void at that clock, uncharged.
    """
    begun = time.perf_counter()
    seat, seen, looks = Seat(0, bots[0]), LastSeen(), count()

    def ours_us() -> int:
        return used_ms * 1000 if time.perf_counter() - begun > ALLOWANCE_US / 2e6 else 0

    def read_on(_: BotProcess) -> Reading:
        turn = min(next(looks), 1)
        return reading(*[(20 * turn, 20 * turn)] * threads, at=700 * turn, slept=turn)

    monkeypatch.setattr("referee.play.held_up.read", read_on)
    monkeypatch.setattr(seen, "ours_us", ours_us)
    monkeypatch.setattr(bots[0], "cpu_us", lambda: 0)
    monkeypatch.setattr(bots[0], "counts_all", lambda: True)
    seat.last_seen = seen
    connection = Connection()
    found = await seat.ask(Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection))
    took_us = (time.perf_counter() - begun) * 1e6

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert took_us >= ALLOWANCE_US + put_off_ms * 1000
    assert put_off_ms or took_us < ALLOWANCE_US + used_ms * 1000


@pytest.mark.parametrize(("ours_ms", "is_excused"), [(0, True), (70, True), (80, False)])
def test_lateness_of_ours_excuses_nothing_if_we_were_at_work_for_a_bot(
    ours_ms: int, is_excused: bool, bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A quarter of its time has to be the machine's: of 200 ms here, we were late by 120."""
    seat, seen = Seat(0, bots[0]), LastSeen()
    monkeypatch.setattr(seen, "ours_us", lambda: ours_ms * 1000)
    monkeypatch.setattr(bots[0], "cpu_us", lambda: 0)
    seat.last_seen = seen
    seat.lag_us = 120_000
    found = seat.excuse(seat.receipt(0, 200_000, 200_000, 0), 200_000)

    assert (found is not None) is is_excused


async def test_a_bot_that_never_has_the_processor_is_not_waited_for_without_end(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no other bot is at work it is the host's doing, which costs no bot anything."""
    waits(monkeypatch, 0)
    found = await silent(bots[0], Seat(0, bots[1]))

    assert isinstance(found, Mishap)
    assert found.family is Blame.HOST
    assert "others had the processor" in found.detail
    assert not bots[1].killed


async def test_a_crowd_is_late_by_itself(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty processes with a timer each voided every deal: none but the kernel was at work."""
    waits(monkeypatch, 0)
    monkeypatch.setattr("referee.play.silence.is_running", bool)
    monkeypatch.setattr(bots[0], "threads", lambda: range(1 << 29, (1 << 29) + 60))
    used_us = chain([0], repeat(ALLOWANCE_US // 4))  # so much that no lag of ours is an excuse
    monkeypatch.setattr(bots[0], "cpu_us", lambda: next(used_us))
    found = await silent(bots[0])

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE


async def test_a_bot_with_uncounted_processes_is_late_by_itself(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it waits for may be its own: so it can neither put off its deadline nor void a deal."""
    waits(monkeypatch, 0)
    bots[0].alone = False
    found = await silent(bots[0])

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE


async def test_the_bot_that_works_off_turn_is_charged_for_what_another_lost(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended, the other has its time, and the charge is made at its own next act."""
    waits(monkeypatch, 0)
    monkeypatch.setattr("referee.play.off_turn.is_running", bool)
    monkeypatch.setattr("referee.play.off_turn_table._LEAST_LOOKS", 1)
    other = Seat(0, bots[1])
    await silent(bots[0], other)
    connection = Connection()
    charged = await other.ask(Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection))

    assert bots[1].killed
    assert isinstance(charged, Verdict)
    assert charged.code is FaultCode.LATE
    assert "it kept another bot from running for 200 ms" in charged.detail


async def test_what_we_used_ourselves_is_no_part_of_what_a_bot_is_charged_with(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has to have taken half of what others took; our share would hide that."""
    asked_us = list[int]()
    make_room = OffTurnTable.make_room

    def noted(table: OffTurnTable, held_up_us: int) -> bool:
        asked_us.append(held_up_us)
        return make_room(table, held_up_us)

    monkeypatch.setattr(OffTurnTable, "make_room", noted)
    found = list[list[int]]()
    for each_ns in (0, 3_000_000):
        waits(monkeypatch, 0)
        monkeypatch.setattr("time.thread_time_ns", count(0, each_ns).__next__)
        asked_us.clear()
        await silent(bots[0], Seat(0, bots[1]))
        found.append(list(asked_us))
    assert found[0]
    assert found[0] == found[1]


async def kept_from_running(
    bots: tuple[Busy, Busy], freeze: Freeze, monkeypatch: pytest.MonkeyPatch
) -> Seat:
    """The seat of a bot that used 100 ms at the turn of another one, which did not answer."""
    waits(monkeypatch, 0)
    other = Seat(0, bots[1], freeze)
    other.off_turn.begin()
    bots[1].worked_us += 100_000
    await silent(bots[0], other)
    return other


async def test_a_bot_that_kept_the_core_is_charged_by_what_it_used(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """We could not look meanwhile; the other has its time, and no deal is void."""
    other = await kept_from_running(bots, Freeze.ALWAYS, monkeypatch)
    connection = Connection()
    charged = await other.ask(Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection))

    assert bots[1].killed
    assert isinstance(charged, Verdict)
    assert "it used 100 ms of the processor off turn" in charged.detail


async def test_a_bot_that_may_work_off_turn_is_stopped_before_it_is_charged(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only until its next act: the organiser has let all work, and there are too few cores."""
    other = await kept_from_running(bots, Freeze.NEVER, monkeypatch)

    assert not other.off_turn.charge
    assert bots[1].froze == 1
    other.off_turn.end(0)
    assert bots[1].thawed == 1


async def test_no_other_bot_wins_it_time_to_work(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken off is never more than in which it did not run itself."""
    waits(monkeypatch, 0, 300, *[300] * 9)
    monkeypatch.setattr(bots[0], "cpu_us", lambda: int(time.perf_counter() * 1e6))
    begun = time.perf_counter()
    found = await silent(bots[0])

    assert isinstance(found, Verdict)
    assert (time.perf_counter() - begun) * 1e6 < ALLOWANCE_US + 150_000


async def test_a_bot_that_was_seen_at_work_a_few_times_only_is_not_charged(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine it may wait for the last of its own act."""
    waits(monkeypatch, 0)
    monkeypatch.setattr("referee.play.off_turn.is_running", bool)
    found = await silent(bots[0], Seat(0, bots[1]))

    assert isinstance(found, Mishap)
    assert not bots[1].killed


async def test_a_bot_that_was_ended_at_its_last_turn_is_charged_when_the_match_ends(
    bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No act of its own comes any more."""
    waits(monkeypatch, 0)
    monkeypatch.setattr("referee.play.off_turn.is_running", bool)
    monkeypatch.setattr("referee.play.off_turn_table._LEAST_LOOKS", 1)
    other = Seat(0, bots[1])
    await silent(bots[0], other)
    monkeypatch.setattr("referee.play.seat.GRACE_S", 0.0)
    await other.say_end(b"", Connection())
    charged = other.judge_end()

    assert charged is not None
    assert charged.code is FaultCode.LATE


async def asked(bot: Busy, answer: bytes, *, at_s: float) -> Heard | Verdict | Mishap:
    """What comes of a question whose answer comes so long after the deadline, which we sleep over.

    We are not woken from 50 ms before the deadline until 30 ms after it.
    """

    async def answers() -> None:
        deadline = time.perf_counter() + ALLOWANCE_US / 1e6
        await trio.sleep(ALLOWANCE_US / 1e6 - 0.05)
        rest_until(deadline + at_s)
        bot.worked_us += 20_000
        os.write(bot.says, answer)
        rest_until(deadline + 0.03)

    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answers)
        return await Seat(0, bot).ask(ask)
    raise AssertionError  # the block is always left above


def rest_until(moment: float) -> None:
    """Keep the thread, as a machine does that gives the processor to others."""
    time.sleep(max(moment - time.perf_counter(), 0))


async def test_an_answer_that_we_came_late_for_counts_as_if_we_had_not(
    bots: tuple[Busy, Busy],
) -> None:
    """The bot sleeps by then, so nothing tells when it came; it was never waited for itself."""
    heard = await asked(bots[0], READY, at_s=0.01)

    assert isinstance(heard, tuple)
    assert heard[1].complete <= ALLOWANCE_US


async def test_who_works_while_we_are_late_is_charged_for_it(bots: tuple[Busy, Busy]) -> None:
    """A bot that keeps us from being woken gains nothing by that."""
    bots[0].works = True
    heard = await asked(bots[0], READY, at_s=0.01)

    assert isinstance(heard, tuple)
    assert heard[1].complete > ALLOWANCE_US


async def test_an_answer_too_long_for_any_match_is_a_fault_then_too(
    bots: tuple[Busy, Busy],
) -> None:
    """Nothing that a bot writes at such a moment is an error of ours."""
    found = await asked(bots[0], b"x" * 40_000, at_s=0.01)

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.OUTPUT


@pytest.mark.parametrize(
    ("writes", "works", "charged"),
    [(READY, False, False), (READY, True, False), (READY[:9], True, True), (b"", True, True)],
)
async def test_how_long_it_takes_to_stop_another_is_not_the_bots_time(
    writes: bytes,
    works: bool,
    charged: bool,
    bots: tuple[Busy, Busy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A daemon that cannot pause a container tries for seconds, many times what an act may take.

    What the bot itself does meanwhile comes after its answer, if that is there when we are back. No
    other wins it time to think.
    """
    mover, worker = bots
    other = Seat(0, worker, Freeze.AUTO)
    other.receipt(0, 0, 0, 0)  # its own act is over
    worker.worked_us = 10 * OFF_TURN_US
    tried = trio.Event()

    def freeze(*, for_now: bool = False) -> None:
        os.write(mover.says, writes)
        time.sleep(10 * ALLOWANCE_US / 1e6)
        worker.worked_us += 1 << 30
        mover.worked_us += 10 * ALLOWANCE_US * works
        tried.set()
        raise Unstoppable("docker: it does not want to")

    async def answers() -> None:
        await tried.wait()
        # of a pipe that is read to its end nothing tells us
        while select.select([mover.stdout], [], [], 0)[0]:  # noqa: ASYNC110  # see above
            await trio.sleep(0.001)
        os.write(mover.says, READY[len(writes) :])

    monkeypatch.setattr(worker, "freeze", freeze)
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answers)
        heard = await Seat(0, mover, seats=(other,)).ask(ask)

    assert isinstance(heard, tuple)
    assert (heard[1].complete > ALLOWANCE_US) is charged
    assert worker.killed


@pytest.mark.parametrize("answers_first", [True, False])
async def test_what_a_bot_does_before_its_answer_is_its_act_however_long_we_are_away(
    answers_first: bool, bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Friends kept us for 0.3 to 4 s, and one thought for as long, charged with 40 us.

    It had its answer there when we were back. But an honest one that has answered may think on.
    """
    mover, worker = bots
    other = Seat(0, worker, Freeze.AUTO)
    other.receipt(0, 0, 0, 0)  # its own act is over
    worker.worked_us = 10 * OFF_TURN_US

    def freeze(*, for_now: bool = False) -> None:
        if answers_first:
            os.write(mover.says, READY)
        for _ in range(10):
            time.sleep(0.05)
            mover.worked_us += 50_000
        if not answers_first:
            os.write(mover.says, READY)

    monkeypatch.setattr(worker, "freeze", freeze)
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    with WATCHDOG.awake():
        heard = await Seat(0, mover, seats=(other,)).ask(ask)

    assert isinstance(heard, tuple)
    assert (heard[1].complete <= ALLOWANCE_US) is answers_first


def test_what_we_and_the_bot_both_lost_counts() -> None:
    """We and the bot share a core: where neither ran, others did."""
    puppet = Puppet()
    held_up = HeldUp(puppet, ALLOWANCE_US, 0, 0)
    held_up.lose(7000)
    held_up.lose(2000)
    puppet.release()

    assert held_up.us() == 9000


def test_all_that_others_took_counts_once_a_bot_has_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before, four times what the act may take: so long is it waited for."""
    waits(monkeypatch, 0, *[3000] * 4)
    monkeypatch.setattr("referee.play.held_up.time.thread_time_ns", lambda: 0)
    puppet = Puppet()
    held_up = HeldUp(puppet, ALLOWANCE_US, 0, 0)
    held_up.begin(0)
    assert held_up.us() == 4 * ALLOWANCE_US
    held_up.answered(0)
    puppet.release()

    assert held_up.us() == 3_000_000


def test_our_own_looks_put_off_no_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes two milliseconds where a bot has many threads, and the bot waits for as long."""
    now = iter(range(1000))

    def read_on(_: BotProcess) -> Reading:
        at = next(now) * 2
        return Reading(at * MS, 0, {1: Thread(0, at * MS)})

    begin = iter(range(0, 1000 * MS, 2 * MS))
    monkeypatch.setattr("referee.play.held_up.read", read_on)
    monkeypatch.setattr("referee.play.held_up.time.thread_time_ns", lambda: next(begin))
    puppet = Puppet()
    held_up = HeldUp(puppet, ALLOWANCE_US, 0, 0)
    held_up.begin(0)
    found = {held_up.us() for _ in range(10)}
    puppet.release()

    assert found == {0}


def test_a_thread_that_runs_is_told_from_one_that_sleeps() -> None:
    """This one runs; a number that no thread has does not."""
    assert is_running(threading.get_native_id())
    assert not is_running(1 << 30)


@pytest.mark.parametrize(
    ("freeze", "used_us", "stopped", "told"),
    [
        (Freeze.AUTO, OFF_TURN_US + 1, True, True),
        (Freeze.AUTO, OFF_TURN_US, False, False),
        (Freeze.NEVER, OFF_TURN_US, False, False),
        (Freeze.NEVER, 10 * OFF_TURN_US, True, False),
    ],
)
async def test_a_bot_that_works_while_another_is_to_move_is_stopped_at_once(
    freeze: Freeze, used_us: int, stopped: bool, told: bool
) -> None:
    """Not only when it is its own turn again; and it is told to the record by `off_turn_us`.

    One that may work is stopped when the other's time is over, here, and that is not told.
    """
    idler, worker = Busy(), Busy()
    other = Seat(0, worker, freeze)
    other.receipt(0, 0, 0, 0)  # its own act is over
    worker.worked_us = used_us
    await silent(idler, other)
    for process in (idler, worker):
        process.release()

    assert worker.froze == stopped
    assert other.off_turn.used_us == (used_us if told else 0)


async def test_a_bot_that_is_not_ready_yet_is_not_stopped() -> None:
    """What a bot uses before `ready` is its own start."""
    idler, starting = Busy(), Busy()
    other = Seat(0, starting, Freeze.AUTO)
    starting.worked_us = 1_000_000
    await silent(idler, other)
    for process in (idler, starting):
        process.release()

    assert not starting.froze


def test_none_of_a_hundred_processes_that_were_stopped_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That would take the core from the bot that is to move."""
    puppet = Puppet()
    monkeypatch.setattr(puppet, "threads", pytest.fail)
    assert not OffTurn(puppet, Freeze.ALWAYS).runs()
    monkeypatch.setattr(puppet, "threads", lambda: (threading.get_native_id(),))
    monkeypatch.setattr(puppet, "is_stopped", lambda: False)
    assert OffTurn(puppet, Freeze.ALWAYS).runs()
    puppet.release()


def test_nothing_is_looked_at_before_it_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An act that is answered quickly costs no look at all."""
    monkeypatch.setattr("referee.play.held_up.read", pytest.fail)
    puppet = Puppet()
    held_up = HeldUp(puppet, ALLOWANCE_US, 0, 0)

    assert held_up.us() == 0
    assert not held_up.is_too_long()
    puppet.release()


def test_what_we_do_after_the_answer_wins_a_bot_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had worked for 103 of 103 ms beside friends that were looked at, and was charged 25."""
    process = FakeProcess()
    readings = chain([reading((0, 0), at=0, slept=0)], repeat(reading((103, 50), at=153)))
    monkeypatch.setattr("referee.play.held_up.read", lambda _: next(readings))
    held_up = HeldUp(process, ALLOWANCE_US, 0, 0)
    held_up.begin(0)
    held_up.answered(0)
    assert held_up.not_charged_us(103_000, 103_000) == 0
    process.release()


def test_what_we_use_while_a_bot_is_held_still_is_left_out_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hold is our work for as long as it lasts; what we use beside it comes on top."""
    process, seen = FakeProcess(), LastSeen()
    seat = Seat(0, process)
    seat.last_seen = seen
    monkeypatch.setattr(seen, "ours_us", lambda: 0)
    looks = count()

    def read_on(_: BotProcess) -> Reading:
        turn = min(next(looks), 1)
        return reading(*[(20 * turn, 20 * turn)] * 15, at=700 * turn, slept=turn)

    monkeypatch.setattr("referee.play.held_up.read", read_on)
    begin = time.perf_counter_ns()
    wait = Wait(seat, hello(), OffTurnTable([]), begin=begin, cpu=0, unsent=b"")
    wait._look()
    monkeypatch.setattr(seen, "ours_us", lambda: 80_000)
    monkeypatch.setattr(process, "held_us", lambda: 50_000)
    wait._add_holds()
    wait._share()
    assert wait._held_up.us() == 80_000
    process.release()


def test_of_many_threads_the_first_and_the_last_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A bot with forty that sleep may do its work in one that is younger."""
    puppet, looked_at = Puppet(), list[int]()
    monkeypatch.setattr(puppet, "threads", lambda: range(100))

    def look(thread: int) -> Thread:
        looked_at.append(thread)
        return Thread(0, 0)

    monkeypatch.setattr(run_delay, "_read_thread", look)
    read(puppet)
    monkeypatch.setattr(puppet, "threads", lambda: range(20))
    read(puppet)
    assert sorted(looked_at[:32]) == [*range(16), *range(84, 100)]
    assert sorted(looked_at[32:]) == [*range(20)]
    puppet.release()


@pytest.mark.parametrize("answers", [True, False])
async def test_what_we_held_a_bot_still_for_is_not_its_time(
    answers: bool, bots: tuple[Busy, Busy], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at what it has; its deadline comes so much later, also while it is held still."""
    bot, held_us = bots[0], 60_000
    bot.works = not answers  # no lag of ours is an excuse then
    begun = time.perf_counter()
    monkeypatch.setattr(
        bot,
        "held_us",
        lambda: int(min(max(time.perf_counter() - begun - 0.04, 0) * 1e6, held_us)),
    )

    async def answer() -> None:
        await trio.sleep((ALLOWANCE_US + held_us / 2) / 1e6)
        os.write(bot.says, READY)

    async with trio.open_nursery() as nursery:
        if answers:
            nursery.start_soon(answer)
        connection = Connection()
        ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
        found = await Seat(0, bot).ask(ask)
    took_us = (time.perf_counter() - begun) * 1e6
    if answers:
        assert isinstance(found, tuple)
        assert found[1].complete <= ALLOWANCE_US
    else:
        assert isinstance(found, Verdict)
        assert took_us >= ALLOWANCE_US + held_us
