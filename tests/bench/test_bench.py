"""`referee bench`: what it reports. How fast anything is belongs in no test."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.bench import exchanges
from referee.bench.exchanges import cost_of_exchanges
from referee.bench.figures import FIGURES, LINE
from referee.bench.machine import python_build
from referee.bench.matches import mean_line
from referee.bench.report import BenchReport, Machine, rows_of
from referee.bench.round_trip import compiled, trip_us
from referee.bench.targets import goal, in_l
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.cli import run
from referee.commands.bench import show
from referee.errors import HostError
from referee.match.verdict import Freeze
from referee.play.exchange import Exchange, exchange
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.terminal.console import console
from support.matches import has_tool
from support.processes import REFEREE
from support.sandboxes import need

MACHINE = Machine(2, "a processor", "a kernel", "a python", "0", "gcc", "plain", 0.0)
CROWDS = ("deals.bare", "deals.bwrap")

needs_gcc = pytest.mark.skipif(not has_tool("first-c"), reason="there is no C compiler")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_a_ratio_is_taken_round_by_round() -> None:
    """A round in which the machine was slow counts no more than the others."""
    samples = {LINE: [2.0, 2.0, 20.0], "act.bare.auto": [7.0, 8.0, 80.0]}

    assert in_l("act.bare.auto", samples) == 4.0
    found = goal("act.bare.auto", samples, 2)
    assert found is not None
    assert (found.text, found.reached, found.met) == ("<= 4.0 L", 4.0, True)


@pytest.mark.parametrize(
    ("figure", "sample", "met", "text"),
    [
        ("act.bare.auto", 8.0, True, "<= 4.0 L"),
        ("act.bare.auto", 8.1, False, "<= 4.0 L"),
        ("act.bwrap.auto", 9.0, True, "<= 4.5 L"),
        ("act.bwrap.auto", 9.1, False, "<= 4.5 L"),
        ("act.bwrap.always", 12.0, True, "<= 1.5 x"),
        ("act.bwrap.always", 12.1, False, "<= 1.5 x"),
        ("deals.bare", 5500.0, True, ">= 5,500/s"),
        ("deals.bwrap", 5499.0, False, ">= 5,500/s"),
    ],
)
def test_targets_are_met_or_missed(figure: str, sample: float, met: bool, text: str) -> None:
    """Where a line takes 2 us on each of two cores, and an act in bubblewrap 8."""
    found = goal(figure, {LINE: [2.0], "act.bwrap.auto": [8.0], figure: [sample]}, 2)

    assert found is not None
    assert (found.met, found.text) == (met, text)


def test_figures_without_a_target_have_none() -> None:
    """Starts and exchanges are measured, not judged."""
    samples = {figure.id: [1.0] for figure in FIGURES}
    judged = {figure.id for figure in FIGURES if goal(figure.id, samples, 1) is not None}

    assert judged == {"act.bare.auto", "act.bwrap.auto", "act.bwrap.always", *CROWDS}


def test_rows_are_what_was_measured_in_the_order_of_the_table() -> None:
    """Every sample is kept beside its median, lowest and highest."""
    rows = rows_of({"deals.bare": [3.0, 1.0, 2.0], LINE: [2.0, 2.5, 3.0]}, 2)

    assert [row.id for row in rows] == [LINE, "deals.bare"]
    assert rows[1].samples == (3.0, 1.0, 2.0)
    assert (rows[1].low, rows[1].median, rows[1].high) == (1.0, 2.0, 3.0)
    assert rows[0].in_l == 1.0


def test_a_figure_that_a_round_has_not_is_left_out() -> None:
    """Its samples are of no rounds that could be named."""
    assert [row.id for row in rows_of({"exchange.bwrap.always": [1.0], LINE: [2.0, 2.5]}, 2)] == [
        LINE
    ]


def test_the_table_says_what_is_met_and_what_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Plain text in a pipe, with what L is and how others compare."""
    samples = {LINE: [2.0], "act.bare.auto": [7.0], "act.bwrap.auto": [10.0]}
    busy = msgspec.structs.replace(MACHINE, busy=3.0)
    rows = rows_of(samples, 2)
    show(BenchReport(busy, 1, 600, rows, {"docker": "no daemon"}), console())
    said = capsys.readouterr().out

    assert "<= 4.0 L: ok" in said
    assert "<= 4.5 L: missed" in said
    assert "without docker: no daemon" in said
    assert "3.0 processes wanted to run" in said
    assert "fastchess at 12 L" in said
    assert "\x1b" not in said


