"""Files that are there whole or not at all."""

import os
import time
from pathlib import Path

import pytest

from ladder.files.scratch import scratch_name, sweep
from referee.sandbox.janitor import run_of
from referee.whole_file import atomic_write


class Broken(Exception):
    """What happens while a file is written."""


def write_half(path: Path, *, replace: bool) -> None:
    with atomic_write(path, replace=replace) as file:
        file.write(b"half")
        raise Broken


def write_while_another_does(path: Path) -> None:
    with atomic_write(path, replace=False) as late:
        late.write(b"late")
        with atomic_write(path, replace=False) as first:
            first.write(b"first")


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with atomic_write(path, mode=0o600) as file:
        file.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("replace", [True, False])
def test_one_that_is_not_finished_leaves_nothing(tmp_path: Path, *, replace: bool) -> None:
    with pytest.raises(Broken):
        write_half(tmp_path / "file", replace=replace)
    assert os.listdir(tmp_path) == []


def test_the_one_of_before_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with pytest.raises(Broken):
        write_half(path, replace=True)
    assert path.read_bytes() == b"before"
    with atomic_write(path) as file:
        file.write(b"after")
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert os.listdir(tmp_path) == ["file"]


def test_of_several_makers_the_first_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(FileExistsError):
        write_while_another_does(path)
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["file"]


def test_its_bytes_are_on_the_disk_before_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced = tmp_path / "file", list[tuple[bool, bool]]()
    monkeypatch.setattr(
        "os.fsync", lambda number: synced.append((os.path.isdir(number), path.exists()))
    )
    with atomic_write(path) as file:
        file.write(b"whole")
    assert synced == [(False, False), (True, True)]


def test_only_what_is_surely_left_is_swept(tmp_path: Path) -> None:
    """Other machines may share the folder, and nobody here knows whether their processes live."""
    boot = run_of(os.getpid()).partition("-")[0]
    mine = tmp_path / scratch_name(".")
    left, theirs, old, other = (
        tmp_path / name
        for name in (
            f".{boot}-999999-1-abcd",
            ".deadbeef.4026531836-4242-99999-abcd",
            ".deadbeef.4026531836-4242-99999-dcba",
            ".import-deadbeef.4026531836-4242-99999-abcd",
        )
    )
    for folder in (mine, left, theirs, old, other):
        folder.mkdir()
        (folder / "half").touch()
        (folder / "half").chmod(0o400)
    left.chmod(0o500)
    yesterday = time.time() - 24 * 60 * 60 - 1
    os.utime(old, (yesterday, yesterday))
    sweep(tmp_path, ".")
    assert set(tmp_path.iterdir()) == {mine, theirs, other}
