"""Commands of a ladder as people type them, in processes of their own."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from support.sandboxes import need

pytestmark = pytest.mark.slow

REFEREE: Final = Path(sys.executable).parent / "referee"
PATIENCE_S: Final = 60


def begun(*words: str, cwd: Path) -> "subprocess.Popen[str]":
    """A command under way, in a folder."""
    pipe = subprocess.PIPE
    return subprocess.Popen([str(REFEREE), *words], cwd=cwd, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize(
    "words",
    [
        ["sample:first", "--game", "sueca"],
        ["sample:first", "--partner", "nobody"],
        [""],
        ["nothing-there"],
        ["sample:first", "--name", "a b"],
        ["sample:first", "--author", ""],
    ],
)
def test_a_mistyped_submit_makes_no_ladder(words: list[str], tmp_path: Path) -> None:
    """One line, exit code 2, and nothing on the disk."""
    process = begun("submit", *words, "--ladder", "new", cwd=tmp_path)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, said.count("\n")) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_submit_tells_what_was_done_before(tmp_path: Path) -> None:
    """Whoever stops it in the third bot learns what became of the first two."""
    need("bwrap")
    (tmp_path / "refused").touch()
    (tmp_path / "endless").mkdir()
    toml = 'name = "endless"\ncommand = "sleep 1"\nbuild = "sleep 600"\n'
    (tmp_path / "endless" / "bot.toml").write_text(toml)
    bots = ["sample:first", "refused", "endless"]
    process = begun("submit", *bots, "--ladder", "new", "--sandbox", "bwrap", cwd=tmp_path)
    until = time.monotonic() + PATIENCE_S
    while not any("endless" in one.read_text() for one in tmp_path.glob("new/bots/.*/bot/*.toml")):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "first v1 by sample.first" in out
    assert "refused: bot 'refused': it is neither" in said


def done(*words: str, cwd: Path, code: int = 0) -> str:
    """What a command printed that was to end so."""
    process = begun(*words, cwd=cwd)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, said
    return out + said


def test_five_commands_make_a_ladder_with_a_table(tmp_path: Path) -> None:
    """Those of the README, with the usual place, and bots in two languages."""
    need("bwrap", "gcc")
    samples = ("greedy", "random", "first", "first-c", "first-perl", "first-sh")
    done("submit", *(f"sample:{name}" for name in samples), cwd=tmp_path)
    ran = done("ladder", "run", "--blocks", "12", cwd=tmp_path)
    assert "played 12 blocks in 12 matches" in ran
    assert sum(" briscola-2 " in line for line in ran.splitlines()) == 12
    table = done("ladder", "standings", cwd=tmp_path)
    assert "12 matches, 12 blocks, 24 deals" in table
    assert all(f"sample.{name}" in table for name in samples)
    assert "all of it holds" in done("ladder", "verify", cwd=tmp_path)
    assert ": verified, 2 deals" in done("replay", "3", "--verify", cwd=tmp_path)


def test_a_game_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    """What is closed is said, can be shown, and is the same ranking when it comes back."""
    need("bwrap")
    done("submit", "sample:first", "sample:random", cwd=tmp_path)
    done("ladder", "run", "--blocks", "2", cwd=tmp_path)
    said = done("ladder", "open", "--game", "sueca", cwd=tmp_path)
    assert "closed: #1 briscola-2" in said
    assert "2 blocks" in done("ladder", "standings", "--game", "#1", cwd=tmp_path)
    again = done("ladder", "open", "--game", "briscola-2", cwd=tmp_path)
    assert "#1 briscola-2" in again
    assert "closed: #2 sueca" in again
    assert "2 blocks" in done("ladder", "standings", cwd=tmp_path)
    assert "all of it holds" in done("ladder", "verify", cwd=tmp_path)


def test_whoever_is_retired_stays_so(tmp_path: Path) -> None:
    """Its author cannot bring it back by handing it in again; who can is told."""
    need("bwrap")
    done("submit", "sample:first", cwd=tmp_path)
    assert "(unchanged)" in done("submit", "sample:first", cwd=tmp_path)
    done("ladder", "retire", "first", "--reason", "cheats", cwd=tmp_path)
    said = done("submit", "sample:first", cwd=tmp_path, code=1)
    assert "refused: first of sample.first is retired (cheats): bring it back first" in said
    done("ladder", "rollback", "first", cwd=tmp_path)
    assert "plays briscola-2 as #1 (unchanged)" in done("submit", "sample:first", cwd=tmp_path)


def test_a_run_without_a_table_says_why(tmp_path: Path) -> None:
    """Exit code 1, and the reason by the name of the game."""
    need("bwrap")
    done("submit", "sample:first", cwd=tmp_path)
    said = done("ladder", "run", "--blocks", "3", cwd=tmp_path, code=1)
    assert "briscola-2: a table has 2 places, and 1 bot plays" in said
    assert "played 0 blocks in 0 matches" in said
