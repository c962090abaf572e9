"""All of /usr is read once after the machine's start, before bots of strangers play."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from referee.bots.settings import Settings
from referee.doctor.cold_files import cold, in_memory
from referee.sandbox import first_reads
from referee.sandbox.first_reads import FirstReadsMark, read_all, read_first
from support.sandboxes import lacking


def nothing(_: str) -> None:
    """Say nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of 3,000,001 bytes, beside what is no file."""
    top = tmp_path / "top"
    (top / "sub").mkdir(parents=True)
    (top / "a").write_bytes(b"a" * 3_000_000)
    (top / "sub" / "b").write_bytes(b"b")
    (top / "sub" / "empty").touch()
    (top / "link").symlink_to("a")
    (top / "loop").symlink_to(".")
    os.mkfifo(top / "pipe")
    return top


@pytest.fixture
def files_are_read_through_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a file system that cannot do otherwise."""
    opens: Callable[..., int] = os.open

    def open_(path: str, flags: int, *words: int, **options: int) -> int:
        if flags & os.O_DIRECT:
            raise OSError(22, "Invalid argument")
        return opens(path, flags, *words, **options)

    monkeypatch.setattr("os.open", open_)


def test_each_file_is_read_once(folder: Path) -> None:
    """Neither what is named twice nor what would have us wait."""
    assert read_all((str(folder), str(folder / "none")), nothing, threading.Event()) == 3_000_001


@pytest.mark.parametrize("way", ["past memory", "through memory"])
def test_what_was_read_is_not_in_memory(
    way: str, folder: Path, request: pytest.FixtureRequest
) -> None:
    """A bot that reads it later would see that it is."""
    files = [folder / "a", folder / "sub" / "b"]
    if cold(iter(files), 2) != files:
        lacking("files in a file system that is in memory itself cannot be dropped from there")
    if way == "through memory":
        request.getfixturevalue("files_are_read_through_memory")
    assert read_all((str(folder),), nothing, threading.Event()) == 3_000_001
    assert not any(map(in_memory, files))


def test_reading_changes_no_times(folder: Path) -> None:
    """They would tell when the referee came by."""
    os.utime(folder / "a", (1_000_000_000, 2_000_000_000))
    read_all((str(folder),), nothing, threading.Event())
    assert (folder / "a").stat().st_atime == 1_000_000_000


def test_it_says_how_far_it_is_and_ends_when_it_is_told_to(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_reads, "_SAID_EVERY", 1000)
    said, ends = list[str](), threading.Event()

    def say(text: str) -> None:
        said.append(text)
        ends.set()

    assert read_all((str(folder),), say, ends) == 3_000_000
    assert said == [f"reading {folder} once since the machine's start: 2.9 MiB ..."]


def test_a_mark_holds_for_one_start_of_the_machine_and_the_same_folders(tmp_path: Path) -> None:
    place = tmp_path / "new" / "mark"
    mark = FirstReadsMark(place, ("/usr", "/opt/a"))
    assert not mark.is_set()
    mark.set()
    assert mark.is_set()
    assert FirstReadsMark(place, ("/opt/a", "/usr")).is_set()
    assert not FirstReadsMark(place, ("/usr",)).is_set()
    _, *folders = place.read_text().splitlines()
    place.write_text("\n".join(["another start", *folders]))
    assert not mark.is_set()


async def test_root_reads_once_and_again_if_that_did_not_come_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordinary user gains nothing by it."""
    read = list[tuple[str, ...]]()

    def reads(folders: tuple[str, ...], _: object, ends: threading.Event) -> int:
        read.append(folders)
        if len(read) == 1:
            trio.from_thread.run_sync(scope.cancel)
            ends.wait()
        return 0

    monkeypatch.setattr(first_reads, "read_all", reads)
    monkeypatch.setattr(first_reads, "work_folder", lambda: tmp_path)
    settings = Settings(toolchains=("/opt/tool",))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    await read_first(settings, nothing)
    assert not read
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with trio.CancelScope() as scope:
        await read_first(settings, nothing)
    assert scope.cancelled_caught
    for _ in range(2):
        await read_first(settings, nothing)
    assert read == [("/usr", "/opt/tool")] * 2