def test_the_line_of_an_act_has_a_length_that_does_not_change() -> None:
    """L is of the same bytes on every machine."""
    assert mean_line(2) == 594


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--rounds", "0"], "rounds=0: from 1 to 1000"),
        (["--only", "all"], "'all' is not one of 'acts', 'starts'"),
    ],
)
def test_wrong_input_is_named(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one line."""
    assert run(["bench", *arguments]) == 2
    assert line in capsys.readouterr().err


def test_without_a_compiler_nothing_is_measured(
    scratch: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line names what is missing."""
    monkeypatch.setenv("PATH", str(scratch))

    assert run(["bench"]) == 2
    assert capsys.readouterr().err == (
        "referee: bench: no C compiler (gcc, cc, clang): all is measured beside a C program\n"
    )
    assert list(scratch.iterdir()) == []


@needs_gcc
def test_round_trips_are_timed(tmp_path: Path) -> None:
    """The program compiles without a warning and prints a time."""
    ping = compiled(tmp_path)

    assert trip_us(ping, 10, 600) > 0


@needs_gcc
async def test_bots_are_stopped_between_exchanges_as_in_a_match(
    bwrap: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what freezing costs would not be seen; a bot that does not freeze is never stopped."""
    need("bwrap", root=True)
    told: set[bytes] = set()

    def notes(*given: Any) -> Exchange:  # as it is called
        told.add(given[9])
        return exchange(*given)

    monkeypatch.setattr(exchanges, "exchange", notes)
    bot = find("sample:first-c", Settings())
    assert await cost_of_exchanges(bwrap, bot, Freeze.AUTO, 1)
    assert told == {b""}
    told.clear()
    assert await cost_of_exchanges(bwrap, bot, Freeze.ALWAYS, 1)
    assert told <= {b"1", b"FROZEN"}
    assert told


@needs_gcc
async def test_exchanges_are_none_where_no_file_stops_a_bot() -> None:
    """And an error where a bot does not play what was asked of it beforehand."""
    async with opened(SandboxName.BARE) as bare:
        bot = find("sample:first-c", Settings())
        assert await cost_of_exchanges(bare, bot, Freeze.AUTO, 1)
        assert await cost_of_exchanges(bare, bot, Freeze.ALWAYS, 1) is None
        with pytest.raises(HostError, match="did not answer with its first legal action"):
            await cost_of_exchanges(bare, find("sample:greedy", Settings()), Freeze.AUTO, 2)


@needs_gcc
@pytest.mark.slow
def test_parts_can_be_chosen(scratch: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rest is left out."""
    assert run(["bench", "--quick", "--rounds", "1", "--only", "acts", "--only", "starts"]) == 0
    rows = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]

    assert "act, bare" in rows
    assert "start, bare" in rows
    assert "start, life" in rows, "what the names mean, line by line"
    assert not [row for row in rows if row.startswith("deals, ")]
    assert list(scratch.iterdir()) == []


@needs_gcc
@pytest.mark.thorough
def test_all_is_measured_as_often_as_was_asked(
    scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The JSON holds every sample, and prints as the table does."""
    assert run(["bench", "--quick", "--rounds", "2", "--json"]) == 0
    said = capsys.readouterr().out
    report = msgspec.json.decode(said, type=BenchReport)
    absent = {"docker", *report.absent}
    expected = {one.id for one in FIGURES if absent.isdisjoint(one.id.split("."))}

    if os.geteuid():
        expected.discard("exchange.bwrap.always")  # a user has no file that stops a bot

    assert {row.id for row in report.rows} == expected
    assert {len(row.samples) for row in report.rows} == {2}
    assert json.loads(said)["machine"]["cores"] == len(os.sched_getaffinity(0))
    show(report, console())
    assert capsys.readouterr().out.count("/s: ") == len(expected.intersection(CROWDS))
    assert list(scratch.iterdir()) == []


@needs_gcc
@pytest.mark.thorough
def test_it_can_be_interrupted(tmp_path: Path) -> None:
    """Exit code 130, and nothing is left."""
    command = [str(REFEREE), "bench", "--only", "deals", "--rounds", "1000"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(tmp_path.glob("*/crowds/*")):
        time.sleep(0.02)  # the outside world: there is no clock of ours to move
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)

    assert said == b"referee: interrupted\n"
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "prefix", "said"),
    [
        ("'--prefix=/opt' '--enable-optimizations'", "/opt", "with PGO"),
        ("'--prefix=/opt'", "/opt", "without PGO"),
        ("'--prefix=/usr' '--with-dtrace'", "/usr", "of the distribution"),
        ("", "/opt", "without PGO"),
    ],
)
def test_it_is_said_how_the_interpreter_was_built(arguments: str, prefix: str, said: str) -> None:
    """A build without a profile is a tenth slower; distributions do not say that they made one."""
    assert python_build(arguments, prefix) == said
