"""What `--json` prints is what the schemas say that are checked in."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ladder.commands import json_schemas as of_ladders
from referee.cli import run
from referee.commands import json_schemas


@pytest.mark.parametrize("module", [json_schemas, of_ladders], ids=["referee", "ladder"])
def test_the_schemas_are_current(module: Any) -> None:  # one of two modules
    """`make schemas` writes what the types say; nobody forgot to."""
    here = {path.name: path.read_text() for path in module.FOLDER.glob("*.json")}

    assert module.schemas() == here


def fits(words: str, said: object) -> None:
    """Validates what a command has printed, with nothing in it that the schema does not name."""
    texts = {**json_schemas.schemas(), **of_ladders.schemas()}
    schema = json.loads(texts[f"{words.replace(' ', '-')}.json"])
    for kind in schema["$defs"].values():
        kind.setdefault("additionalProperties", False)
    jsonschema.Draft202012Validator(schema).validate(said)


def printed(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> Any:  # JSON
    """What a command prints with `--json`."""
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_what_commands_print_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A match, its record shown and proved, games, copies, and a bot that is checked."""
    record = str(tmp_path / "record")
    bots = ["sample:first", "sample:greedy"]
    match = ["match", *bots, "--deals", "2", "--sandbox", "bare", "--record", record]

    fits("match", printed(match, capsys))
    fits("replay", printed(["replay", record], capsys))
    fits("replay verify", printed(["replay", record, "--verify"], capsys))
    fits("games ID", printed(["games", "sueca-italiana"], capsys))
    for game in printed(["games"], capsys):
        fits("games ID", game)
    fits("clean", printed(["clean", "--dry-run"], capsys))
    fits("check", printed(["check", "sample:first", "--sandbox", "bare"], capsys))


@pytest.mark.slow
def test_an_auction_with_a_fault_fits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deal that has all that a deal can have."""
    record = str(tmp_path / "record")
    game = ["--game", "briscola-chiamata-rank", "--deals", "3", "--sandbox", "bare"]
    bots = [*["sample:random"] * 4, "/bin/false"]
    capsys.readouterr()
    assert run(["match", *bots, *game, "--record", record, "--json"]) == 1
    fits("match", json.loads(capsys.readouterr().out))
    fits("replay", printed(["replay", record], capsys))
