"""Before an event is played each bot is asked what `referee check` asks."""

import sys
from pathlib import Path

import pytest

from referee.cli import run

pytestmark = pytest.mark.slow

EVENT = """
name = "small"
blocks = 1
records = false
sandbox = "bare"
workers = 1
[[game]]
id = "briscola-2"
[[game]]
id = "briscola-2"
name = "again"
[[bot]]
path = "sample:first"
[[bot]]
path = "./broken.py"
"""
READY = '{"type":"ready","protocol":1,"name":"x"}'


@pytest.fixture
def file(tmp_path: Path) -> str:
    """An event with a bot that ends at its first act, and one that plays."""
    bot = tmp_path / "broken.py"
    bot.write_text(f"#!{sys.executable}\nprint({READY!r}, flush=True)\ninput(); input()\n")
    bot.chmod(0o755)
    (tmp_path / "event.toml").write_text(EVENT)
    return str(tmp_path / "event.toml")


def test_bots_that_do_not_pass_are_named_before_the_first_match(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each once, with what is wrong; nothing is played, and the event can be begun again."""
    for _ in range(2):
        assert run(["event", "run", file]) == 2
        said = capsys.readouterr().err
        assert (
            "these bots do not pass `check`:\n  broken, briscola-2: deal 1, act 0: crashed: "
            in said
        )
        assert said.count("broken, ") == 1
        assert "first, " not in said
        assert "with --no-check they play all the same" in said


def test_without_a_check_they_play(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As faults; and an event that has begun is gone on with as it began."""
    assert run(["event", "run", file, "--no-check"]) == 0
    assert "crashed" in capsys.readouterr().out
    assert run(["event", "run", file]) == 0
