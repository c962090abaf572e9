"""A bot's folder is one folder, whatever its owner puts in its place while we look."""

import os
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any

import pytest

from ladder.submissions import copy_in
from referee.bots import find as bots
from referee.bots.files import copy_files, hash_file, hash_files
from referee.bots.find import find
from referee.bots.held_folder import OUR_TROUBLE, HeldFolder
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError
from referee.sandbox import Sandbox

HIDDEN = "what only the organiser can read"


def bot(folder: Path, **files: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "x"\ncommand = "sh x.sh"\n')
    for name, text in {"x.sh": "exit 3\n", "data": "mine", **files}.items():
        (folder / name).write_text(text)
    return folder


class Swapped:
    """A folder that its owner exchanges for a link to one of the organiser's, at a chosen step."""

    def __init__(self, place: Path) -> None:
        self.folder = bot(place / "bot")
        self.secret = bot(place / "secret", data=HIDDEN)
        (self.secret / "key").write_text(HIDDEN)

    def swap(self) -> None:
        self.folder.rename(self.folder.with_name("real"))
        self.folder.symlink_to(self.secret)

    def after(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step that the exchange follows."""

        def stepped(*words: Any) -> Any:
            result = step(*words)
            self.swap()
            return result

        return stepped

    def before(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step that comes just after the exchange."""

        def stepped(*words: Any) -> Any:
            self.swap()
            return step(*words)

        return stepped


@pytest.fixture
def swapped(tmp_path: Path) -> Swapped:
    return Swapped(tmp_path)


def everything_in(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.rglob("*") if path.is_file())


def test_a_folder_that_becomes_another_one_is_not_handed_in(
    swapped: Swapped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the listing and the copying: else its author could have any file there is."""
    monkeypatch.setattr(copy_in, "_listed", swapped.after(copy_in._listed))
    (tmp_path / "scratch").mkdir()
    with pytest.raises(RefereeError, match="is a link out of the folder"):
        copy_in.taken(str(swapped.folder), tmp_path / "scratch", Settings(), ())
    assert HIDDEN not in everything_in(tmp_path / "scratch")


def test_a_program_that_becomes_another_one_is_not_handed_in(
    swapped: Swapped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was looked at is what is copied."""
    (swapped.folder / "x.sh").chmod(0o755)
    (swapped.secret / "x.sh").write_text(HIDDEN)
    monkeypatch.setattr(copy_in, "_alone", swapped.before(copy_in._alone))
    (tmp_path / "scratch").mkdir()
    found = copy_in.taken(str(swapped.folder / "x.sh"), tmp_path / "scratch", Settings(), ())
    assert (found.folder / "x.sh").read_text() == "exit 3\n"


def test_what_is_found_is_all_in_one_folder(
    swapped: Swapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names are those of the folder that the bot.toml was read in."""
    monkeypatch.setattr(bots, "_read_toml", swapped.after(bots._read_toml))
    with pytest.raises(RefereeError, match="is a link out of the folder"):
        find(str(swapped.folder), Settings())


def test_what_is_hashed_is_what_was_listed(
    swapped: Swapped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No bot has the hash of files that its owner cannot read."""
    monkeypatch.setattr(bots, "hash_files", swapped.before(hash_files))
    with pytest.raises(RefereeError, match="is a link out of the folder"):
        find(str(swapped.folder), Settings())


@pytest.mark.parametrize("number", OUR_TROUBLE)
def test_a_disk_that_lets_us_down_is_no_mistake_of_a_bot(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may pass: who is refused for it, or is left out, would be so for nothing."""

    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number), "x.sh")

    monkeypatch.setattr(bots, "hash_files", fails)
    with pytest.raises(HostError, match=f"x.sh: {os.strerror(number)}"):
        find(str(bot(tmp_path / "bot")), Settings())


@pytest.mark.slow
async def test_what_has_become_another_folder_is_not_copied(
    bwrap: Sandbox, swapped: Swapped
) -> None:
    """That is its owner's doing, and none of the machine's."""
    found = find(str(swapped.folder), Settings())
    swapped.swap()
    with pytest.raises(RefereeError, match="it was changed while it was being prepared"):
        await bwrap.prepare(found)


def test_links_are_followed_as_long_as_they_stay_within(tmp_path: Path) -> None:
    """By folders, by other links, by their whole path; the hash is that of what they name."""
    folder = bot(tmp_path / "bot")
    (folder / "sub").mkdir()
    (folder / "sub" / "file").write_text("text")
    (folder / "dir").symlink_to("sub")
    for name, to in {"a": "dir/file", "b": "a", "c": str(folder / "sub/../b")}.items():
        (folder / name).symlink_to(to)
    linked = find(str(folder), Settings())
    assert list(linked.files) == ["a", "b", "bot.toml", "c", "data", "x.sh", "sub/file"]
    for name in "abc":
        (folder / name).unlink()
        (folder / name).write_text("text")
    assert find(str(folder), Settings()).hash == linked.hash


@pytest.mark.parametrize("to", ["/etc/hostname", "/etc", "/no/such", ".."])
def test_what_lies_outside_is_refused_in_the_same_words(to: str, tmp_path: Path) -> None:
    """Whether it is a file, a folder or nothing: that is not the bot's to learn."""
    folder = bot(tmp_path / "bot")
    (folder / "out").symlink_to(to)
    with pytest.raises(RefereeError, match=r"'out' is a link out of the folder$"):
        find(str(folder), Settings())


def test_a_folder_that_was_looked_at_is_let_go(tmp_path: Path) -> None:
    """Whether anything was wrong with it or not."""
    folder = bot(tmp_path / "bot")
    (folder / "sub").mkdir()
    (folder / "sub" / "file").write_text("text")
    before = len(os.listdir("/proc/self/fd"))
    find(str(folder), Settings())
    (folder / "sub" / "out").symlink_to("/etc/hostname")
    with pytest.raises(RefereeError, match="'sub/out' is a link out of the folder"):
        find(str(folder), Settings())
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("./" + "a" * 5000, "no program"),
        ("./" + "/".join(["a" * 200] * 30), "no program"),
        ("./strange", "its #! line asks for"),
        ("./around", "no program"),
    ],
    ids=["name", "path", "NUL", "loop"],
)
async def test_a_program_of_any_name_is_the_mistake_of_its_author(
    command: str, line: str, bwrap: Sandbox, tmp_path: Path
) -> None:
    """And never a fault of the machine, which would stop others from being taken in."""
    folder = bot(tmp_path / "bot", **{"bot.toml": f'name = "x"\ncommand = "{command}"\n'})
    (folder / "strange").write_bytes(b"#!/bin/\0sh\n")
    (folder / "strange").chmod(0o755)
    (folder / "around").symlink_to("around")
    with pytest.raises(RefereeError, match=line):
        await bwrap.prepare(find(str(folder), Settings()))


def test_what_became_a_folder_leaves_no_descriptor(tmp_path: Path) -> None:
    """Its owner may make one of a file that was listed."""
    (tmp_path / "data").mkdir()
    with HeldFolder(tmp_path.resolve()) as held:
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(IsADirectoryError):
            held.opened("data")
        assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("most", "fine"), [(3, True), (2, False)])
def test_a_folder_has_so_many_files_at_most(
    most: int, fine: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of thousands would be hashed and copied for minutes, and keep as many inodes."""
    monkeypatch.setattr("referee.bots.held_folder.MOST_FILES", most)
    folder = bot(tmp_path / "bot")
    if fine:
        assert len(find(str(folder), Settings()).files) == most
        return
    with pytest.raises(RefereeError, match=r"bot '.*bot': it holds more than 2 files"):
        find(str(folder), Settings())


STEPS: dict[str, Callable[[Path, Path], object]] = {
    "hash of a file": lambda grows, _: hash_file(grows),
    "hash of a folder": lambda grows, _: hash_files({"a": grows}),
    "copy": lambda grows, to: copy_files({"a": grows}, to),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_file_that_grows_while_it_is_read_is_read_no_further_than_it_may_be(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner can let it grow without end: the command would hang, or fill the disk."""
    monkeypatch.setattr("referee.bots.files.LARGEST_FOLDER", 1 << 20)
    grows, copy = tmp_path / "grows", tmp_path / "copy"
    grows.write_bytes(b"x" * 1000)
    opening = HeldFolder.opened

    def opened_and_grown(folder: HeldFolder, name: str) -> BufferedReader:
        file = opening(folder, name)
        os.truncate(grows, 4 << 40)
        return file

    monkeypatch.setattr(HeldFolder, "opened", opened_and_grown)
    with pytest.raises(ValueError, match="more than 256 MiB"):
        STEPS[step](grows, copy)
    assert sum(path.stat().st_size for path in copy.glob("*")) <= 1 << 20
