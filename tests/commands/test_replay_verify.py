"""`referee replay DIR --verify`: many records at once."""

import json
import re
from pathlib import Path

import pytest

from referee.cli import run

MATCH = ("match", "sample:first-c", "sample:first-c", "--sandbox", "bare", "--deals", "1")


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three records that verify, one of them in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "all"
    for name in ("a.jsonl", "b.jsonl", "below/c.jsonl"):
        assert run([*MATCH, "--key", name, "--record", str(folder / name)]) == 0
    (folder / "notes.txt").write_text("no record")
    return folder


def test_all_records_below_a_folder_are_proved(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other files are left alone; the deals of all are counted."""
    capsys.readouterr()
    assert run(["replay", str(records), "--verify"]) == 0
    assert capsys.readouterr().out == f"{records}: 3 records verify, 3 deals\n"


def test_each_record_that_does_not_verify_is_named_and_the_others_are_proved_all_the_same(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is changed, one that is torn, one of another format, one that is none."""
    changed = (records / "a.jsonl").read_bytes()
    (records / "a.jsonl").write_bytes(re.sub(rb'"scores":\[[^]]*', b'"scores":[999,-999', changed))
    (records / "b.jsonl").write_bytes((records / "b.jsonl").read_bytes()[:2000])
    (records / "old.jsonl").write_bytes(changed.replace(b'"record":4', b'"record":2'))
    (records / "x.jsonl").write_text("hello\n")
    capsys.readouterr()
    assert run(["replay", str(records), "--verify"]) == 1
    said = capsys.readouterr()
    assert said.out == f"{records}: 1 of 5 records verify, 1 deal\n"
    whys = [tuple(line.split(": ")[:2]) for line in said.err.splitlines()]
    assert whys == [
        (f"{records}/a.jsonl", "does not verify"),
        (f"{records}/b.jsonl", "unfinished"),
        (f"{records}/old.jsonl", "does not verify"),
        (f"{records}/x.jsonl", "does not verify"),
    ]

    assert run(["replay", str(records), "--verify", "--json"]) == 1
    proofs = json.loads(capsys.readouterr().out)
    assert [one["verified"] for one in proofs] == [False, False, True, False, False]
    assert [one["unfinished"] for one in proofs] == [False, True, False, False, False]
    assert [one["deals"] for one in proofs] == [0, 0, 1, 0, 0]


def test_a_folder_without_records_or_shown_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to prove is no proof; and no folder can be shown."""
    assert run(["replay", str(tmp_path), "--verify"]) == 2
    assert "has no records, files that end in .jsonl or .jsonl.zst" in capsys.readouterr().err
    assert run(["replay", str(tmp_path)]) == 2
    assert "is a folder: only --verify takes all of its records" in capsys.readouterr().err
