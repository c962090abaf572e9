"""A bot that works while another is started is stopped; all are where that fails."""

import os
import time
from collections.abc import Callable
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from protocol import Connection
from referee.bots.find import BotSpec
from referee.errors import SandboxError, Unstoppable
from referee.match.verdict import FaultCode, Freeze, Verdict
from referee.play.off_turn import MOST_STOPPED_US, OFF_TURN_US, OffTurn
from referee.play.seat import GRACE_S, Seat
from referee.play.start import launched
from referee.sandbox.bare import Bare, BareProcess
from support.fake_process import READY, FakeProcess, asked
from support.matches import match
from support.sandboxes import bot_that

BOTS = ("sample:first", "sample:first-c")


class Hindered(Bare):
    """A sandbox that does not come up once, while the bot that was launched before works or not."""

    def __init__(self, worked_us: int) -> None:
        """That one is to use so much after it was stopped."""
        super().__init__()
        self._worked_us = worked_us
        self._first: BareProcess | None = None
        self.stopped: list[bool] = []

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent, or not."""
        first = self._first
        if first is None:
            self._first = await super().launch(bot)
            return self._first
        self.stopped.append(first.is_stopped())
        if len(self.stopped) > 1:
            return await super().launch(bot)
        readings = chain([first.cpu_us()] * 2, repeat(first.cpu_us() + self._worked_us))
        # the sandbox makes the process: what the kernel would say of it can be put in here only
        first.cpu_us = readings.__next__  # type: ignore[method-assign]  # see above
        first.is_stopped = count_to(first, 3)  # type: ignore[method-assign]  # see above
        raise SandboxError("the daemon does not answer")


def count_to(process: BareProcess, looks: int) -> Callable[[], bool]:
    """Have it come to a stop only after so many looks."""
    left = chain([False] * looks, repeat(True))
    return lambda: next(left) and BareProcess.is_stopped(process)


@pytest.mark.slow
@pytest.mark.parametrize("freeze", Freeze)
async def test_a_launch_that_fails_is_tried_again_while_all_others_stand_still(
    freeze: Freeze, tmp_path: Path
) -> None:
    """Whenever they may be stopped otherwise, and they go on to play."""
    hindered = Hindered(0)
    path = tmp_path / "record"
    result = await match(path, "briscola-2", *BOTS, deals=2, sandbox=hindered, freeze=freeze)

    assert len(hindered.stopped) == 2
    assert hindered.stopped[1]
    assert result.totals.fault_counts == [0, 0]
    assert (result.totals.deals, result.totals.voids) == (2, [])


@pytest.mark.slow
async def test_a_launch_that_fails_while_a_bot_works_on_is_charged_to_that_bot(
    tmp_path: Path,
) -> None:
    """It was stopped, and used the processor all the same: the other is started without it."""
    hindered = Hindered(MOST_STOPPED_US + OFF_TURN_US)
    result = await match(tmp_path / "record", "briscola-2", *BOTS, deals=1, sandbox=hindered)

    (fault,) = result.totals.faults
    assert (fault.bot, fault.code) == (0, FaultCode.LATE)
    assert "after it was stopped" in fault.detail
    assert result.totals.voids == []


class Lasting(Bare):
    """A sandbox in which the bot that was launched first works while another's end takes its time.

    Attributes:
        seen: whether the first was at rest when each of the others was gone.
    """

    def __init__(self, at: int) -> None:
        """It works from the end of that one on, of those that are ended."""
        super().__init__()
        self._at = at
        self._first: BareProcess | None = None
        self.seen: list[bool] = []

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent."""
        process = await super().launch(bot)
        # the sandbox makes the process: what happens at its end can be put in here only
        process.release = partial(self._release, process, process.release)  # type: ignore[method-assign]  # see above
        self._first = self._first or process
        return process

    def _release(self, process: BareProcess, release: Callable[[], None]) -> None:
        first = self._first
        if first is not None and process is not first:
            if len(self.seen) == self._at:
                readings = count(first.cpu_us(), 2 * OFF_TURN_US)
                first.cpu_us = readings.__next__  # type: ignore[method-assign]  # likewise
            until = time.monotonic() + 5 * (len(self.seen) >= self._at)
            while not (at_rest := first.is_stopped()) and time.monotonic() < until:
                time.sleep(0.001)
            self.seen.append(at_rest)
        release()


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 3])
async def test_while_a_bot_is_ended_none_has_time_to_think(at: int, tmp_path: Path) -> None:
    """Its files can take ten seconds to drop: a friend once thought for 3.3 of them, uncharged.

    Here one process is at fault three times, with which the other of that bot is benched, too.
    """
    sandbox = Lasting(at)
    faulty = bot_that(tmp_path / "bot", 'message["view"]["seat"] == 3 and os._exit(1)')
    result = await match(
        tmp_path / "record", "briscola-4", "sample:first", faulty, deals=4, sandbox=sandbox
    )
    assert result.totals.fault_counts == [0, 3]
    assert sandbox.seen == [False] * at + [True] * (5 - at)


