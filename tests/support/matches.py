"""Whole matches between processes, for tests."""

import subprocess
import sys
from pathlib import Path

import trio

from referee.bots.find import BotSpec, find
from referee.bots.settings import Settings
from referee.match.leg import DealResult
from referee.match.lines import Line
from referee.match.plan import make_plan
from referee.match.seating import Seating
from referee.match.verdict import Freeze, OnFault
from referee.play.conductor import MatchResult, play_match
from referee.record.reader import RecordReader
from referee.record.verify import Resimulation
from referee.record.writer import Recorder
from referee.sandbox import Sandbox
from referee.sandbox.bare import Bare
from support.terms import config_of

ROGUE = Path(__file__).parent.parent / "support" / "bots" / "rogue.py"
QUICK = "move=300ms,bank=0s,soft=0ms,start=5s"


TOOLS = {
    "first-c": "gcc --version",
    "first-cpp": "g++ --version",
    "first-rust": "rustc --version",
    "first-java": "javac --version",
    "first-js": "node --version",
    "first-perl": "perl --version",
}


def has_tool(sample: str) -> bool:
    """Whether the compiler or interpreter of a sample bot works here."""
    command = TOOLS.get(sample, "true").split()
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


BRISK = "sample:first-c" if has_tool("first-c") else "sample:first"
"""For tests that start many bots: in C that takes a millisecond, in Python twenty."""


def rogue(mode: str, token: str = "") -> BotSpec:
    """A bot that misbehaves; `token` marks its processes."""
    command = (sys.executable, "-S", str(ROGUE), mode, token)
    return BotSpec(f"rogue {mode}", command, str(ROGUE.parent), "0" * 64, mode)


def processes_with(token: str) -> list[str]:
    """The command lines of living processes that have this word in them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if token in command:
            found.append(command)
    return found


async def match(
    path: Path,
    game: str,
    *bots: BotSpec | str,
    deals: int | None = None,
    key: str = "test",
    time: str = QUICK,
    seating: Seating = Seating.ONE,
    on_fault: OnFault | None = None,
    options: tuple[str, ...] = (),
    deck: str | None = None,
    dealer: int | None = 0,
    freeze: Freeze = Freeze.AUTO,
    pace: int = 0,
    sandbox: Sandbox | None = None,
) -> MatchResult:
    """Plays a match, bare unless told otherwise, and writes its record to `path`."""
    plan = make_plan(
        config_of(
            game=game,
            options=options,
            bots=len(bots),
            deals=deals,
            key=key,
            time=time,
            seating=seating,
            on_fault=on_fault,
            deck=deck,
            dealer=dealer,
            freeze=freeze,
            pace=pace,
        )
    )
    sandbox = sandbox or Bare()
    specs = [
        bot if isinstance(bot, BotSpec) else await sandbox.prepare(find(bot, Settings()))
        for bot in bots
    ]
    recorder = Recorder(path)
    try:
        return await play_match(plan, specs, sandbox, recorder, interrupt=trio.CancelScope())
    finally:
        recorder.close()
        for bot, spec in zip(bots, specs, strict=True):
            if not isinstance(bot, BotSpec):
                sandbox.release(spec)


def lines_of(path: Path) -> list[Line]:
    """All lines of a record."""
    with RecordReader(path) as reader:
        return [reader.header, *reader]


def verified(path: Path) -> list[DealResult]:
    """The deals of a record that holds and is finished."""
    with RecordReader(path) as reader:
        found = Resimulation(reader)
        deals = list(found.deals())
    assert found.unfinished is None
    assert found.end is not None
    return deals
