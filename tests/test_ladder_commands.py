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