class Slow(Bare):
    """A sandbox that takes a second for a launch, after which `meanwhile` is known."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        """Begin with none."""
        super().__init__()
        self._meanwhile = meanwhile

    async def launch(self, bot: BotSpec) -> BareProcess:
        """Fails in the end."""
        await trio.sleep(1)
        self._meanwhile()
        raise SandboxError("it takes long")


@pytest.mark.parametrize("works", [True, False])
async def test_a_bot_that_works_while_another_is_started_is_stopped(
    works: bool, process: FakeProcess, autojump_clock: MockClock
) -> None:
    """One that waits is let be: to be stopped ends its wait, which not every program expects."""
    seat = Seat(0, process, Freeze.AUTO)
    await ready(seat, process)
    process.worked_us += 2 * OFF_TURN_US * works
    seen: list[bool] = []
    sandbox = Slow(lambda: seen.append(process.frozen))
    bot = BotSpec("x", ("true",), "/", "", "x")
    with pytest.raises(SandboxError, match="it takes long"):
        await launched(bot, sandbox, [seat.off_turn])

    assert seen == [works]


class BrokenOff(Bare):
    """A sandbox in which a launch is over at the very moment at which it is broken off."""

    def __init__(self, scope: trio.CancelScope) -> None:
        """What is launched then is `launched`."""
        super().__init__()
        self._scope = scope
        self.launched: BareProcess | None = None

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent."""
        self.launched = await super().launch(bot)
        self._scope.cancel()
        return self.launched


@pytest.mark.slow
async def test_a_bot_that_comes_when_its_start_is_broken_off_is_ended(process: FakeProcess) -> None:
    """No seat has it, so nothing else would end it."""
    with trio.CancelScope() as scope:
        sandbox = BrokenOff(scope)
        bot = BotSpec("x", ("sleep", "60"), "/", "", "x")
        await launched(bot, sandbox, [Seat(0, process).off_turn])

    assert scope.cancelled_caught
    assert sandbox.launched is not None
    assert sandbox.launched.status() == "killed by SIGKILL"


async def ready(seat: Seat, process: FakeProcess) -> None:
    """Have it answer, in whatever time."""
    os.write(process.says, READY)
    assert isinstance(await seat.ask(asked()), tuple)


def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on enough time passes between acts that a bot can have used much."""
    begin = time.perf_counter_ns
    monkeypatch.setattr("referee.play.seat.time.perf_counter_ns", lambda: begin() + 10**10)


@pytest.mark.parametrize(("used_us", "charged"), [(MOST_STOPPED_US, False), (2**30, True)])
async def test_a_stopped_bot_that_works_on_is_charged_at_its_next_act(
    used_us: int, charged: bool, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had begun in the kernel goes on, which nothing can stop."""
    seat = Seat(0, process, Freeze.ALWAYS)
    await ready(seat, process)
    process.worked_us += used_us
    later(monkeypatch)
    os.write(process.says, READY)
    found = await seat.ask(asked())

    assert isinstance(found, Verdict) is charged
    assert bool(process.ended) is charged


