"""docs/python.md and docs/training.md: every example in them runs."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import api
from referee.games import catalogue
from referee.training.of_game import encoding_of

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("python.md", "training.md")


def examples() -> Iterator[object]:
    """The blocks of Python, each with its page and line."""
    for page in PAGES:
        text = (DOCS / page).read_text()
        for found in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, found.start()) + 1
            yield pytest.param(found[1], id=f"{page}:{line}")


@pytest.mark.slow
@pytest.mark.parametrize("program", list(examples()))
def test_an_example_runs(program: str, tmp_path: Path) -> None:
    """By itself, and without a warning."""
    words = [sys.executable, "-W", "error", "-c", program]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_public_name_is_there() -> None:
    """What `__all__` of `referee.api` promises can be imported, and nothing else stands there."""
    assert sorted(api.__all__) == api.__all__
    assert {name for name in vars(api) if not name.startswith("_")} == set(api.__all__)


def test_every_part_of_an_observation_is_told() -> None:
    """The table of docs/training.md names each part that some game has, and no other."""
    text = (DOCS / "training.md").read_text()
    table = text[text.index("| part |") : text.index("A part that a game cannot have")]
    told = {
        name
        for row in table.splitlines()[2:]
        if row.startswith("|")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    made = {name for game in catalogue() for name, _, _ in encoding_of(game).fields}
    with_options = {"covered", "signals", "exchanges"}
    assert made <= told <= made | with_options
