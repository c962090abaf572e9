"""Bots travel: the same files, the same rights, the same hash; or they do not arrive."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.cluster import bots
from ladder.cluster.bots import BotShelf, Parcel, parcel_of
from ladder.submissions.pack import zipped
from referee.bots.find import find, is_handed_in
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError


def folder_bot(tmp_path: Path) -> Path:
    """A bot of several files, one of which is to be run."""
    bot = tmp_path / "mine"
    (bot / "lib").mkdir(parents=True)
    (bot / "bot.toml").write_text('name = "mine"\ncommand = "./run"\n')
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    (bot / "lib" / "ä.txt").write_text("data")
    return bot


def alone(tmp_path: Path) -> Path:
    """A bot that is a program in a file."""
    bot = tmp_path / "player.sh"
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o755)
    return bot


@pytest.mark.parametrize("make", [folder_bot, alone])
def test_a_bot_arrives_as_it_was(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """It counts as a stranger's there, whatever it is at home: it never runs bare."""
    home = str(make(tmp_path))
    parcel = parcel_of(home, Settings())
    shelf = BotShelf(tmp_path / "machine", Settings())
    assert shelf.typed(parcel.hash) is None
    for _ in range(2):
        shelf.add(parcel.hash, parcel.files)
    typed = shelf.typed(parcel.hash)
    assert typed is not None
    there, here = find(typed, Settings()), find(home, Settings())
    assert (there.hash, there.name, set(there.files)) == (here.hash, here.name, set(here.files))
    for name, path in there.files.items():
        assert path.read_bytes() == here.files[name].read_bytes()
        assert bool(path.stat().st_mode & 0o111) == bool(here.files[name].stat().st_mode & 0o111)
    assert is_handed_in(typed)


def test_equal_bots_are_equal_parcels(tmp_path: Path) -> None:
    one, other = folder_bot(tmp_path / "a"), folder_bot(tmp_path / "b")
    assert parcel_of(str(one), Settings()) == parcel_of(str(other), Settings())


def test_a_sample_is_on_every_machine() -> None:
    digest = find("sample:greedy", Settings()).hash
    assert parcel_of("sample:greedy", Settings()) == Parcel("greedy", digest, b"")


def test_a_bot_that_is_not_what_it_says_does_not_arrive(tmp_path: Path) -> None:
    parcel = parcel_of(str(folder_bot(tmp_path)), Settings())
    shelf = BotShelf(tmp_path / "machine", Settings())
    with pytest.raises(RefereeError, match="has come as another one"):
        shelf.add("0" * 64, parcel.files)
    assert shelf.typed("0" * 64) is None


@pytest.mark.parametrize(
    "files",
    [
        b"",
        b"no zip",
        zipped({"../out": b""}),
        zipped({"/etc/out": b""}),
        zipped({"a": b"", "a/b": b""}),
    ],
    ids=["empty", "no zip", "above", "absolute", "a file as a folder"],
)
def test_what_cannot_be_unpacked_leaves_nothing(files: bytes, tmp_path: Path) -> None:
    shelf = BotShelf(tmp_path / "machine", Settings())
    with pytest.raises(HostError, match="cannot be unpacked"):
        shelf.add("0" * 64, files)
    assert list((tmp_path / "machine" / "bots").iterdir()) == []
    assert not (tmp_path / "machine" / "out").exists()


def test_bots_that_were_not_used_for_long_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the job that is to be played stay, however many they are."""
    monkeypatch.setattr(bots, "MOST_BOTS", 2)
    shelf, parcels = BotShelf(tmp_path / "machine", Settings()), list[Parcel]()
    for at in range(4):
        bot = alone(tmp_path)
        bot.write_text(f"#!/bin/sh\n# {at}\n")
        parcels.append(parcel_of(str(bot), Settings()))
        shelf.add(parcels[-1].hash, parcels[-1].files)
        shelf.use([parcels[-1].hash])
    assert [bool(shelf.typed(one.hash)) for one in parcels] == [False, False, True, True]
    for one in parcels:
        shelf.add(one.hash, one.files)
    shelf.use([one.hash for one in parcels[:3]])
    assert [bool(shelf.typed(one.hash)) for one in parcels] == [True, True, True, False]
