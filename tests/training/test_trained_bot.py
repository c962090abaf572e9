"""The example of docs/: a policy learns by self-play, and plays as a bot unchanged."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import RefereeError
from referee.training.bot_folder import write_bot
from referee.training.of_game import encoding_of

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PROGRAM = Path(sys.executable).with_name("referee")


def trained(folder: Path, deals: int) -> dict[str, float]:
    """Train a bot; return the weights that are printed."""
    words = [sys.executable, str(EXAMPLES / "train.py"), str(folder), str(deals)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def said(*words: str, cwd: Path) -> str:
    """What a command prints."""
    done = subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, check=True, cwd=cwd, env=os.environ
    )
    return done.stdout


@pytest.mark.slow
def test_a_policy_that_learned_is_a_bot_like_any_other(tmp_path: Path) -> None:
    """It keeps to the protocol, plays its game by what it learned, and another game legally."""
    weights = trained(tmp_path / "learner", 150)
    assert weights["win: points in the trick"] > 0 > weights["lose: points in the trick"]
    assert "ok" in said("check", "learner", "--sandbox", "bare", cwd=tmp_path)
    for game in ("briscola-2", "auction-biscambiggia"):
        bots = ["learner", *["sample:first"] * (1 if game == "briscola-2" else 4)]
        match = said(
            "match",
            *bots,
            "--game",
            game,
            "--deals",
            "4",
            "--sandbox",
            "bare",
            "--json",
            cwd=tmp_path,
        )
        assert json.loads(match)["faults"] == []


@pytest.mark.thorough
def test_a_minute_of_learning_beats_random_play(tmp_path: Path) -> None:
    """By twenty card points a deal at least, as far as the 95 % interval of `compare` reaches."""
    trained(tmp_path / "learner", 15_000)
    words = ["learner", "sample:random", "--until", "600", "--sandbox", "bare", "--key", "learned"]
    found = json.loads(said("compare", *words, "--json", cwd=tmp_path))
    assert found["blocks"] == 600
    assert found["interval"][0] > 20


def test_a_folder_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    """Nor is half a bot left where a file is missing."""
    encoding = encoding_of("briscola-2")
    (tmp_path / "mine").mkdir()
    with pytest.raises(RefereeError, match="mine is there already"):
        write_bot(tmp_path / "mine", encoding, EXAMPLES / "policy.py")
    with pytest.raises(RefereeError, match="no-such"):
        write_bot(tmp_path / "other", encoding, tmp_path / "no-such.py")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
