"""`referee play`: a person at the table, in a pipe and on a terminal."""

import os
import pty
import re
import subprocess
import sys
import termios
from itertools import cycle
from pathlib import Path

import pytest

from referee.cli import run
from referee.match.clock import parse_time
from referee.record.reader import RecordReader
from referee.rules.cards import RANKS, SUITS

BARE = ("--sandbox", "bare")
ANY_CARD = cycle(["pass", *(rank + suit for suit in SUITS for rank in RANKS), *SUITS])


class Typist:
    """Types names of actions, one after the other, whatever is asked."""

    def readline(self) -> str:
        return f"{next(ANY_CARD)}\n"

    def isatty(self) -> bool:
        return False


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Typist())


@pytest.mark.slow
@pytest.mark.usefixtures("typist")
def test_a_deal_is_compared_with_what_a_sample_bot_gets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same cards, against the same bots; the record holds, and has no end of acts."""
    record = str(tmp_path / "record")
    assert run(["play", "--deals", "2", "--key", "k", "--record", record, *BARE]) == 0
    said = capsys.readouterr().out
    pars = re.findall(r"greedy gets with your cards: (\d+) card points \(you (\d+)\)", said)
    assert len(pars) == 2
    ends = re.findall(r"Deal \d is over. Card points: you (\d+), greedy (\d+)", said)
    assert [mine for mine, _ in ends] == [mine for _, mine in pars]
    assert "You — greedy: " in said
    assert "slow: " not in said
    assert run(["replay", record, "--verify"]) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("typist")
def test_par_is_what_the_bot_gets_that_sits_there_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `referee match` plays it with the same key."""
    words = ["--deals", "1", "--key", "par", "--game", "briscola-3"]
    assert run(["play", *words, "--record", str(tmp_path / "mine"), *BARE]) == 0
    (par,) = re.findall(r"greedy gets with your cards: (\d+) card", capsys.readouterr().out)
    bots = ["sample:greedy"] * 3
    assert run(["match", *bots, *words, "--record", str(tmp_path / "it"), *BARE, "--json"]) == 0
    capsys.readouterr()
    assert run(["replay", str(tmp_path / "it"), "--json"]) == 0
    (points,) = re.findall(r'"points":\s*\[([^]]*)\],\s*"scores"', capsys.readouterr().out)[-1:]
    assert int(par) == int(points.split(",")[0])


@pytest.mark.slow
@pytest.mark.usefixtures("typist")
def test_seats_that_are_left_are_filled_with_the_same_bots_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In their order, around the place at which the person sits."""
    record = tmp_path / "record"
    bots = ["sample:greedy", "sample:first"]
    words = ["--game", "sueca", "--deals", "1", "--place", "2", "--my-time", "move=1h,bank=0s"]
    assert run(["play", *bots, *words, "--record", str(record), *BARE]) == 0
    with RecordReader(record) as reader:
        header = reader.header
    names = [bot.name for bot in header.bots]
    assert (names[0], names[2:]) == ("greedy", ["first", "greedy"])
    assert header.clocks == {1: parse_time("move=1h,bank=0s")}
    assert header.terms.time == parse_time("")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--place", "9"], "--place 9: the game has 2 seats"),
        (["a", "b", "--game", "briscola-2"], "2 bots and you: the game has 2 seats"),
        (["--game", "chess"], "no game 'chess': `referee games` lists them"),
        (["--my-time", "soon"], "time 'soon': write it like"),
        (["no-bot"], "bot 'no-bot': there is no such file"),
        (["--place", "0"], "Invalid value for '--place'"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["play", *words, *BARE]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"referee: {line}")
    assert (said.err.count("\n"), said.out) == (1, "")


class OnTerminal:
    """The command on a terminal of its own."""

    def __init__(self, folder: Path) -> None:
        self._end, theirs = pty.openpty()
        self.before = termios.tcgetattr(self._end)
        words = ["play", "--deals", "1", "--key", "k", "--record", str(folder / "record"), *BARE]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
        )
        os.close(theirs)
        self.said = ""

    def until(self, text: str, since: int = 0) -> int:
        """Read until this was said; return how much was said up to there."""
        while text not in self.said[since:]:
            data = os.read(self._end, 65536)
            self.said += data.decode(errors="replace")
        return self.said.index(text, since) + len(text)

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def end(self) -> int:
        """Wait for the end; return the exit code."""
        code = self.process.wait(30)
        assert termios.tcgetattr(self._end)[3] == self.before[3], "lines are edited again"
        os.close(self._end)
        return code


@pytest.mark.slow
def test_keys_choose_on_a_terminal_which_is_left_as_it_was(tmp_path: Path) -> None:
    """Arrows and Enter, a name, a hint, and then q."""
    terminal = OnTerminal(tmp_path)
    at = terminal.until("arrows and Enter")
    terminal.type("h")
    at = terminal.until("hint: ", at)
    terminal.type("\x1b[C\x1b[D\r")
    at = terminal.until("you drew", at)
    at = terminal.until("arrows and Enter", at)
    terminal.type("zzz")
    at = terminal.until("zzz", at)
    terminal.type("\x7f\x7f\x7f")
    at = terminal.until("arrows and Enter", at)
    terminal.type("q")
    terminal.until("result: interrupted", at)
    assert terminal.end() == 130


@pytest.mark.slow
def test_ctrl_c_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    terminal = OnTerminal(tmp_path)
    terminal.until("arrows and Enter")
    terminal.process.send_signal(2)
    terminal.until("result: interrupted")
    assert terminal.end() == 130
