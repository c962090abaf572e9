"""The short way of a usual act, and the long one: one record."""

import sys
from pathlib import Path

import msgspec
import pytest

from protocol import Connection
from referee.bots.find import BotSpec
from referee.games import catalogue
from referee.match.leg import Ask
from referee.match.lines import ActLine, DealEndLine, EndLine, Line, StartLine
from referee.match.verdict import Evidence, Freeze, Mishap, Receipt, Verdict
from referee.play.evidence import Heard
from referee.play.off_turn import OffTurn
from referee.play.seat import Seat
from referee.record.proof import prove
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.matches import ROGUE, lines_of, match, verified
from support.sandboxes import need, python_bot

FICKLE = ROGUE.parent / "fickle.py"


def fickle(odd: float) -> BotSpec:
    """A bot that seldom says something odd."""
    return BotSpec("fickle", (sys.executable, "-S", str(FICKLE), str(odd)), "/", "0" * 64, "fickle")


def timeless(line: Line) -> Line:
    """A line without what no two matches have in common: times, and the hash of all before it."""
    no_time = Receipt(0, 0, 0, 0)
    match line:
        case ActLine():
            return msgspec.structs.replace(line, us=no_time)
        case StartLine():
            return msgspec.structs.replace(line, us=0)
        case Verdict():
            evidence: Evidence = msgspec.structs.replace(line.evidence, receipt=None)
            return msgspec.structs.replace(line, evidence=evidence)
        case DealEndLine() | EndLine():
            return msgspec.structs.replace(line, hash="")
        case _:
            return line


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many acts went the long way, as its one entry."""
    count, ask_at_once = [0], Seat.ask_at_once

    def counts(self: Seat, ask: Ask) -> Heard | Verdict | Mishap | None:
        count[0] += bool(ask.id)
        return ask_at_once(self, ask)

    monkeypatch.setattr(Seat, "ask_at_once", counts)
    return count


@pytest.fixture
def parted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, bytes]]:
    """What each process was told last in a deal, and what it said, as evidence would have it."""
    found: list[tuple[bytes, bytes]] = []
    say_end = Seat.say_end

    async def notes(self: Seat, line: bytes, connection: Connection) -> None:
        found.append((self.said, self.heard))
        await say_end(self, line, connection)

    monkeypatch.setattr(Seat, "say_end", notes)
    return found


async def played(path: Path, game: str, seats: int, odd: float, deals: int) -> list[Line]:
    """A match of such bots, that verifies; odd ones are stopped between their acts."""
    bots = [fickle(odd)] * seats
    slow = "move=20s,bank=0s,inc=1ms,start=20s"
    freeze = Freeze.ALWAYS if odd else Freeze.NEVER
    result = await match(
        path, game, *bots, deals=deals, time=slow, freeze=freeze, key=f"{game} {odd}"
    )
    prove(path)
    lines = lines_of(path)
    used = sum(line.us.complete for line in lines if isinstance(line, ActLine))
    faults = (line.evidence.receipt for line in lines if isinstance(line, Verdict))
    used += sum(receipt.complete for receipt in faults if receipt is not None)
    assert sum(result.match.used_us) == used
    return [timeless(line) for line in lines]


@pytest.mark.slow
@pytest.mark.parametrize("game", catalogue())
async def test_both_ways_write_the_same_record(
    game: str,
    *,
    long: list[int],
    parted: list[tuple[bytes, bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    many_cases: bool,
) -> None:
    """But for times; in every game, with odd answers and faults at random."""
    seats, deals = catalogue()[game].seats[0], 4 if many_cases else 2
    for odd in (0.0, 0.15):
        long[0] = 0
        by_both = await played(tmp_path / f"both {odd}", game, seats, odd, deals)
        acts = sum(isinstance(line, ActLine) for line in by_both)
        assert long[0] < acts, "none went the short way"
        with monkeypatch.context() as patch:
            patch.setattr("referee.play.conductor.play_usual", lambda *_: None)
            long[0] = 0
            by_one = await played(tmp_path / f"one {odd}", game, seats, odd, deals)
        assert long[0] >= acts
        assert by_both == by_one
        half = len(parted) // 2
        assert sorted(parted[:half]) == sorted(parted[half:])
        parted.clear()


SPINS = """
import json, os, sys
if os.fork() == 0:
    while True:
        pass
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"spins"}', flush=True)
    elif message["type"] == "act":
        answer = {"id": message["id"], "action": message["legal"][0]}
        print(json.dumps(answer), flush=True)
"""
SLEEPS = SPINS.replace("if os.fork() == 0:", "if False:").replace(
    "        answer =", "        import time; time.sleep(0.005)\n        answer ="
)


@pytest.mark.slow
@pytest.mark.thorough
async def test_a_bot_that_a_descriptor_stops_is_stopped_after_every_act(
    tmp_path: Path, long: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has left running does nothing while another thinks, whichever way its acts go."""
    need("bwrap", root=True)
    worked_us, say_end = {}, Seat.say_end

    async def notes(self: Seat, line: bytes, connection: Connection) -> None:
        worked_us[self.place] = self.process.cpu_us()
        await say_end(self, line, connection)

    monkeypatch.setattr(Seat, "say_end", notes)
    bots = (python_bot(tmp_path / "spins", SPINS), python_bot(tmp_path / "sleeps", SLEEPS))
    async with opened(SandboxName.BWRAP) as bwrap:
        await match(
            tmp_path / "record", "briscola-2", *bots,
            deals=8, freeze=Freeze.ALWAYS, sandbox=bwrap, time="move=5s,bank=0s,start=20s",
        )  # fmt: skip
    acts = [line for line in lines_of(tmp_path / "record") if isinstance(line, ActLine)]
    seats = [(deal, seat) for deal in verified(tmp_path / "record") for seat, _ in deal.acts]
    places = [deal.places[seat] for deal, seat in seats]
    own_us = sum(act.us.complete for act, at in zip(acts, places, strict=True) if at == 0)

    assert long[0] < len(acts) - 40, "some acts of the one that spins went the short way"
    assert worked_us[0] - own_us < 160 * 5000 / 2, "beside its start"


@pytest.mark.slow
async def test_a_bot_that_rests_goes_on_in_its_own_act(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that may run between its acts is stopped while another is late, and no longer."""
    begin = OffTurn.begin

    def rests(self: OffTurn) -> int:
        used_us = begin(self)
        self.rest()
        return used_us

    monkeypatch.setattr(OffTurn, "begin", rests)
    path = tmp_path / "record"
    await match(
        path, "briscola-2", *["sample:first-c"] * 2, deals=1, freeze=Freeze.NEVER, sandbox=bwrap
    )
    assert [line for line in lines_of(path) if isinstance(line, Verdict)] == []
