"""Faults of the host and of the referee itself: no bot pays for them, and nothing is left behind.

Real processes through the command; our own bugs are planted in a referee that runs here.
"""

import errno
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import trio
from msgspec import structs
from trio.testing import MockClock

from protocol.connection import Connection
from protocol.errors import LocalProtocolError
from referee.bots.find import BotSpec, find
from referee.bots.settings import Settings
from referee.check.examine import examination, examine
from referee.cli import run
from referee.errors import HostError, SandboxError, Shortage
from referee.match.leg import Ask, Leg
from referee.match.lines import ActLine, DealEndLine, DealLine, EndLine, VoidLine
from referee.match.outbox import Voice
from referee.match.table import Table
from referee.match.verdict import ATTEMPTS, Blame, FaultCode, Mishap, Receipt, Verdict, starved
from referee.play import arrival, blocked, evidence, held_up, looks, waiting
from referee.play import exchange as exchange_module
from referee.play import seat as seat_module
from referee.play.conductor import MatchResult
from referee.play.exchange import Exchange, exchange, plain_exchange
from referee.play.last_seen import LastSeen
from referee.play.seat import Seat
from referee.play.usual_act import play_usual
from referee.record.chain import Chain
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.record.writer import Recorder
from referee.sandbox import janitor, run_delay
from referee.sandbox.bare import Bare, BareProcess
from referee.sandbox.cgroups.freezer import version_1, version_2
from referee.sandbox.cgroups.hierarchy import available
from referee.sandbox.choose import opened_for
from referee.sandbox.folders import work_folder
from referee.sandbox.names import SandboxName
from referee.signals import count_continuations
from referee.workers.player import Player
from support import disks
from support.drive import HELLO
from support.fuzz import Puppet
from support.matches import lines_of, match, processes_with, rogue, verified
from support.processes import REFEREE
from support.sandboxes import lacking, need
from support.terms import job_of

pytestmark = pytest.mark.thorough

MODES: Final = ("bare", "bwrap")
GONE_S: Final = 2.0
"""How long what a dead referee has left may live on."""

RSS_MOST: Final = 8 * 1024 * 1024
"""How much more memory a match may need, whatever its bots write."""

BOT: Final = """
import json, os, signal, subprocess, sys, time
token, pause = sys.argv[1], float(sys.argv[2])

def heard(number, _):
    os.write(1, b"I was sent signal %d\\n" % number)

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, heard)
daemon = [sys.executable, "-S", "-c", "import time; time.sleep(60)", token + "-daemon"]
quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
subprocess.Popen(daemon, start_new_session=True, **quiet)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"marked"}', flush=True)
    elif message["type"] == "act":
        time.sleep(pause)
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
    elif message["type"] == "end":
        break
"""
"""A bot with a daemon; it says so when somebody sends it a signal."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own, where records go."""
    monkeypatch.chdir(tmp_path)


def works(mode: str) -> None:
    """Leaves the test out where the sandbox does not work."""
    if mode == "bare":
        return
    trial = ["bwrap", "--ro-bind", "/", "/", "true"]
    try:
        ok = subprocess.run(trial, capture_output=True, check=False).returncode == 0
    except OSError:
        ok = False
    if not ok:
        lacking("bwrap does not work here")


def marked(token: str, pause: float = 0.001) -> str:
    """The folder of a bot whose processes carry the token."""
    folder = Path("marked")
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    command = f"{sys.executable} bot.py {token} {pause}"
    (folder / "bot.toml").write_text(f'name = "marked"\ncommand = "{command}"\n')
    return str(folder)


def wait_for(what: Callable[[], object], within_s: float) -> bool:
    """Waits for something in the outside world, which has no clock of ours to move."""
    until = time.monotonic() + within_s
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.002)
    return True


def size_of(path: str) -> int:
    """How many bytes a file has; none while there is no file."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


class Running:
    """A match under way, in a process and a session of its own, as a terminal has it."""

    def __init__(self, *arguments: str) -> None:
        """Starts it."""
        command = [str(REFEREE), "match", *arguments]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.run = janitor.run_of(self.process.pid)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return work_folder() / self.run

    def left(self, token: str) -> list[str]:
        """Whatever there still is of it: processes of bots, control groups, its folder."""
        folder = [str(self.folder)] if self.folder.exists() else []
        return [*processes_with(token), *janitor.groups_of(self.run), *folder]

    def bots_to(self, token: str) -> bool:
        """Whether a bot, and its daemon, are there, and in no group that a terminal signals."""
        if not processes_with(f"{token}-daemon"):
            return False
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if token.encode() in (folder / "cmdline").read_bytes():
                    assert os.getpgid(int(folder.name)) != self.process.pid
            except OSError:
                continue
        return True


@pytest.fixture
def running() -> Iterator[Callable[..., Running]]:
    """Starts matches; whatever happens, they end with the test."""
    started: list[Running] = []

    def start(*arguments: str) -> Running:
        started.append(Running(*arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


MOMENTS: Final = (0, *Random(7).sample(range(1, 60_000), 4))
"""How many bytes of the record there are when it happens; 0 is before there is a record."""


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("moment", MOMENTS)
def test_whatever_a_killed_referee_leaves_is_gone_in_two_seconds(
    mode: str,
    moment: int,
    running: Callable[..., Running],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No bot, no daemon, no group, no folder; the record is readable up to its last whole line."""
    works(mode)
    token = f"killed-{os.getpid()}-{mode}-{moment}"
    arguments = ("--deals", "500", "--record", "r", "--sandbox", mode)
    one = running(marked(token), "sample:first", *arguments)
    reached = (lambda: size_of("r") >= moment) if moment else one.folder.exists
    assert wait_for(reached, 30)
    if moment:
        assert one.bots_to(token)
    one.process.kill()
    one.process.wait()
    assert wait_for(lambda: not one.left(token), GONE_S), one.left(token)

    if not moment:
        return
    assert run(["replay", "r", "--verify"]) == 1
    said = capsys.readouterr().err
    assert "r: unfinished: " in said
    assert "breaks off" in said or "torn" in said
    assert unfinished("r") == Path("r").read_bytes().count(b'{"deal_end"')


