"""referee.play.seat: a bot's answers and silences, on a mock clock, with pipes for a process."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import msgspec
import pytest
import trio
from trio.testing import MockClock

from protocol import Connection
from protocol.messages import Answer, Ready
from referee.errors import Unstoppable
from referee.match.leg import Ask
from referee.match.verdict import Blame, FaultCode, Freeze, Mishap, Verdict
from referee.play import exchange, held_up, standstill, waiting
from referee.play.evidence import STDERR_KEPT, Stderr
from referee.play.held_up import HeldUp
from referee.play.last_seen import LastSeen
from referee.play.off_turn import OFF_TURN_US
from referee.play.seat import Seat
from referee.play.standstill import OwnWait
from referee.play.waiting import Wait
from referee.sandbox.core_time import CoreUse
from referee.sandbox.freezer_file import FreezerFile
from referee.sandbox.priority import coming_first
from support.fake_process import READY, FakeProcess, asked


async def test_seconds_of_silence_are_late_and_take_no_time(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """The whole allowance is waited for, on trio's clock; then the silence is explained."""
    verdict = await Seat(0, process).ask(asked())

    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.LATE
    assert verdict.detail == "no answer within 6000 ms; it has not read the question"
    assert 5.9 < trio.current_time() < 6.1


async def test_a_bot_that_waits_for_input_is_asked_whether_it_flushed(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """Nothing unread and asleep in a read: the answer lies in its own buffer."""
    process.waits = True
    verdict = await Seat(0, process).ask(asked())

    assert isinstance(verdict, Verdict)
    assert verdict.detail.endswith("waits for input: did you flush your answer?")


async def test_half_a_line_is_late_however_it_drips(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """The deadline is for the whole line; no byte moves it."""

    async def drip() -> None:
        with suppress(OSError):
            while True:
                await trio.sleep(1)
                os.write(process.says, b" ")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(drip)
        verdict = await Seat(0, process).ask(asked())
        nursery.cancel_scope.cancel()

    assert isinstance(verdict, Verdict)
    assert verdict.detail.endswith("part of a line came: does it end with a newline?")
    assert 5.9 < trio.current_time() < 6.1


async def test_a_late_answer_in_time_is_heard(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """A moment before the six seconds are over is in time."""

    async def answer() -> None:
        await trio.sleep(5.7)
        os.write(process.says, READY)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        heard = await Seat(0, process).ask(asked())

    assert isinstance(heard, tuple)
    assert heard[0] == Ready(1, "x")


async def test_an_answer_that_is_there_at_once_needs_no_clock(process: FakeProcess) -> None:
    """What can be read at once is read at once, and the receipt is in order."""
    os.write(process.says, READY)
    heard = await Seat(0, process).ask(asked())

    assert isinstance(heard, tuple)
    message, receipt = heard
    assert message == Ready(1, "x")
    assert receipt.sent <= receipt.first == receipt.complete


async def test_closing_stdout_is_late_and_ending_is_crashed(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """A closed pipe proves nothing while the process lives; its end does."""
    process.close(process.says)
    verdict = await Seat(0, process).ask(asked())
    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.LATE

    process.end("exit status 0")
    verdict = await Seat(0, process).ask(asked())
    assert isinstance(verdict, Verdict)
    assert (verdict.code, verdict.detail) == (
        FaultCode.CRASHED,
        "the process ended: exit status 0",
    )


async def test_an_answer_written_before_the_end_still_counts(process: FakeProcess) -> None:
    """A process that answers and ends is judged at its next act, not at this one."""
    os.write(process.says, READY)
    process.end("exit status 0")
    heard = await Seat(0, process).ask(asked())

    assert isinstance(heard, tuple)
    assert isinstance(heard[0], Ready | Answer)


async def test_a_bot_that_reads_nothing_cannot_block_us(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """A full pipe is waited for under the same deadline as the answer."""
    with suppress(BlockingIOError):
        while True:
            os.write(process.stdin, b"x" * 65536)
    verdict = await Seat(0, process).ask(asked())

    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.LATE


def test_of_stderr_the_first_and_the_last_are_kept() -> None:
    """However much is written, 16 KiB of each end stay, and no more."""
    stderr = Stderr()
    for number in range(10_000):
        stderr.feed(b"%06d\n" % number)

    assert len(stderr.head) == len(stderr.tail) == STDERR_KEPT
    assert stderr.head.startswith(b"000000\n000001\n")
    assert stderr.tail.endswith(b"009998\n009999\n")


async def answered(seat: Seat, process: FakeProcess) -> None:
    """One question, answered at once."""
    os.write(process.says, READY)
    assert isinstance(await seat.ask(asked()), tuple)
    os.read(process.hears, 65536)


def tick(monkeypatch: pytest.MonkeyPatch, us: int) -> None:
    """From now on every look at the clock is so much later than the one before."""
    monkeypatch.setattr("referee.play.seat.exchange", exchange.plain_exchange)
    monkeypatch.setattr("referee.play.seat.time.perf_counter_ns", count(step=us * 1000).__next__)


async def test_work_between_acts_is_seen_at_the_next_act_and_stopped_from_then_on(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A millisecond is let pass; more, and the process is stopped after each answer."""
    tick(monkeypatch, OFF_TURN_US + 1)
    seat = Seat(0, process, Freeze.AUTO)
    await answered(seat, process)
    process.worked_us += OFF_TURN_US
    await answered(seat, process)
    assert (process.frozen, seat.off_turn.used_us) == (False, 0)
    process.worked_us += OFF_TURN_US + 1
    await answered(seat, process)
    assert (process.frozen, seat.off_turn.used_us) == (True, OFF_TURN_US + 1)
    await answered(seat, process)
    assert process.frozen


async def test_letting_a_bot_go_on_is_not_charged_to_it(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clock begins when it can run."""
    now = count(step=1000)
    seat = Seat(0, process, Freeze.ALWAYS)
    monkeypatch.setattr("referee.play.seat.time.perf_counter_ns", now.__next__)
    monkeypatch.setattr("referee.play.seat.exchange", exchange.plain_exchange)
    monkeypatch.setattr(process, "thaw", lambda: [next(now) for _ in range(10_000)])
    os.write(process.says, READY)
    heard = await seat.ask(asked())

    assert isinstance(heard, tuple)
    assert heard[1].complete < 10


@pytest.mark.parametrize(
    ("freeze", "told"), [(Freeze.ALWAYS, b"THAWED FROZEN"), (Freeze.NEVER, b"THAWED ")]
)
async def test_a_bot_that_a_file_lets_go_on_is_told_its_line_first(
    freeze: Freeze, told: bytes, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that all it does from then on is of its act; one that may run then does after it, too."""
    seat = Seat(0, process, freeze)
    await answered(seat, process)
    if freeze is Freeze.NEVER:
        seat.off_turn.rest()
    reads, file = os.pipe()
    process.file = FreezerFile(file, b"THAWED ", b"FROZEN", -1, b"")
    monkeypatch.setattr(process, "thaw", lambda: pytest.fail("before it has its line"))
    id_ = "f5456eaddc7b0dbc"
    os.write(process.says, f'{{"id":"{id_}","action":"JD"}}\n'.encode())
    found = await seat.ask(msgspec.structs.replace(asked(), id=id_, legal=("JD",)))
    os.close(file)

    assert isinstance(found, Verdict | tuple)
    assert os.read(reads, 20) == told
    os.close(reads)


async def test_a_rest_of_less_than_a_millisecond_is_part_of_the_act_after_it(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In so little time no process uses more than may pass: it is not looked at."""
    tick(monkeypatch, 1)
    seat = Seat(0, process, Freeze.AUTO)
    await answered(seat, process)
    process.worked_us += OFF_TURN_US + 1
    os.write(process.says, READY)
    heard = await seat.ask(asked())

    assert isinstance(heard, tuple)
    assert heard[1].cpu == OFF_TURN_US + 1
    assert not process.frozen


@pytest.mark.parametrize(("freeze", "frozen"), [(Freeze.ALWAYS, True), (Freeze.NEVER, False)])
async def test_always_and_never_are_what_they_say(
    freeze: Freeze, frozen: bool, process: FakeProcess
) -> None:
    """From the first answer on, or whatever it does."""
    seat = Seat(0, process, freeze)
    for _ in range(2):
        await answered(seat, process)
        assert process.frozen is frozen
        process.worked_us += 100_000


@pytest.mark.parametrize(("works", "charged"), [(True, True), (False, False)])
async def test_a_bot_that_works_and_cannot_be_stopped_is_ended_and_charged_at_its_next_act(
    works: bool, charged: bool, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that does not work takes nothing: another one may keep a daemon from stopping it."""

    def refuse(found: FakeProcess, *, for_now: bool = False) -> None:
        if works:
            found.worked_us += 1_000_000
        raise Unstoppable("unable to freeze")

    monkeypatch.setattr(FakeProcess, "freeze", refuse)
    seat = Seat(0, process, Freeze.ALWAYS)
    await answered(seat, process)
    os.write(process.says, READY)
    found = await seat.ask(asked())

    assert isinstance(found, Verdict) is charged
    if isinstance(found, Verdict):
        assert found.code is FaultCode.LATE
        assert "could not be stopped between its acts: unable to freeze" in found.detail


async def test_a_frozen_bot_is_let_go_for_its_farewell(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """It could not leave otherwise."""
    seat = Seat(0, process, Freeze.ALWAYS)
    await answered(seat, process)
    assert process.frozen
    await seat.say_end(b"end", Connection())
    assert not process.frozen


async def test_too_much_memory_comes_before_the_crash_that_it_is(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """The cause is the verdict, not its effect; and a bot that lives on is found at its end."""
    process.bloated = True
    process.end("killed by SIGKILL")
    verdict = await Seat(0, process).ask(asked())
    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.MEMORY
    assert verdict.evidence.exit == "killed by SIGKILL"


async def test_lateness_of_a_machine_that_stood_still_is_no_fault(
    process: FakeProcess, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We were not woken for a quarter of the time and the bot hardly ran; else it is late."""
    seat = Seat(0, process)

    async def silence(lag_us: int, cpu_us: int) -> Verdict | Mishap:
        async def stand_still() -> None:
            await trio.sleep(1)
            seat.lag_us += lag_us
            process.worked_us += cpu_us

        async with trio.open_nursery() as nursery:
            nursery.start_soon(stand_still)
            found = await seat.ask(asked(10_000_000))
        assert not isinstance(found, tuple)
        return found

    mishap = await silence(2_500_000, 1_000_000)
    assert isinstance(mishap, Mishap)
    assert mishap.family is Blame.HOST
    assert mishap.detail.startswith("the host stood still for 2")
    for lag_us, cpu_us in ((1_000_000, 0), (9_000_000, 1_100_000)):
        verdict = await silence(lag_us, cpu_us)
        assert isinstance(verdict, Verdict)
        assert verdict.code is FaultCode.LATE


async def test_a_process_that_the_machine_ended_for_its_memory_is_no_crash(
    process: FakeProcess, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed, not over its own bound, while the kernel ended processes for want of memory."""
    counts = iter((4, 5))
    monkeypatch.setattr(waiting, "killed_for_memory", lambda: next(counts))
    process.end("killed by SIGKILL")
    mishap = await Seat(0, process).ask(asked())

    assert isinstance(mishap, Mishap)
    assert mishap.detail == "the host ran out of memory"


async def test_a_bot_that_takes_its_own_words_back_takes_nothing_of_ours(
    process: FakeProcess, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes may be gone between the news of them and the reading: then there is nothing to hear."""
    really, stolen = os.read, iter((True,))

    def read(descriptor: int, most: int) -> bytes:
        if descriptor == process.stdout and next(stolen, False):
            raise BlockingIOError
        return really(descriptor, most)

    os.write(process.says, b"x")
    monkeypatch.setattr(os, "read", read)
    seat = Seat(0, process)
    await seat.say_end(b"end", Connection())
    verdict = seat.judge_end()
    assert verdict is not None
    assert verdict.code is FaultCode.PROTOCOL


async def test_the_hosts_own_count_decides_where_there_is_one(
    process: FakeProcess, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kills elsewhere on the machine excuse no bot that kills itself."""
    counts = iter((4, 5))
    monkeypatch.setattr(waiting, "killed_for_memory", lambda: next(counts))
    process.host_ended_it = False
    process.end("killed by SIGKILL")
    verdict = await Seat(0, process).ask(asked())
    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.CRASHED


def rests(seconds: float, patch: pytest.MonkeyPatch) -> None:
    """Stand still as a frozen referee does: asleep, while it wants the processor for nothing.

    Nor did it before, whatever else a loaded machine does.
    """
    patch.setattr(standstill, "_counts", dict)
    time.sleep(seconds)


async def rests_often(seconds: float, patch: pytest.MonkeyPatch) -> None:
    """Stand still so long again and again, until it is cancelled."""
    while True:
        await trio.sleep(0.02)
        rests(seconds, patch)


def works(seconds: float, _: pytest.MonkeyPatch) -> None:
    """Be late by work of our own, which is what a flood of bytes makes."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def act() -> Ask:
    return msgspec.structs.replace(asked(ALLOWANCE_US), id="of an act")


ALLOWANCE_US = 1_000_000
STILL_S = 0.4


@pytest.mark.parametrize(("passes", "stood_still"), [(rests, True), (works, False)])
async def test_an_answer_that_came_while_the_referee_stood_still_is_not_charged(
    passes: Callable[[float, pytest.MonkeyPatch], None],
    *,
    stood_still: bool,
    process: FakeProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When it came is not known; what a bot may bring about, work for the referee, excuses none."""

    async def pass_time() -> None:
        await trio.sleep(0.05)
        os.write(process.says, READY)
        passes(STILL_S, monkeypatch)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_time)
        heard = await Seat(0, process).ask(act())

    assert isinstance(heard, tuple)
    assert (heard[1].complete < STILL_S * 1e6) == stood_still


async def test_a_referee_that_stands_still_for_ever_waits_for_no_bot(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after ten seconds of it is not left out: mostly the deal is void then."""
    monkeypatch.setattr(held_up, "_MOST_STOOD_US", 300_000)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(rests_often, 0.15, monkeypatch)
        found = await Seat(0, process).ask(asked(250_000))  # room for a loaded machine's lag
        nursery.cancel_scope.cancel()

    assert isinstance(found, Mishap)
    assert "stood still for" in found.detail


@pytest.fixture(params=["disk", "lock"])
def kept(
    request: pytest.FixtureRequest, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> Seat:
    """A bot that waits for the disk from its question on, or for a lock; its core is idle."""
    seat, begun = Seat(0, process), time.perf_counter_ns()
    seat.last_seen = LastSeen()
    monkeypatch.setattr(process, "threads", lambda: (1,))
    monkeypatch.setattr("referee.play.blocked.is_blocked", lambda _: request.param == "lock")
    monkeypatch.setattr(
        seat.last_seen,
        "core_use",
        lambda: CoreUse(
            0, us := (time.perf_counter_ns() - begun) // 1000, us * (request.param == "disk")
        ),
    )
    return seat


@pytest.mark.parametrize("worked_us", [40_000, 110_000])
async def test_a_wait_for_the_disk_or_a_lock_is_not_charged(
    worked_us: int, process: FakeProcess, kept: Seat
) -> None:
    """Another bot may have had dropped from memory what this one reads; what it works is its own.

    It had a bot late three deals of three, which needs 60 ms of 100. Bots of another match that
    move mappings of libc had one late that forks and needs 65 ms: it was asleep, its core idle.
    """

    async def answer() -> None:
        await trio.sleep(0.15)
        process.worked_us += worked_us
        os.write(process.says, READY)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        heard = await kept.ask(asked(100_000))
    assert isinstance(heard, tuple)
    assert worked_us <= heard[1].complete <= worked_us + 50_000


@pytest.mark.parametrize(("worked_ms", "late_ms"), [(0, 60), (20, 110), (29, 145)])
async def test_a_bot_that_is_kept_by_the_disk_or_a_lock_for_ever_is_late(
    worked_ms: int, late_ms: int, process: FakeProcess, kept: Seat
) -> None:
    """It has its allowance again, or four times what it has worked, to sleep in."""
    begun = time.perf_counter()

    async def work() -> None:
        await trio.sleep(0.005)
        process.worked_us += worked_ms * 1000

    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        verdict = await kept.ask(asked(30_000))
    assert isinstance(verdict, Verdict)
    assert verdict.code is FaultCode.LATE
    assert time.perf_counter() - begun >= late_ms / 1000 - 0.005


@pytest.mark.parametrize("worked", [0.0, 1.0])
@pytest.mark.parametrize("times", [1, 3])
async def test_the_deadline_is_put_off_by_all_in_which_the_referee_stood_still(
    times: int, worked: float, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often, but not by time in which the bot worked: that makes it late."""

    async def pass_time() -> None:
        for _ in range(times):
            await trio.sleep(0.01)
            rests(STILL_S, monkeypatch)
            process.worked_us += int(STILL_S * 1e6 * worked)
        await trio.sleep(0.02)
        os.write(process.says, READY)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_time)
        heard = await Seat(0, process).ask(asked(100_000))

    if worked:
        assert is_late(heard, 100_000)
    else:
        assert isinstance(heard, tuple)
        assert heard[1].complete <= 100_000


async def test_a_silent_bot_is_late_however_often_the_referee_stands_still(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the machine takes is no excuse for what is left: nothing is void by it."""

    async with trio.open_nursery() as nursery:
        nursery.start_soon(rests_often, 0.05, monkeypatch)
        found = await Seat(0, process).ask(asked(100_000))
        nursery.cancel_scope.cancel()

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE


async def test_a_look_that_takes_long_is_no_reason_for_another(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow machine looked for a minute at a bot that spun, and kept it from its core meanwhile:
    each look put the deadline off by what it had taken itself.
    """
    looks = list[float]()

    def share(_: Wait) -> None:
        looks.append(time.perf_counter())
        while time.perf_counter() < looks[-1] + 0.003:
            pass
        assert len(looks) < 20

    monkeypatch.setattr(Wait, "_share", share)
    monkeypatch.setattr(HeldUp, "us", lambda _: 3_000 * len(looks))
    found = await Seat(0, process).ask(asked(100_000))

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE


def is_late(heard: object, allowance_us: int) -> bool:
    """Whether a bot was late: silent at its deadline, or charged with more than it had.

    Where a look at it takes us more than a millisecond, looks put a deadline off by so much that an
    answer may come first; what it is charged with is the same, and the table calls it late.
    """
    if isinstance(heard, Verdict):
        return heard.code is FaultCode.LATE
    assert isinstance(heard, tuple)
    return bool(heard[1].complete > allowance_us)


class Waited(OwnWait):
    """As if we had waited so long for a processor."""

    def __init__(self, us: int) -> None:
        super().__init__()
        self.close()
        self._us = us

    def us(self) -> int:
        """All of it in this act."""
        return self._us


@pytest.mark.parametrize(
    ("waited_ms", "worked_ms", "charged_ms"), [(0, 0, 90), (80, 0, 10), (80, 50, 50), (500, 0, 0)]
)
async def test_our_own_wait_for_a_processor_is_not_the_bots_time(
    waited_ms: int,
    worked_ms: int,
    charged_ms: int,
    process: FakeProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others have it then, as far as the bot itself has not."""
    seat = Seat(0, process)
    seat.own_wait = Waited(waited_ms * 1000)

    def preempted(*_: object) -> exchange.Exchange:
        process.worked_us += worked_ms * 1000
        return 0, len(asked().line), READY, 90_000, 90_000, 90_000, b"", None

    monkeypatch.setattr("referee.play.seat.exchange", preempted)
    heard = await seat.ask(asked())

    assert isinstance(heard, tuple)
    _, receipt = heard
    assert abs(receipt.complete - charged_ms * 1000) <= 1
    assert receipt.sent <= receipt.complete
    assert seat.held_us == max(90 - waited_ms, 0) * 1000


async def test_what_we_waited_for_in_one_act_is_of_no_later_one(process: FakeProcess) -> None:
    """A bot could make us wait, in acts of its own, and have a locked pipe excused by that."""
    seat, begun = Seat(0, process), trio.Event()
    seat.own_wait = Waited(500_000)
    seat.own_wait.begin = begun.set  # type: ignore[method-assign]  # all that is asked of it here

    async def answer() -> None:
        await trio.sleep(0.01)
        os.write(process.says, READY)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        assert isinstance(await seat.ask(asked()), tuple)
    assert begun.is_set()


def test_the_kernel_counts_how_long_we_wait_for_a_processor() -> None:
    """From one question to the next; nothing where it does not count."""
    waits = OwnWait()
    waits.begin()
    assert 0 <= waits.us() < 60_000_000
    waits.close()
    assert waits.us() <= 0


async def test_what_our_looks_take_at_the_deadline_is_no_lag(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot with a hundred processes makes them long, and had its own acts void by it."""

    def look(_: waiting.Wait) -> bool:
        works(0.1, monkeypatch)
        return False

    monkeypatch.setattr(waiting.Wait, "_is_put_off", look)
    monkeypatch.setattr(process, "cpu_us", lambda: time.perf_counter_ns() // 1000)
    begun = time.perf_counter()
    found = await Seat(0, process).ask(asked(50_000))
    took_us = (time.perf_counter() - begun) * 1e6

    assert isinstance(found, Verdict), "it works all the time: being woken late is no excuse"
    assert found.evidence.receipt is not None
    assert found.evidence.receipt.complete <= took_us - 100_000


@pytest.mark.parametrize("answers", [True, False])
async def test_a_standstill_in_the_first_millisecond_is_seen(
    answers: bool,
    process: FakeProcess,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether the answer is there after it or comes later."""
    seat, is_readable = Seat(0, process), exchange._is_readable

    def stood_still(source: int, wait_ms: int) -> bool:
        rests(STILL_S, monkeypatch)
        if answers:
            os.write(process.says, READY)
        return is_readable(source, wait_ms)

    async def answer_later() -> None:
        await trio.sleep(0.05)
        if not answers:
            os.write(process.says, READY)

    monkeypatch.setattr("referee.play.seat.exchange", exchange.plain_exchange)
    monkeypatch.setattr(exchange, "_is_readable", stood_still)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer_later)
        heard = await seat.ask(act())
    assert isinstance(heard, tuple)
    assert heard[1].complete < STILL_S * 1e6


@pytest.mark.parametrize("delay_s", [0.0, 0.05])
@pytest.mark.parametrize("talks", [False, True])
async def test_a_bot_that_holds_the_lock_of_its_pipe_is_charged_for_it(
    delay_s: float, process: FakeProcess, monkeypatch: pytest.MonkeyPatch, *, talks: bool
) -> None:
    """The referee stands still in a call that never waits: that is the bot's doing, no host's."""
    seat, read = Seat(0, process), os.read
    monkeypatch.setattr("referee.play.seat.exchange", exchange.plain_exchange)

    def held(descriptor: int, size: int) -> bytes:
        if descriptor == (process.stderr if talks else process.stdout):
            time.sleep(STILL_S)
        return read(descriptor, size)

    async def answer() -> None:
        await trio.sleep(delay_s)
        if talks:
            os.write(process.warns, b"held")
            await trio.sleep(0.01)
        os.write(process.says, READY)

    monkeypatch.setattr(os, "read", held)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        heard = await seat.ask(act())
    assert isinstance(heard, tuple)
    assert heard[1].complete >= 0.9 * STILL_S * 1e6  # the first look excuses a little
    assert seat.excuse(heard[1], 400_000) is None


async def test_a_bot_does_not_think_on_until_it_is_stopped(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We come before it while its receipt is written, and when we stop it.

    It is read without priority what it writes beside its answer, and came first after it then: one
    of sixty threads won 5 to 17 ms of the processor an act on a busy machine.
    """
    really, seen = waiting.Wait._share, list[int]()

    def noted(wait: waiting.Wait) -> None:
        seen.append(os.sched_getscheduler(0))
        really(wait)

    async def answer() -> None:
        os.write(process.warns, b"why I play this\n")
        await trio.sleep(0.01)
        os.write(process.says, READY)

    def freeze(*, for_now: bool = False) -> None:
        seen.append(os.sched_getscheduler(0))
        process.frozen = True

    monkeypatch.setattr(waiting.Wait, "_share", noted)
    monkeypatch.setattr(process, "freeze", freeze)
    with coming_first():
        as_in_waits = os.sched_getscheduler(0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer)
        assert isinstance(await Seat(0, process, Freeze.ALWAYS).ask(act()), tuple)
    assert seen[-2:] == [as_in_waits] * 2


async def test_no_bot_is_read_at_the_turn_of_another(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So none can keep the referee in a call, by the lock of its pipe, while another's clock runs.

    What it writes meanwhile is read at its own next act that takes long enough, or at its end.
    """
    other, read, was_read = FakeProcess(), os.read, list[int]()

    def noted(descriptor: int, size: int) -> bytes:
        was_read.append(descriptor)
        return read(descriptor, size)

    async def answer(who: FakeProcess) -> None:
        os.write(process.warns, b"meanwhile")
        await trio.sleep(0.05)
        os.write(who.says, READY)

    monkeypatch.setattr(os, "read", noted)
    seat, thinker = Seat(0, process), Seat(1, other)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer, other)
        assert isinstance(await thinker.ask(act()), tuple)
    assert process.stderr not in was_read

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer, process)
        assert isinstance(await seat.ask(act()), tuple)
    assert seat.stderr.head == b"meanwhile" * 2
    other.release()


async def test_a_greeting_is_heard_though_the_referee_waited_for_other_things(
    process: FakeProcess,
) -> None:
    """While one bot starts, the referee may wait for the start of another."""

    async def start_another() -> None:
        await trio.sleep(0.05)
        os.write(process.says, READY)
        time.sleep(STILL_S)  # noqa: ASYNC251  # as a process is started

    async with trio.open_nursery() as nursery:
        nursery.start_soon(start_another)
        heard = await Seat(0, process).ask(asked())
    assert isinstance(heard, tuple)


@pytest.mark.parametrize(
    ("counts", "still_us"),
    [
        ({"1": (1000, 900_000)}, 99_000),
        ({"1": (900_000, 1000)}, 99_000),
        ({"1": (0, 0), "2": (500_000, 400_000)}, 100_000),
        ({"1": (0, 0), "2": (500_000, 490_001)}, 0),
        ({"1": (1000, 0)}, 999_000),
    ],
)
def test_what_others_had_of_the_processor_is_no_standstill(
    counts: dict[str, tuple[int, int]], still_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late we are, nor what our own threads had: who was busy is another question."""
    seen = iter([{"1": (0, 0)}, counts])
    monkeypatch.setattr(standstill, "_counts", lambda: next(seen))
    assert standstill.Standstill().end(1_000_000) == still_us


def test_without_the_kernels_counts_nothing_is_a_standstill(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A kernel that is built without them leaves all as it was."""
    monkeypatch.setattr(standstill, "_THREADS", str(tmp_path / "none"))
    still = standstill.Standstill()
    time.sleep(STILL_S)
    assert still.end(int(STILL_S * 1e6)) == 0
