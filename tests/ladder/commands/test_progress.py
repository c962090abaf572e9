"""How a long task goes: lines now and then in a pipe, a bar on a terminal."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from ladder.commands.progress import counted
from ladder.core.facts import Keep, Retention
from referee.cli import run
from support import ladders


class Clock:
    """Says the time that it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def shown(*, terminal: bool, seconds: float) -> str:
    """What is shown of a task whose hundred steps take so long altogether."""
    file, clock = io.StringIO(), Clock()
    talk = Console(file=file, force_terminal=terminal, width=100)
    with counted(talk, "proving", "matches", clock) as say:
        for done in range(1, 101):
            clock.now += seconds / 100
            say(done, 100)
    return file.getvalue()


def test_a_pipe_hears_of_a_long_task_now_and_then() -> None:
    """Every ten seconds."""
    assert shown(terminal=False, seconds=25) == (
        "proving: 40 of 100 matches\nproving: 80 of 100 matches\n"
    )


def test_a_pipe_hears_nothing_of_a_short_one() -> None:
    """Scripts are not told what is over before they could read it."""
    assert shown(terminal=False, seconds=5) == ""


def test_a_terminal_has_a_bar_that_says_how_far_it_is() -> None:
    """And that is gone afterwards."""
    found = shown(terminal=True, seconds=5)

    assert "proving" in found
    assert " of 100 matches" in found


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["rebuild"], "reading: 3 of 3 matches\n"),
        (["verify", "--sample", "0"], "proving: 3 of 3 matches\n"),
        (["records", "--apply"], "removing records of: 3 of 3 matches\n"),
    ],
)
def test_what_takes_long_in_a_large_ladder_says_how_far_it_is(
    words: list[str],
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On stderr; here without patience."""
    monkeypatch.setattr("ladder.commands.progress._LINE_EVERY_S", 0.0)
    with ladders.made(tmp_path / "it", bots=("first", "random")) as store:
        ladders.filled(store, 3)
        store.add(lambda _, now: [Retention(keep=Keep.FACTS, at_ms=now)])

    assert run(["ladder", *words, "--ladder", str(tmp_path / "it")]) == 0
    assert line in capsys.readouterr().err