def unfinished(path: str) -> int:
    """How many deals of a record hold that has no end of its match."""
    with RecordReader(Path(path)) as reader:
        found = Resimulation(reader)
        deals = len(list(found.deals()))
    assert found.unfinished is not None
    return deals


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_the_match_and_reaches_no_bot(
    mode: str, how: signal.Signals, running: Callable[..., Running]
) -> None:
    """Exit code 130, an `end` line, no fault, and every finished deal holds."""
    works(mode)
    token = f"signalled-{os.getpid()}-{mode}-{how.name}"
    arguments = ("--deals", "500", "--record", "r", "--sandbox", mode)
    one = running(marked(token), "sample:first", *arguments)
    assert wait_for(lambda: size_of("r") > 20_000, 30)
    assert one.bots_to(token)
    os.killpg(one.process.pid, how)  # as a terminal does
    _, said = one.process.communicate(timeout=10)
    left = one.left(token)

    assert one.process.returncode == 130
    assert said.splitlines()[-1] == "referee: interrupted"
    assert "Traceback" not in said
    assert left == []
    lines = lines_of(Path("r"))
    last = lines[-1]
    assert isinstance(last, EndLine)
    assert (last.end, last.winner) == ("interrupted", None)
    assert not any(isinstance(line, Verdict | VoidLine) for line in lines)
    assert unfinished("r") == sum(isinstance(line, DealEndLine) for line in lines) > 0
    assert run(["replay", "r", "--verify"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_who_is_impatient_is_obeyed_at_once(mode: str, running: Callable[..., Running]) -> None:
    """SIGINT again and again: gone within a second with exit code 130, and cleared up after."""
    works(mode)
    token = f"impatient-{os.getpid()}-{mode}"
    arguments = ("--deals", "500", "--record", "r", "--sandbox", mode)
    one = running(marked(token), "sample:first", *arguments)
    assert wait_for(lambda: size_of("r") > 5000, 30)

    def gone() -> bool:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGINT)
        return one.process.poll() is not None

    assert wait_for(gone, 1)
    _, said = one.process.communicate()
    assert one.process.returncode in (130, -signal.SIGINT)  # the same to a shell
    assert "Traceback" not in said
    assert wait_for(lambda: not one.left(token), GONE_S), one.left(token)
    assert run(["replay", "r", "--verify"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_build_can_be_interrupted(mode: str, running: Callable[..., Running]) -> None:
    """Who waits for a long build can leave: exit code 130, and the build is ended."""
    works(mode)
    token = f"build-{os.getpid()}-{mode}"
    folder = Path("long")
    folder.mkdir()
    (folder / "wait.py").write_text(f"import time  # {token}\ntime.sleep(60)\n")
    toml = f"name = 'long'\ncommand = './bot'\nbuild = 'python3 wait.py {token}'\n"
    (folder / "bot.toml").write_text(toml)
    one = running("long", "sample:first", "--record", "r", "--sandbox", mode)
    assert wait_for(lambda: processes_with(token), 30)
    one.process.send_signal(signal.SIGINT)

    assert wait_for(lambda: one.process.poll() is not None, 5), "the build holds it up"
    assert one.process.returncode == 130
    assert wait_for(lambda: not one.left(token), GONE_S), one.left(token)
    assert not Path("r").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    with disks.small_disk(tmp_path / "small", 64) as folder:
        yield folder


PAIR: Final = ("sample:first", "sample:first", "--sandbox", "bare", "--key", "k")


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_costs_nobody_anything(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 with the file's name; a torn line is named; where there is room it works."""
    path = str(small_disk / "r")
    assert run(["match", *PAIR, "--deals", "500", "--record", path]) == 3
    said = capsys.readouterr()

    assert said.out == ""
    assert said.err.splitlines()[1:] == [f"referee: record {path!r}: {os.strerror(errno.ENOSPC)}"]
    data = Path(path).read_bytes()
    assert b'{"fault"' not in data
    torn = not data.endswith(b"\n")
    assert run(["replay", path]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("\nDeal ") >= data.count(b'{"deal_end"') > 1
    number = data.count(b"\n") + 1
    assert (f"line {number} is torn and was left out" in shown.err) == torn
    Path(path).unlink()
    assert run(["match", *PAIR, "--deals", "5", "--record", path]) == 0
    assert run(["replay", path, "--verify"]) == 0


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_disk_that_was_full_from_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    """The first line cannot be written: one line, exit code 3, no bot was started."""
    assert run(["match", *PAIR, "--deals", "1", "--record", "/dev/full"]) == 3
    said = capsys.readouterr().err.splitlines()

    assert said[1:] == [f"referee: record '/dev/full': {os.strerror(errno.ENOSPC)}"]


def executable(name: str, data: bytes) -> str:
    """A file with the right to be executed."""
    Path(name).write_bytes(data)
    Path(name).chmod(0o755)
    return f"./{name}"


def _elf(machine: int) -> bytes:
    head = bytearray(Path(sys.executable).resolve().read_bytes()[:64])
    head[18:20] = machine.to_bytes(2, "little")
    return bytes(head) + bytes(4096)


def _folder(name: str, toml: str) -> str:
    Path(name).mkdir()
    Path(name, "bot.toml").write_text(f'name = "{name}"\n{toml}\n')
    return name


def _no_right() -> str:
    Path("plain.sh").write_text("#!/bin/sh\n")
    return "./plain.sh"


UNUSABLE: Final[dict[str, tuple[Callable[[], str], str, str]]] = {
    "missing": (lambda: "./nowhere", "nowhere", "there is no such file"),
    "no right to execute": (_no_right, "plain.sh", "it is not executable"),
    "another machine": (lambda: executable("alien", _elf(0x1234)), "alien", "processor type 4660"),
    "an ARM program": (lambda: executable("arm", _elf(40)), "arm", "32-bit ARM"),
    "text": (lambda: executable("poem", b"shall I compare\n"), "poem", "no program"),
    "empty": (lambda: executable("void", b""), "void", "it is empty"),
    "no interpreter": (
        lambda: executable("odd", b"#!/usr/bin/no-such-thing -x\nplay\n"),
        *("odd", "'/usr/bin/no-such-thing', which is not there"),
    ),
    "env of nothing": (
        lambda: executable("env", b"#!/usr/bin/env no-such-thing\n"),
        *("env", "'no-such-thing', which is not installed"),
    ),
    "a build that fails": (
        lambda: _folder("broken", 'command = "./x"\nbuild = "false"'),
        *("broken", "the build failed: false"),
    ),
    "a build without program": (
        lambda: _folder("unbuilt", 'command = "./x"\nbuild = "no-such-compiler x"'),
        *("unbuilt", "no-such-compiler"),
    ),
    "a build that makes nothing": (
        lambda: _folder("lazy", 'command = "./x"\nbuild = "true"'),
        *("lazy", "program './x'"),
    ),
    "a folder without program": (
        lambda: _folder("hollow", 'command = "no-such-thing --now"'),
        *("hollow", "program 'no-such-thing'"),
    ),
    "a folder without its file": (
        lambda: _folder("gap", 'command = "./x"'),
        *("gap", "program './x'"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", UNUSABLE)
def test_what_cannot_run_is_found_before_play(
    mode: str,
    what: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Exit code 2, the bot and the reason in the line, and there is no record."""
    works(mode)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    make, named, why = UNUSABLE[what]
    bot = make()
    assert run(["match", "sample:first", bot, "--record", "r", "--sandbox", mode]) == 2
    said = capsys.readouterr()

    assert said.out == ""
    assert said.err.startswith("referee: bot ")
    assert named in said.err.splitlines()[0]
    assert why in said.err
    assert "Traceback" not in said.err
    assert not Path("r").exists()


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_program_that_ends_at_once_is_a_startup_fault(
    mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It can be started, so it is the bot's own fault, found by starting it."""
    works(mode)
    bot = executable("ends.sh", b"#!/bin/sh\nexit 4\n")
    arguments = ["--deals", "1", "--record", "r", "--sandbox", mode]
    assert run(["match", bot, "sample:first", *arguments]) == 1
    fault = next(line for line in lines_of(Path("r")) if isinstance(line, Verdict))

    assert (fault.place, fault.code) == (0, FaultCode.STARTUP)
    assert "exit status 4" in fault.detail
    assert run(["replay", "r", "--verify"]) == 0


class Planted(Exception):
    """A bug of ours."""


def plant(
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    when: Callable[[int], bool],
    error: Callable[[], BaseException] = lambda: Planted("a bug"),
) -> list[int]:
    """Lets a method raise at some of its calls; hands out a list that grows by each bug met."""
    real = getattr(owner, name)
    calls, met = iter(range(1, 1 << 62)), []

    def sometimes(*args: Any, **more: Any) -> Any:
        number = next(calls)
        if when(number):
            met.append(number)
            raise error()
        return real(*args, **more)

    monkeypatch.setattr(owner, name, sometimes)
    return met


PLACES: Final[dict[str, tuple[Any, str]]] = {
    "the leg asks": (Leg, "ask"),
    "the leg judges": (Leg, "check_answer"),
    "the leg carries out": (Leg, "answered"),
    "the leg greets": (Leg, "greet"),
    "the leg deals": (Leg, "open_deal"),
    "the table plays": (Table, "play"),
    "the table shows": (Table, "view"),
    "the voice speaks": (Voice, "ask"),
    "the seat asks": (Seat, "ask_at_once"),
    "the seat counts": (Seat, "receipt"),
    "the conversation": (Connection, "send"),
    "the answer": (Connection, "passes"),
    "the process": (BareProcess, "cpu_us"),
}
ONCE: Final = {"the leg deals": (2,), "the leg greets": (1, 2)}
"""Which call is hit, of methods that are not called so often."""

USUAL: Final = (
    *("the table plays", "the table shows", "the voice speaks", "the seat counts"),
    "the process",
)
"""What an act that goes the short way has in common with the long one."""

WAYS: Final = [*((where, False) for where in PLACES), *((where, True) for where in USUAL)]
"""Where a bug is, and whether acts go the short way."""


@pytest.fixture(autouse=True)
def long_way() -> Iterator[None]:
    """Every act goes the long way, whose steps are replaced here."""
    with pytest.MonkeyPatch.context() as patch:  # which a test does not undo with its own
        patch.setattr("referee.play.conductor.play_usual", lambda *_: None)
        yield


def go_short_way(patch: pytest.MonkeyPatch) -> None:
    """Let acts go the short way all the same."""
    patch.setattr("referee.play.conductor.play_usual", play_usual)


@pytest.fixture(autouse=True)
def no_back_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits before a deal is played again."""
    monkeypatch.setattr("referee.play.conductor._BACK_OFF_S", 0)


async def undisturbed(path: Path, deals: int = 3, first: BotSpec | str = "sample:greedy") -> Any:
    """The match that all others here are compared with; its bots remember nothing."""
    return await match(path, "briscola-2", first, "sample:first-c", deals=deals, key="host")


def outcome(result: MatchResult) -> tuple[object, ...]:
    """All that a void deal must not change."""
    end = result.end
    faults = [(row.deal, row.bot, row.code) for row in result.totals.faults]
    return (end.scores, end.winner, end.end, faults, result.totals.fault_counts)


def played(path: Path) -> list[tuple[object, ...]]:
    """What a record that holds says of each deal: the cards, and who played what."""
    return [(deal.start.deck, deal.acts, deal.faults, deal.scores) for deal in verified(path)]


def voids(path: Path) -> list[VoidLine]:
    """The deals of a record that were void."""
    return [line for line in lines_of(path) if isinstance(line, VoidLine)]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "short"), WAYS)
async def test_a_bug_of_ours_makes_one_deal_void(
    where: str, short: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The deal is played again with the same deck, and the match ends as if nothing had been."""
    wanted = outcome(await undisturbed(tmp_path / "calm"))
    dice = Random(where)
    for at in ONCE.get(where, (1, dice.randrange(2, 30), dice.randrange(45, 100))):
        path = tmp_path / f"record-{at}"
        with monkeypatch.context() as patch:
            if short:
                go_short_way(patch)
            met = plant(patch, *PLACES[where], at.__eq__)
            result = await undisturbed(path)
        assert met == [at]
        assert outcome(result) == wanted
        assert isinstance(result.bug, Planted)
        assert result.given_up is None
        assert [line.family for line in voids(path)] == [Blame.REFEREE]
        decks = [(line.deal, line.deck) for line in lines_of(path) if isinstance(line, DealLine)]
        assert len(decks) == 4
        assert len(set(decks)) == 3
        assert played(path) == played(tmp_path / "calm")


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 10, 41, 90])
async def test_a_void_deal_leaves_no_trace_in_the_game_digest(
    at: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The same bots with the same key give the same digest, in whichever deal we failed."""
    wanted = (await undisturbed(tmp_path / "calm")).end.game_digest
    plant(monkeypatch, Leg, "check_answer", lambda number: number == at)

    assert (await undisturbed(tmp_path / "record")).end.game_digest == wanted


@pytest.mark.slow
def test_a_void_deal_is_shown_by_every_view_of_the_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The match says it, replay says it, and the proof counts it: nobody hides a deal."""
    path = tmp_path / "record"
    with monkeypatch.context() as patch:
        plant(patch, Leg, "check_answer", lambda number: number == 10)
        match_ = ["match", "sample:first", "sample:first", "--deals", "1", "--sandbox", "bare"]
        assert run([*match_, "--record", str(path), "--key", "k"]) == 0
    assert "void: deal 1, no bot's doing (referee): a bug of the referee" in capsys.readouterr().out
    assert run(["replay", str(path)]) == 0
    assert "void: deal 1 of leg 1 (referee): a bug of the referee" in capsys.readouterr().out
    assert run(["replay", str(path), "--verify"]) == 0
    assert "; void deals played again: 1 " in capsys.readouterr().out
    assert run(["replay", str(path), "--verify", "--json"]) == 0
    assert '"voids": 1' in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(("where", "short"), WAYS)
async def test_a_bug_that_stays_ends_the_match_and_charges_nobody(
    where: str, short: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After so many attempts it is given up: `host` in the record, which holds as unfinished."""
    path = tmp_path / "record"
    if short:
        go_short_way(monkeypatch)
    plant(monkeypatch, *PLACES[where], lambda number: number > 1)
    result = await undisturbed(path)
    monkeypatch.undo()

    assert isinstance(result.bug, Planted)
    assert result.given_up is not None
    assert result.given_up.family is Blame.REFEREE
    assert result.totals.fault_counts == [0, 0]
    assert (result.end.end, result.end.winner) == ("host", None)
    found = voids(path)
    assert [line.family for line in found[-ATTEMPTS:]] == [Blame.REFEREE] * ATTEMPTS
    assert len({line.void for line in found[-ATTEMPTS:]}) == 1
    assert not any(isinstance(line, Verdict) for line in lines_of(path))
    with RecordReader(path) as reader:
        replayed = Resimulation(reader)
        held = len(list(replayed.deals()))
    assert replayed.unfinished == "the host failed, and the match was given up"
    assert held == result.totals.deals


ERRORS: Final = (
    LocalProtocolError("not now"),
    KeyError("x"),
    RecursionError(),
    AssertionError(),
    ExceptionGroup("several", [ValueError("one"), OSError(5, "two")]),
    OSError(errno.EBADF, "no such pipe"),
    trio.ClosedResourceError(),
    StopIteration(),
    UnicodeDecodeError("utf-8", b"", 0, 1, "x"),
)


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_whatever_kind_of_bug_it_is(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No exception but the host's own and a mistake of the user's ends the match."""
    wanted = outcome(await undisturbed(tmp_path / "calm"))
    plant(monkeypatch, Leg, "check_answer", lambda number: number == 50, lambda: error)
    result = await undisturbed(tmp_path / "record")

    assert outcome(result) == wanted
    assert played(tmp_path / "record") == played(tmp_path / "calm")
    assert [line.family for line in voids(tmp_path / "record")] == [Blame.REFEREE]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["next_deal", "close_deal", "end_lines"])
async def test_a_bug_between_deals_charges_nobody(
    where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """There is no deal to be made void: the bug is raised, and what was recorded holds."""
    path = tmp_path / "record"
    last = where == "end_lines"
    plant(monkeypatch, Leg, where, lambda number: number == (1 if last else 2))
    token = f"between-{os.getpid()}-{where}"
    with pytest.raises(Planted):
        await undisturbed(path, first=rogue("plays", token))
    monkeypatch.undo()

    assert not processes_with(token)
    assert unfinished(str(path)) == (3 if last else 1)
    assert not any(isinstance(line, Verdict) for line in lines_of(path))


@pytest.mark.slow
@pytest.mark.parametrize("act", [3, 7, 20])
async def test_a_fault_in_a_void_deal_is_taken_back(
    act: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The bot is charged once, in the deal that counts, and no sooner benched."""
    bots = ("sample:first-c", rogue("illegal"), "sample:greedy", "sample:first-c")
    calm = await match(tmp_path / "calm", "briscola-4", *bots, deals=5, key="host")
    plant(monkeypatch, Table, "play", lambda number: number == 40 + act)
    path = tmp_path / "record"
    result = await match(path, "briscola-4", *bots, deals=5, key="host")

    assert outcome(result) == outcome(calm)
    assert result.totals.fault_counts == [0, 3, 0, 0]
    assert len(voids(path)) == 1
    assert played(path) == played(tmp_path / "calm")


class Frail(Bare):
    """A sandbox that does not come up at some of its launches."""

    def __init__(self, fails: Callable[[int], bool], error: Callable[[], Exception]) -> None:
        """`fails` is asked with the number of the launch, counted from 1."""
        super().__init__()
        self._fails, self._error, self._launches = fails, error, 0

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As its parent, or not at all."""
        self._launches += 1
        if self._fails(self._launches):
            raise self._error()
        return await super().launch(bot)


FRAIL: Final[dict[str, Callable[[], Exception]]] = {
    "sandbox": lambda: SandboxError("the sandbox is gone"),
    "descriptors": lambda: OSError(errno.EMFILE, "Too many open files"),
    "memory": lambda: OSError(errno.ENOMEM, "Cannot allocate memory"),
    "processes": lambda: OSError(errno.EAGAIN, "Resource temporarily unavailable"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAIL)
@pytest.mark.parametrize("launch", [1, 2])
async def test_a_sandbox_that_fails_once_costs_nobody_anything(
    kind: str, launch: int, tmp_path: Path
) -> None:
    """A second launch is tried again; at the first one the deal is void, and played again."""
    wanted = outcome(await undisturbed(tmp_path / "calm"))
    path = tmp_path / "record"
    frail = Frail(lambda number: number == launch, FRAIL[kind])
    bots = ("sample:greedy", "sample:first-c")
    result = await match(path, "briscola-2", *bots, deals=3, key="host", sandbox=frail)

    assert outcome(result) == wanted
    assert result.bug is None
    assert [line.family for line in voids(path)] == ([Blame.HOST] if launch == 1 else [])
    assert played(path) == played(tmp_path / "calm")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FRAIL)
async def test_a_sandbox_that_fails_always_ends_the_match(kind: str, tmp_path: Path) -> None:
    """Given up after as many attempts, by the host; nobody is charged, the record holds."""
    path = tmp_path / "record"
    frail = Frail(lambda _: True, FRAIL[kind])
    bots = ("sample:greedy", "sample:first-c")
    result = await match(path, "briscola-2", *bots, deals=3, key="host", sandbox=frail)

    assert result.given_up is not None
    assert result.given_up.family is Blame.HOST
    assert result.bug is None
    assert result.totals.fault_counts == [0, 0]
    assert [line.family for line in voids(path)] == [Blame.HOST] * ATTEMPTS
    last = lines_of(path)[-1]
    assert isinstance(last, EndLine)
    assert (last.end, last.winner) == ("host", None)
    assert unfinished(str(path)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["descriptors", "memory"])
async def test_a_match_for_which_the_machine_has_no_room_has_no_result(kind: str) -> None:
    """An event or a ladder would count it as given up, and end as if it were played."""
    frail = Frail(lambda _: True, FRAIL[kind])
    bots = ("sample:first", "sample:greedy")
    job = job_of(game="briscola-2", bots=bots, key="k", first=0, blocks=1)
    with pytest.raises(Shortage, match="cannot be started"):
        await Player(frail, Settings()).play(job)


async def test_a_bot_is_not_refused_for_want_of_descriptors() -> None:
    """It cannot be started, and is not asked why."""
    frail = Frail(lambda _: True, FRAIL["descriptors"])
    bot = await frail.prepare(find("sample:first", Settings()))
    with pytest.raises(SandboxError, match="cannot be started"):
        await examine(bot, examination("briscola-2", {}), frail)


def test_a_run_is_not_taken_for_dead_where_nobody_can_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has no descriptor left to look at a referee does not end its bots."""

    def run_of(_: int) -> str:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    run_name = janitor.run_of(os.getpid())
    monkeypatch.setattr(janitor, "run_of", run_of)
    with pytest.raises(OSError, match="Too many open files"):
        janitor.is_alive(run_name)


async def test_no_weaker_sandbox_is_taken_for_want_of_descriptors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`auto` would let bots run bare although there is a sandbox."""

    async def tried(*_: object, **__: object) -> None:
        raise SandboxError("cannot copy a bot") from OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("referee.sandbox.choose._tried", tried)
    with pytest.raises(SandboxError, match="cannot copy a bot"):
        async with opened_for(SandboxName.AUTO, (), Settings()):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("at", [1, 2, 3, 25, 60, 122])
async def test_a_mishap_in_mid_deal_changes_nothing(
    at: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whichever question it hits, the first hello or the last act: the same match in the end."""
    wanted = outcome(await undisturbed(tmp_path / "calm"))
    real, numbers = Seat.ask_at_once, iter(range(1, 1 << 62))

    def ask_at_once(self: Seat, ask: Ask) -> Any:
        if next(numbers) == at:
            return Mishap(Blame.HOST, "the lights went out")
        return real(self, ask)

    monkeypatch.setattr(Seat, "ask_at_once", ask_at_once)
    path = tmp_path / "record"
    result = await undisturbed(path)

    assert outcome(result) == wanted
    (line,) = voids(path)
    assert (line.family, line.detail) == (Blame.HOST, "the lights went out")
    assert result.totals.voids[0].bot == (None if at <= 2 else line.place)
    assert played(path) == played(tmp_path / "calm")


@pytest.mark.slow
async def test_a_disk_that_fills_in_mid_deal_ends_the_match_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A record that cannot be written makes no deal void: there is nowhere to say so."""
    path = tmp_path / "record"
    token = f"full-{os.getpid()}"
    plant(monkeypatch, Recorder, "write", lambda number: number > 60, lambda: HostError("full"))
    with pytest.raises(HostError, match="full"):
        await undisturbed(path, first=rogue("plays", token))

    assert not processes_with(token)
    assert voids(path) == []
    assert unfinished(str(path)) == 1


STARVED: Final = (
    (1_000_000, 0, 0, False),
    (1_000_000, 249_999, 0, False),
    (1_000_000, 250_000, 0, True),
    (1_000_000, 250_000, 100_000, True),
    (1_000_000, 250_000, 100_001, False),
    (1_000_000, 9_000_000, 0, True),
    (1_000_000, 9_000_000, 900_000, False),
    (200_000, 50_000, 20_000, True),
)


@pytest.mark.parametrize(("allowance", "lag", "cpu", "ours"), STARVED)
def test_lateness_is_the_hosts_when_neither_of_us_ran(
    allowance: int, lag: int, cpu: int, ours: bool
) -> None:
    """We were held up for a quarter of the time, and the bot worked for a tenth of it at most."""
    assert starved(allowance, lag, cpu) is ours


@pytest.fixture
def puppet() -> Iterator[Puppet]:
    """A bot that says nothing."""
    found = Puppet()
    yield found
    found.release()


@pytest.fixture
def one_clock(monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock) -> MockClock:
    """All clocks are trio's, which the test moves."""

    class Time:
        @staticmethod
        def perf_counter_ns() -> int:
            return int(trio.current_time() * 1e9)

        @staticmethod
        def thread_time_ns() -> int:
            return 0  # what we do takes no time of that clock

    ours = (waiting, looks, arrival, blocked, evidence, held_up, run_delay)
    for module in (seat_module, exchange_module, *ours):
        monkeypatch.setattr(module, "time", Time)
    monkeypatch.setattr(seat_module, "exchange", plain_exchange)
    return autojump_clock


ALLOWANCE_US: Final = 1_000_000
STALLS: Final[dict[str, tuple[float, int, float]]] = {
    "none": (0.0, 0, 1.0),
    "short": (0.1, 0, 1.1),
    "long": (0.5, 0, 1.5),
    "long, and the bot worked": (0.5, 500_000, 1.5),
    "beyond the deadline": (5.0, 0, 6.0),
    "beyond the deadline, and the bot worked": (5.0, 5_000_000, 5.1),
}
"""How long the host stands still, what the bot uses meanwhile, in microseconds, and when it is
late, in seconds: a bot that works then has its time again for as long as it slept, at most."""


@pytest.mark.parametrize("stall", STALLS)
async def test_a_host_that_stands_still_takes_nothing_of_a_bots_time(
    stall: str, puppet: Puppet, one_clock: MockClock
) -> None:
    """A silent bot is waited for as much longer, and then late; not one that used its time."""
    stall_s, worked_us, late_s = STALLS[stall]
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    async with trio.open_nursery() as nursery:

        async def stand_still() -> None:
            await trio.sleep(0.105)
            puppet.worked_us += worked_us
            if stall_s:
                one_clock.jump(stall_s)

        nursery.start_soon(stand_still)
        found = await Seat(0, puppet).ask(ask)

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert late_s - 0.05 <= trio.current_time() <= late_s + 0.1


@pytest.fixture
def busy() -> Iterator[Puppet]:
    """The other bot at the table."""
    found = Puppet()
    yield found
    found.release()


READY: Final = b'{"type":"ready","protocol":1,"name":"x"}\n'


@pytest.mark.parametrize("answers", [True, False])
async def test_what_another_bot_makes_the_host_lose_is_neither_the_victims_nor_the_hosts(
    answers: bool, puppet: Puppet, busy: Puppet, one_clock: MockClock
) -> None:
    """It worked off turn, and nobody was woken meanwhile: the bot that slept has its time again."""
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    other = Seat(1, busy)
    other.off_turn.begin()
    async with trio.open_nursery() as nursery:

        async def keep_the_core() -> None:
            await trio.sleep(0.105)
            busy.worked_us += 1_500_000
            one_clock.jump(1.5)
            await trio.sleep(0.3)
            if answers:
                os.write(puppet.says, READY)

        nursery.start_soon(keep_the_core)
        found = await Seat(0, puppet, seats=[other]).ask(ask)

    if answers:
        assert isinstance(found, tuple)
        assert found[1].complete < ALLOWANCE_US
    else:
        assert isinstance(found, Verdict)
        assert found.code is FaultCode.LATE


async def test_what_a_bot_did_before_an_act_keeps_none_from_it(
    puppet: Puppet, busy: Puppet, one_clock: MockClock
) -> None:
    """It worked while no bot was to move; who then stops the core itself is late by that."""
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), ALLOWANCE_US, connection)
    other = Seat(1, busy)
    other.off_turn.begin()
    busy.worked_us += 9_000_000
    LastSeen().see([other.off_turn])
    async with trio.open_nursery() as nursery:

        async def keep_the_core() -> None:
            await trio.sleep(0.105)
            puppet.worked_us += 9_000_000
            one_clock.jump(9)

        nursery.start_soon(keep_the_core)
        found = await Seat(0, puppet, seats=[other]).ask(ask)

    assert isinstance(found, Verdict)
    assert found.code is FaultCode.LATE
    assert other.off_turn.charge == ""


@pytest.mark.parametrize("who", ["itself", "another", "nobody"])
async def test_a_standstill_is_no_time_of_a_bot_but_what_it_worked(
    who: str,
    puppet: Puppet,
    busy: Puppet,
    one_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The referee charges a bot what it used, not what another bot used, or no process at all."""
    other = Seat(1, busy)
    seat = Seat(0, puppet, seats=[other])
    for one in (other, seat):
        one.off_turn.begin()
    os.write(puppet.says, READY)
    connection = Connection()
    ask = Ask(0, "act", connection.send(HELLO), ALLOWANCE_US, connection)

    def stalls(*words: Any) -> Exchange:  # as that takes it
        begin, written, data, sent, held, _, talk, action = plain_exchange(*words)
        puppet.worked_us += 300_000 * (who == "itself")
        busy.worked_us += 300_000 * (who == "another")
        return begin, written, data, sent, held, 320_000, talk, action

    monkeypatch.setattr(seat_module, "exchange", stalls)
    found = await seat.ask(ask)

    assert isinstance(found, tuple)
    assert found[1].complete == (300_001 if who == "itself" else 1)


@pytest.mark.parametrize("when", ["at once", "later", "never"])
async def test_a_referee_that_was_stopped_charges_no_clock(
    when: str, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long the bot took is not known then: the deal is void, also where it answered."""
    before = signal.getsignal(signal.SIGCONT)
    count_continuations()
    answer = b'{"type":"ready","protocol":1,"name":"x"}\n'
    connection = Connection()
    ask = Ask(0, "", connection.send(HELLO), 200_000, connection)
    seat = Seat(0, puppet)
    try:
        async with trio.open_nursery() as nursery:

            async def go_on() -> None:
                await trio.sleep(0.05)
                os.kill(os.getpid(), signal.SIGCONT)
                if when == "later":
                    os.write(puppet.says, answer)

            if when == "at once":
                os.write(puppet.says, answer)

                def stopped(*words: Any) -> Exchange:  # as that takes it
                    os.kill(os.getpid(), signal.SIGCONT)
                    return exchange(*words)

                monkeypatch.setattr("referee.play.seat.exchange", stopped)
            else:
                nursery.start_soon(go_on)
            found = await seat.ask(ask)
    finally:
        signal.signal(signal.SIGCONT, before)
    assert isinstance(found, Mishap)
    assert (found.family, found.detail) == (
        Blame.HOST,
        "the referee was stopped while the bot was to move",
    )


@contextmanager
def freezing_group(pid: int) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
    """What freezes and thaws a process by a control group of its own; no signal tells it so."""
    need(root=True)
    found = available()
    if found is None:
        lacking("no control groups")
    group = Path(found.v1.get("freezer") or str(found.v2), f"stopped-{pid}")
    group.mkdir()
    freezer = version_1(group) if "freezer" in found.v1 else version_2(group)
    try:
        (group / "cgroup.procs").write_text(str(pid))
        yield freezer.freeze, freezer.thaw
    finally:
        freezer.thaw()
        freezer.close()
        os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: not (group / "cgroup.procs").read_text(), 20)
        group.rmdir()


@pytest.mark.slow
def test_a_referee_that_is_frozen_charges_no_clock(running: Callable[..., Running]) -> None:
    """No signal tells it; a bot that takes a tenth of a second is never charged for seconds."""
    bot = marked(f"frozen-{os.getpid()}", 0.1)
    time_ = ("--time", "move=1s,bank=60s,start=60s")
    one = running(bot, bot, "--deals", "5", "--record", "r", "--sandbox", "bare", *time_)
    assert wait_for(lambda: size_of("r") > 4000, 60)
    with freezing_group(one.process.pid) as (freeze, thaw):
        for _ in range(3):
            size = size_of("r")
            freeze()
            time.sleep(2)  # it takes time to stand still
            thaw()
            assert wait_for(lambda: size_of("r") > size, 60)  # noqa: B023  # at once
    acts = [line for line in lines_of(Path("r")) if isinstance(line, ActLine)]
    assert acts
    assert max(act.us.complete for act in acts) < 1_900_000


@pytest.mark.slow
@pytest.mark.parametrize("works_too", [False, True])
async def test_an_answer_after_the_host_stood_still_is_judged_alike(
    works_too: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What came too late by our own lag makes the deal void, if the bot has hardly run."""
    at_once, finish, numbers = Seat.ask_at_once, Seat.finish, iter(range(1, 1 << 62))
    allowed = 0

    def late(found: Any) -> Any:
        if found is None or next(numbers) != 30 or not isinstance(found, tuple):
            return found
        return found[0], Receipt(1, allowed * 2, allowed * 2, allowed if works_too else 100)

    def ask_at_once(self: Seat, ask: Ask) -> Any:
        nonlocal allowed
        allowed = ask.allowance_us
        return late(at_once(self, ask))

    async def finishes(self: Seat) -> Any:
        return late(await finish(self))

    monkeypatch.setattr(Seat, "ask_at_once", ask_at_once)
    monkeypatch.setattr(Seat, "finish", finishes)
    path = tmp_path / "record"
    result = await undisturbed(path)

    assert sum(result.totals.fault_counts) == works_too
    assert len(voids(path)) == (not works_too)
    verified(path)


TALKER: Final = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"talker"}', flush=True)
    elif message["type"] == "act":
        sys.stderr.write("why I play this, at great length\\n" * 8000)
        more = {"note": "n" * 512, "x": "y" * 15600}
        print(json.dumps({"id": message["id"], "action": message["legal"][0], **more}), flush=True)
    elif message["type"] == "end":
        break
"""


def rss() -> int:
    """How much memory we have now, in bytes."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
async def test_a_talkative_bot_does_not_grow_the_referee(tmp_path: Path) -> None:
    """Nearly 1 MiB of answers and 15 MiB of stderr, within limits: our memory stays flat."""
    (tmp_path / "talker.py").write_text(TALKER)
    command = (sys.executable, "-S", "talker.py")
    talker = BotSpec("talker", command, str(tmp_path), "0" * 64, "talker")
    first = await match(tmp_path / "warm", "briscola-2", talker, "sample:first-c", deals=1)
    before = rss()
    result = await match(tmp_path / "record", "briscola-2", talker, "sample:first-c", deals=3)

    assert first.totals.faults == result.totals.faults == []
    assert result.totals.acts == 120
    assert rss() - before < RSS_MOST
    verified(tmp_path / "record")


@pytest.mark.slow
@pytest.mark.parametrize(("times", "place", "line"), [(4, 0, "so many void"), (1, 7, "was asked")])
async def test_more_void_deals_than_a_referee_allows_do_not_verify(
    times: int, place: int, line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nobody voids a lost deal until it is won, nor blames a seat that was not asked."""
    path, forged = tmp_path / "record", tmp_path / "forged"
    plant(monkeypatch, Leg, "check_answer", lambda number: number == 10)
    await undisturbed(path)
    monkeypatch.undo()
    lines = lines_of(path)
    begin = next(at for at, one in enumerate(lines) if isinstance(one, DealLine))
    void = next(at for at, one in enumerate(lines) if isinstance(one, VoidLine))
    found = lines[void]
    assert isinstance(found, VoidLine)
    odd = found if times > 1 else structs.replace(found, place=place)
    chain = Chain()
    for one in (*lines[:begin], *(*lines[begin:void], odd) * times, *lines[void + 1 :]):
        data = chain.encode(one)
        with forged.open("ab") as file:
            file.write(data)

    with pytest.raises(Mismatch, match=line):
        verified(forged)
