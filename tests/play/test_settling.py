"""referee.play.settling: a bot that has answered is waited for until it stands still."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from protocol import Connection
from referee.match.lines import ActLine
from referee.match.verdict import FaultCode, Freeze, Mishap, Verdict
from referee.play.evidence import Heard
from referee.play.off_turn import OffTurn
from referee.play.seat import Seat
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.fake_process import READY, FakeProcess, asked
from support.matches import lines_of, match, verified
from support.sandboxes import need, python_bot

ALLOWANCE_US = 100_000
MS = 1000

POPULATES = """
import json, mmap, os, sys, time
def populate():
    while True:
        mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_POPULATE).close()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        if os.fork() == 0:
            populate()
        print('{"type":"ready","protocol":1,"name":"populates"}', flush=True)
    elif message["type"] == "act":
        time.sleep(SLEEPS)
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""
SLEEPS = POPULATES.replace("os.fork() == 0", "False").replace("SLEEPS", "0.03")


class Clock:
    """Time that passes only while it is slept: nanoseconds, and what happens in a millisecond."""

    def __init__(self, each_ms: Callable[[], None]) -> None:
        self.ns, self._each_ms = 0, each_ms

    def now(self) -> int:
        return self.ns

    async def sleep(self, seconds: float) -> None:
        before = self.ns // 1_000_000
        self.ns += int(seconds * 1e9)
        for _ in range(self.ns // 1_000_000 - before):
            self._each_ms()
        await trio.lowlevel.checkpoint()

    def give(self) -> None:
        """Another has the core for a moment."""
        self.ns += 100_000


class Works:
    """A process that works on for so many milliseconds after it was stopped."""

    def __init__(self, process: FakeProcess, monkeypatch: pytest.MonkeyPatch, ms: int) -> None:
        self.process, self.left = process, ms
        self.state = b"R"
        self.uses = True
        """Whether the processor is its own."""
        self.clock = Clock(self._work)
        monkeypatch.setattr("time.perf_counter_ns", self.clock.now)
        monkeypatch.setattr("os.sched_yield", self.clock.give)
        monkeypatch.setattr("referee.play.settling.trio.sleep", self.clock.sleep)
        monkeypatch.setattr(process, "is_stopped", lambda: process.frozen and not self.left)
        monkeypatch.setattr(process, "threads", lambda: (1,))
        monkeypatch.setattr("referee.play.off_turn.is_running", lambda _: self.state == b"R")

    def _work(self) -> None:
        self.left = max(self.left - 1, 0)
        self.process.worked_us += MS * (self.uses and self.left > 0)


async def answer(
    process: FakeProcess, freeze: Freeze = Freeze.ALWAYS, others: tuple[Seat, ...] = ()
) -> Heard | Verdict | Mishap:
    """Have it answer at once."""
    os.write(process.says, READY)
    return await Seat(0, process, freeze, others).ask(asked(ALLOWANCE_US))


async def test_what_a_bot_does_after_its_answer_is_of_its_act(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it uses until it stands still is in its receipt, and none of that is of the next."""
    works = Works(process, monkeypatch, 40)
    found = await answer(process)

    assert isinstance(found, tuple)
    assert not works.left
    assert 37 * MS <= found[1].complete <= found[1].cpu <= 40 * MS


async def test_a_bot_that_works_on_for_longer_than_its_act_may_take_is_late(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told why."""
    Works(process, monkeypatch, 10 * ALLOWANCE_US // MS)
    found = await answer(process)

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert found.detail == "it answered, but did not stop working within 100 ms"
    receipt = found.evidence.receipt
    assert receipt is not None
    assert ALLOWANCE_US < receipt.complete < ALLOWANCE_US + 5 * MS


async def test_a_bot_that_is_blocked_after_its_answer_is_not_waited_for(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it waits for may be its own threads that stand still: `execve` does so for ever."""
    works = Works(process, monkeypatch, 10 * ALLOWANCE_US // MS)
    works.uses, works.state = False, b"D"
    found = await answer(process)

    assert isinstance(found, tuple)
    assert found[1].complete < MS
    assert 5 * MS <= works.clock.ns // 1000 < 10 * MS


async def test_a_bot_that_is_blocked_now_and_then_after_its_answer_is_charged_for_all_of_it(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would have the match wait as long as its bank lasts, in each act, and pay nothing."""
    works = Works(process, monkeypatch, 10 * ALLOWANCE_US // MS)
    works.uses = False
    monkeypatch.setattr(
        "referee.play.off_turn.is_running", lambda _: works.clock.ns // 4_000_000 % 2 == 0
    )
    found = await answer(process)

    assert isinstance(found, tuple)
    assert ALLOWANCE_US // 4 < found[1].complete < ALLOWANCE_US
    assert ALLOWANCE_US // MS <= works.clock.ns // 1_000_000 < ALLOWANCE_US // MS + 10


@pytest.mark.parametrize("ms", [40, 10 * ALLOWANCE_US // MS])
async def test_time_in_which_others_keep_a_bot_from_stopping_is_not_charged(
    ms: int, process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ready to run; it is waited for as long as its act may take."""
    works = Works(process, monkeypatch, ms)
    works.uses = False
    found = await answer(process)

    assert isinstance(found, tuple)
    assert found[1].complete < MS
    assert works.clock.ns // 1_000_000 <= ALLOWANCE_US // MS + 5


async def test_a_bot_that_comes_to_a_stop_in_a_moment_is_not_charged_for_it(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its threads needs the core for that: a millisecond may pass, as off turn."""
    Works(process, monkeypatch, 1)
    found = await answer(process)

    assert isinstance(found, tuple)
    assert found[1].complete < MS


async def test_a_bot_that_a_daemon_stops_is_not_waited_for_again(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon has done so, and what it takes is not the bot's."""
    process.at_once = False
    works = Works(process, monkeypatch, 40)
    found = await answer(process)

    assert isinstance(found, tuple)
    assert works.left == 40


async def test_another_bot_that_works_meanwhile_is_stopped(
    process: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may not think while none is to move."""
    other = FakeProcess()
    works = Works(process, monkeypatch, 40)
    friend = Seat(1, other, Freeze.AUTO)
    friend.off_turn.begin()
    other.worked_us = 2 * MS
    found = await answer(process, others=(friend,))

    assert isinstance(found, tuple)
    assert not works.left
    assert other.frozen
    other.release()


@pytest.mark.slow
@pytest.mark.thorough
async def test_calls_of_the_kernel_that_go_on_after_an_answer_are_of_its_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that is never out of one is charged for them: another has as much less time to think.

    One opponent of seven such bots that thinks for 70 ms of each act had 17 ms of the processor.
    """
    need("bwrap", root=True)
    ready_us, worked_us = dict[OffTurn, int](), dict[int, int]()
    say_end, begin_deal = Seat.say_end, OffTurn.begin_deal

    def ready(self: OffTurn) -> None:
        ready_us.setdefault(self, self.since_us)
        begin_deal(self)

    async def notes(self: Seat, line: bytes, connection: Connection) -> None:
        worked_us[self.place] = self.process.cpu_us() - ready_us[self.off_turn]
        await say_end(self, line, connection)

    monkeypatch.setattr(Seat, "say_end", notes)
    monkeypatch.setattr(OffTurn, "begin_deal", ready)
    busy = python_bot(tmp_path / "populates", POPULATES.replace("SLEEPS", "0"))
    bots = busy, python_bot(tmp_path / "sleeps", SLEEPS)
    async with opened(SandboxName.BWRAP) as bwrap:
        await match(
            tmp_path / "record", "briscola-2", *bots,
            deals=2, sandbox=bwrap, time="move=20s,bank=0s,start=20s",
        )  # fmt: skip
    acts = [line for line in lines_of(tmp_path / "record") if isinstance(line, ActLine)]
    seats = [(deal, seat) for deal in verified(tmp_path / "record") for seat, _ in deal.acts]
    places = [deal.places[seat] for deal, seat in seats]
    own = [act.us for act, at in zip(acts, places, strict=True) if at == 0]

    assert worked_us[0] - sum(us.complete for us in own) < 100 * MS
