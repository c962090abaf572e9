"""The referee alone, without the packages that only compare and rank bots."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

PYPROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"
LADDER: Final = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]["ladder"]
MISSING: Final = sorted(re.split(r"[^a-z]", line)[0] for line in LADDER)

ALONE: Final = f"""
import sys
for name in {MISSING!r}:
    sys.modules[name] = None  # as if it were not there
from referee.__main__ import main
sys.argv[0] = "referee"
sys.exit(main())
"""


def referee(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command where nothing of the extra is installed."""
    return subprocess.run(
        [sys.executable, "-c", ALONE, *words], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_referee_alone_plays_and_proves(tmp_path: Path) -> None:
    """A match, its record, a check of a bot: none of it takes numpy or a database."""
    bots = ("sample:first", "sample:greedy", "--sandbox", "bare")
    played = referee("match", *bots, "--record", "r", "--deals", "2", cwd=tmp_path)
    proved = referee("replay", "r", "--verify", cwd=tmp_path)
    checked = referee("check", "sample:first", "--sandbox", "bare", cwd=tmp_path)
    games, helped = (referee(word, cwd=tmp_path) for word in ("games", "--help"))

    assert [one.returncode for one in (played, proved, checked, games, helped)] == [0] * 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "sample:first", "sample:greedy"),
        ("event", "show", "x"),
        ("submit", "x"),
        ("ladder", "standings"),
        ("replay", "12345678"),
    ],
    ids=" ".join,
)
def test_what_takes_more_says_what_to_install(words: tuple[str, ...], tmp_path: Path) -> None:
    """In one line, with exit code 2."""
    done = referee(*words, cwd=tmp_path)

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("which is not installed: pip install 'briscola-referee[ladder]'\n")