@pytest.mark.parametrize(("deals", "charged"), [(1, True), (2, False)])
async def test_what_a_stopped_bot_uses_is_added_up_over_a_deal(
    deals: int, charged: bool, process: FakeProcess
) -> None:
    """A little after each act is as much; what it uses in its own acts is its own."""
    seat = Seat(0, process, Freeze.ALWAYS)
    await ready(seat, process)
    for act in range(4):
        if act == 2 and deals == 2:
            seat.off_turn.begin_deal()
        process.worked_us += MOST_STOPPED_US // 4 + 1
        seat.off_turn.check()
        os.write(process.says, READY)
        await seat.ask(asked())
        process.worked_us += 10 * MOST_STOPPED_US
        seat.off_turn.begin()

    assert bool(seat.off_turn.charge) is charged


@pytest.mark.parametrize("slow", [FakeProcess.freeze, FakeProcess.thaw])
async def test_what_a_bot_does_while_a_daemon_stops_it_or_lets_it_go_on_is_not_held_against_it(
    slow: Callable[..., None], process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An honest one of 16 threads that think on was ended for 507 ms in a deal of 20 acts."""

    def lasts(found: FakeProcess, **words: bool) -> None:
        now_ns[0] += 15_000_000
        found.worked_us += 15_000
        slow(found, **words)

    now_ns = [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    monkeypatch.setattr(FakeProcess, slow.__name__, lasts)
    bot = OffTurn(process, Freeze.ALWAYS)
    for _ in range(2 * MOST_STOPPED_US // 15_000):
        bot.begin()
        bot.stop()
        now_ns[0] += 10_000_000
        bot.end(now_ns[0])
    assert not bot.charge


async def test_a_bot_that_could_not_be_stopped_is_not_charged_as_if_it_had_been(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one kept the daemon from it; what this one thinks meanwhile takes nothing."""

    def refuse(_: FakeProcess, *, for_now: bool = False) -> None:
        raise Unstoppable("the daemon does not answer")

    monkeypatch.setattr(FakeProcess, "freeze", refuse)
    seat = Seat(0, process, Freeze.ALWAYS)
    await ready(seat, process)
    process.worked_us += 2**30
    later(monkeypatch)
    await ready(seat, process)
    assert not seat.off_turn.charge


async def test_a_bot_that_worked_before_it_was_stopped_is_not_charged(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even for minutes, while the referee was stopped, or kept from looking."""
    seat = Seat(0, process, Freeze.AUTO)
    await ready(seat, process)
    process.worked_us += 2**30
    seat.off_turn.check()
    assert process.frozen
    seat.off_turn.check()
    later(monkeypatch)
    await ready(seat, process)
    assert not seat.off_turn.charge


async def test_a_bot_rests_until_it_is_asked_or_goes_on(process: FakeProcess) -> None:
    """Its own act ends the rest, too."""
    seat = Seat(0, process, Freeze.NEVER)
    seat.off_turn.rest()
    assert (process.frozen, seat.off_turn.rests()) == (True, True)
    seat.off_turn.go_on()
    assert not process.frozen
    seat.off_turn.rest()
    await ready(seat, process)
    assert not process.frozen


@pytest.mark.parametrize(("used_s", "charged"), [(GRACE_S, False), (3 * GRACE_S, True)])
async def test_a_bot_that_keeps_the_core_instead_of_leaving_is_charged(
    used_s: float,
    charged: bool,
    process: FakeProcess,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: MockClock,
) -> None:
    """In the time that it has, a process on one core cannot use more than that."""
    seat = Seat(0, process)
    kill, process.waits = process.kill, True

    def work() -> None:
        process.worked_us = int(used_s * 1e6)
        kill()

    monkeypatch.setattr(process, "kill", work)
    await seat.say_end(b"end", Connection())
    verdict = seat.judge_end()

    assert (verdict is not None) is charged
    assert verdict is None or verdict.code is FaultCode.LATE


async def test_what_a_bot_uses_while_others_are_ended_is_not_charged(
    process: FakeProcess, autojump_clock: MockClock
) -> None:
    """One that dies slowly keeps us for a second; this one has had its farewell by then."""
    seat = Seat(0, process)
    process.waits = True
    await seat.say_end(b"end", Connection())
    process.worked_us += int(9 * GRACE_S * 1e6)
    assert seat.judge_end() is None
