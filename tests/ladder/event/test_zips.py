"""Bots of an event may be zips."""

import json
import shutil
from pathlib import Path

import pytest

from referee.cli import run
from support.sandboxes import need

pytestmark = pytest.mark.slow

EVENT = """
name = "zips"
blocks = 1
records = false
workers = 1
sandbox = "{sandbox}"
[[game]]
id = "briscola-2"
[[bot]]
path = "./mine.zip"
[[bot]]
path = "./mine"
name = "folder"
"""


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A bot as a folder and as a zip of it, and the file of an event of both."""
    need("bwrap")
    assert run(["new", "mine", "--language", "python", "--folder", str(tmp_path)]) == 0
    shutil.make_archive(str(tmp_path / "mine"), "zip", tmp_path / "mine")
    (tmp_path / "event.toml").write_text(EVENT.format(sandbox="bwrap"))
    capsys.readouterr()
    return tmp_path


def test_a_zip_plays_as_its_folder_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the same bot by its hash; an event that goes on finds it unpacked."""
    for _ in range(2):
        assert run(["event", "run", str(folder / "event.toml"), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
    (header, *_) = (folder / "event" / "log.jsonl").read_text().splitlines()
    entrants = json.loads(header)["plan"]["entrants"]
    assert len({entrant["hash"] for entrant in entrants}) == 1
    assert [entrant["name"] for entrant in entrants] == ["mine", "folder"]
    assert len(list((folder / "event" / "bots").iterdir())) == 1
    assert found["key"]


def test_a_zip_that_is_none_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it is left, and nothing was begun."""
    whole = (folder / "mine.zip").read_bytes()
    (folder / "mine.zip").write_bytes(whole[: len(whole) // 2])
    assert run(["event", "run", str(folder / "event.toml")]) == 2
    assert "mine.zip': it is damaged" in capsys.readouterr().err
    assert list((folder / "event").rglob("*")) == [folder / "event" / "bots"]


def test_without_a_sandbox_no_zip_is_unpacked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What to do instead is said."""
    (folder / "event.toml").write_text(EVENT.format(sandbox="bare"))
    assert run(["event", "run", str(folder / "event.toml")]) == 2
    said = capsys.readouterr().err
    assert "a zip is unpacked in a sandbox only; unpack it yourself, and name the folder" in said
