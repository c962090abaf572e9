"""While none is to move, none may work: bots rest while another is started, and leave in time."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from trio.testing import MockClock

from protocol import Connection
from referee.bots.find import BotSpec
from referee.errors import SandboxError
from referee.match.verdict import FaultCode, Freeze, Verdict
from referee.play.off_turn import MOST_STOPPED_US, OFF_TURN_US
from referee.play.seat import GRACE_S, Seat
from referee.sandbox.bare import Bare, BareProcess
from support.fake_process import READY, FakeProcess, asked
from support.matches import match

BOTS = ("sample:first", "sample:first-c")


class Watched(Bare):
    """A sandbox that looks, at each launch, whether those that live have stopped."""

    def __init__(self) -> None:
        """Nothing was launched."""
        super().__init__()
        self.launched: list[BareProcess] = []
        self.stopped: list[bool] = []

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent, after the look."""
        living = [process for process in self.launched if process.status() is None]
        self.stopped += [process.is_stopped() for process in living]
        process = await super().launch(bot)
        self.launched.append(process)
        return process


@pytest.mark.slow
@pytest.mark.parametrize("freeze", Freeze)
async def test_a_bot_that_is_ready_rests_while_another_is_started(
    freeze: Freeze, tmp_path: Path
) -> None:
    """Whenever it may be stopped otherwise, and it goes on to play."""
    watched = Watched()
    result = await match(
        tmp_path / "record", "briscola-2", *BOTS, deals=2, sandbox=watched, freeze=freeze
    )

    assert watched.stopped == [True]
    assert result.totals.fault_counts == [0, 0]
    assert result.totals.deals == 2


class Hindered(Watched):
    """A sandbox that does not come up while the bot that was launched before works."""

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent, or not, where that bot seems to have worked and still lives."""
        for process in self.launched:
            if process.status() is None:
                used = process.cpu_us() + MOST_STOPPED_US + OFF_TURN_US
                process.cpu_us = Mock(return_value=used)  # type: ignore[method-assign]  # for it
                raise SandboxError("the daemon does not answer")
        return await super().launch(bot)


@pytest.mark.slow
async def test_a_launch_that_fails_while_a_bot_works_is_charged_to_that_bot(tmp_path: Path) -> None:
    """It was stopped, and used the processor all the same: the other is started without it."""
    result = await match(tmp_path / "record", "briscola-2", *BOTS, deals=1, sandbox=Hindered())

    (fault,) = result.totals.faults
    assert (fault.bot, fault.code) == (0, FaultCode.LATE)
    assert "after it was stopped" in fault.detail
    assert result.totals.voids == []


@pytest.fixture
def process() -> Iterator[FakeProcess]:
    found = FakeProcess()
    yield found
    found.release()


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
    used_s: float, charged: bool, process: FakeProcess, autojump_clock: MockClock
) -> None:
    """In the time that it has, a process on one core cannot use more than that."""
    seat = Seat(0, process)
    kill, process.waits = process.kill, True

    def work() -> None:
        process.worked_us = int(used_s * 1e6)
        kill()

    process.kill = work  # type: ignore[method-assign]  # it works until then
    verdict = await seat.say_end(b"end", Connection())

    assert (verdict is not None) is charged
    assert verdict is None or verdict.code is FaultCode.LATE
