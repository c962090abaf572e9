"""Where links lead, however many and long ones their owner has made."""

import os
import random
from pathlib import Path

import pytest

from ladder.submissions.copy_in import taken
from ladder.submissions.frozen_bots import freeze
from referee.bots.find import find
from referee.bots.held_folder import HeldFolder
from referee.bots.real_path import real_path
from referee.bots.runnable import View
from referee.bots.settings import Settings
from referee.errors import RefereeError


def chain(folder: Path, length: int, to: str, before: str = "") -> str:
    """So many links of which each leads to the one before; the name of the last."""
    for at in range(length):
        (folder / f"link{at}").symlink_to(before + (f"link{at - 1}" if at else to))
    return f"link{length - 1}"


def bot(folder: Path) -> Path:
    (folder / "d").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "x"\ncommand = "sh x.sh"\n')
    (folder / "x.sh").write_text("exit 3\n")
    return folder


def test_a_name_leads_where_the_system_says(tmp_path: Path) -> None:
    """Through folders and links at random, to what is there and what is not."""
    roll = random.Random(1)
    folders = [tmp_path / name for name in ("a", "a/b", "a/b/c", "d")]
    for folder in folders:
        folder.mkdir()
    names: list[Path] = []
    for at in range(300):
        place = roll.choice(folders) / f"l{at}"
        parts = [roll.choice(["..", ".", "a", "b", "c", "d", "", f"l{roll.randrange(300)}"])] * 2
        to = roll.choice(["", f"{tmp_path}/", "../", "//"]) + "/".join([*parts, f"l{at - 9}"])
        place.symlink_to(to)
        names.append(place)
    compared = 0
    for name in names:
        try:
            real = real_path(name)
        except OSError:
            assert not os.path.exists(name)
            continue
        assert str(real) == os.path.realpath(name)
        compared += 1
    assert compared > 100


@pytest.mark.parametrize(("length", "followed"), [(40, True), (41, False), (1500, False)])
def test_as_many_links_are_followed_as_the_kernel_follows(
    length: int, followed: bool, tmp_path: Path
) -> None:
    """And no stack overflows."""
    (tmp_path / "file").touch()
    last = tmp_path / chain(tmp_path, length, "file")

    assert os.path.isfile(last) is followed
    if followed:
        assert real_path(last) == tmp_path / "file"
        return
    with pytest.raises(OSError, match="Too many levels"):
        real_path(last)


@pytest.mark.parametrize(("length", "before"), [(1500, ""), (39, "d/../" * 815)])
def test_what_leads_on_and_on_is_no_file_of_a_bot(length: int, before: str, tmp_path: Path) -> None:
    """Of a folder as it is found, handed in, built, or asked for a program."""
    folder = bot(tmp_path / "bot")
    (folder / "d").rmdir()
    (folder / "sub" / "d").mkdir(parents=True)
    chain(folder / "sub", length, "../x.sh", before)

    assert {"bot.toml", "x.sh"} <= set(find(str(folder), Settings()).files)
    with pytest.raises(RefereeError, match=r"'sub/link\d+' is a link to no file"):
        taken(str(folder), tmp_path / "scratch", Settings(), ())
    with pytest.raises(RefereeError, match=r"its build has made: 'sub/link\d+' is a link to no"):
        freeze(folder, "", tmp_path / "frozen", "x")
    last = folder / "sub" / f"link{length - 1}"
    assert not View(roots=(str(tmp_path),)).reaches(str(last))


def test_a_folder_has_so_many_links_at_most(tmp_path: Path) -> None:
    """Each is followed to its end."""
    folder = bot(tmp_path / "bot")
    for at in range(2001):
        (folder / "d" / str(at)).symlink_to("../x.sh")
    with pytest.raises(RefereeError, match="it holds more than 2,000 links"):
        find(str(folder), Settings())
    (folder / "d" / "0").unlink()
    assert len(find(str(folder), Settings()).files) == 2002


def test_the_longest_links_are_looked_at_in_bounded_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred of 65,000 parts each, of which the kernel takes ten milliseconds."""
    folder = bot(tmp_path / "bot")
    read: list[str] = []
    readlink = os.readlink

    def counted(path: str) -> str:
        read.append(path)
        return readlink(path)

    monkeypatch.setattr(os, "readlink", counted)
    chain(folder, 39, "x.sh", "d/../" * 815)
    for at in range(200):
        (folder / f"end{at}").symlink_to("d/../" * 815 + "link38")
    with HeldFolder(folder.resolve()) as held:
        assert "end7" not in held.files()
    assert 200 <= len(read) < 240 * 512
