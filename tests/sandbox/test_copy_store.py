"""Copies are counted and bounded, and none is removed while a process uses it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from referee.bots.find import find
from referee.bots.settings import CopyLimits, Settings
from referee.cli import run
from referee.commands import clean
from referee.sandbox.copy_choice import Copy, over, unused_since
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.janitor import run_of
from referee.workers.player import Player
from support.processes import open_files
from support.sandboxes import Copying, bot_that, python_bot
from support.terms import job_of

MIB = 1 << 20
PATIENCE_S = 20


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CopyStore]:
    """A store with room for a thousand copies."""
    folder = tmp_path / "store"
    folder.mkdir()
    found = CopyStore(folder, CopyLimits(size=1000, number=1000))
    yield found
    found.close()


def limited(store: CopyStore, **limits: int) -> CopyStore:
    """The same folder, as another process with other limits has it."""
    return CopyStore(store.folder, CopyLimits(**limits))


def put(store: CopyStore, name: str, size: int = 10, *, days: float = 0) -> None:
    """Adds a copy that was used so many days ago, and lets go of it."""
    made = store.scratch_path()
    made.mkdir()
    (made / "file").write_bytes(b"x" * size)
    store.add(made, name)
    store.release(name)
    then = time.time() - days * 86400
    os.utime(store.folder / ".cards" / name, (then, then))


def names(store: CopyStore) -> list[str]:
    return [copy.name for copy in store.copies()]


def left_by_dead(store: CopyStore) -> Path:
    """What a process has left half made that has ended."""
    with subprocess.Popen(["sleep", "60"]) as process:
        run_name = run_of(process.pid)
        process.kill()
    left = store.folder / f".{run_name}-0123abcd"
    (left / "source").mkdir(parents=True)
    (left / "source" / "file").write_bytes(b"x" * MIB)
    return left


def test_copies_are_counted_the_oldest_use_first(store: CopyStore) -> None:
    """With their sizes on the disk, and whether they are in use."""
    put(store, "new", 3 * MIB)
    put(store, "old", MIB, days=3)
    store.hold("new")
    old, new = store.copies()
    assert (old.name, old.files, old.in_use, old.size) == ("old", 1, False, MIB)
    assert (new.name, new.files, new.in_use, new.size) == ("new", 1, True, 3 * MIB)
    assert 2.9 < (time.time() - old.used_at) / 86400 < 3.1


def test_whoever_holds_a_copy_uses_it_anew(store: CopyStore) -> None:
    """So that what was used last goes last."""
    put(store, "a", days=2)
    put(store, "b", days=1)
    assert names(store) == ["a", "b"]
    assert store.hold("a") == store.folder / "a"
    assert names(store) == ["b", "a"]


def test_a_copy_that_is_not_there_cannot_be_held(store: CopyStore) -> None:
    """And the question leaves nothing."""
    assert store.hold("a") is None
    assert os.listdir(store.folder / ".cards") == []


def test_holding_a_copy_again_takes_no_more_descriptors(store: CopyStore) -> None:
    """However often: a referee has room for a thousand or so."""
    put(store, "a")
    before = open_files()
    for _ in range(20):
        store.hold("a")
    assert open_files() == before + 1
    store.close()
    assert open_files() == before
    assert not store.copies()[0].in_use


def test_a_copy_that_cannot_be_added_is_not_held(store: CopyStore) -> None:
    """And leaves nothing."""
    before = open_files()
    with pytest.raises(FileNotFoundError):
        store.add(store.scratch_path(), "a")
    assert open_files() == before
    assert os.listdir(store.folder / ".cards") == []


def test_what_another_process_uses_is_not_removed(store: CopyStore) -> None:
    """Until it has let go as often as it took hold."""
    put(store, "a")
    other = limited(store)
    store.hold("a")
    store.hold("a")
    (copy,) = other.copies()
    assert not other.remove(copy)
    store.release("a")
    assert not other.remove(copy)
    store.release("a")
    assert other.remove(copy)
    assert names(other) == os.listdir(store.folder / ".cards") == []


_HOLDER = """
import sys
from pathlib import Path
from referee.sandbox.copy_store import CopyStore
from referee.bots.settings import CopyLimits
store = CopyStore(Path(sys.argv[1]), CopyLimits())
print(store.hold("a"), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_who_is_killed_uses_nothing_any_more(store: CopyStore) -> None:
    """The kernel sees to that; while it lives, its copy stays."""
    put(store, "a")
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _HOLDER, str(store.folder)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == str(store.folder / "a")
        (copy,) = store.copies()
        assert copy.in_use
        assert not store.remove(copy)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert store.remove(copy)


@pytest.mark.parametrize("limits", [{"number": 3}, {"size": 3}])
def test_a_store_keeps_its_limits_whenever_a_copy_is_made(
    limits: dict[str, int], store: CopyStore
) -> None:
    """In bytes and in number; what was used longest ago goes."""
    bounded = limited(store, **limits)
    for number in range(6):
        put(bounded, f"copy{number}", MIB, days=6 - number)
    assert names(store) == ["copy3", "copy4", "copy5"]


def test_what_is_in_use_stays_beyond_the_limits(store: CopyStore) -> None:
    """Others go in its place, and it goes in its turn."""
    for number in range(3):
        put(store, f"used{number}", MIB, days=9)
        store.hold(f"used{number}")
    bounded = limited(store, size=2)
    put(bounded, "new", MIB)
    assert names(store) == ["used0", "used1", "used2", "new"]
    bounded.trim()
    assert names(store) == ["used0", "used1", "used2"]
    store.close()
    bounded.trim()
    assert names(store) == ["used1", "used2"]


COPIES = st.lists(
    st.builds(
        Copy,
        name=st.uuids().map(str),
        size=st.integers(0, 3 * MIB),
        files=st.just(1),
        used_at=st.floats(0, 100),
        in_use=st.booleans(),
        unfinished=st.booleans(),
    ),
    max_size=12,
).map(lambda copies: sorted(copies, key=lambda copy: copy.used_at))


@given(COPIES, st.integers(1, 8), st.integers(1, 8))
def test_no_more_goes_than_must(copies: list[Copy], size: int, number: int) -> None:
    """The limits are kept, or all that is left is in use; one copy less would not have done."""
    gone = over(copies, CopyLimits(size, number))
    finished = [copy for copy in gone if not copy.unfinished]
    left = [copy for copy in copies if copy not in gone and not copy.unfinished]

    def is_within(kept: list[Copy]) -> bool:
        return sum(copy.size for copy in kept) <= size * MIB and len(kept) <= number

    assert not any(copy.in_use for copy in finished)
    assert is_within(left) or all(copy.in_use for copy in left)
    assert not finished or not is_within([*left, finished[-1]])
    unused = [copy for copy in copies if not copy.in_use and not copy.unfinished]
    assert finished == unused[: len(finished)]


@given(COPIES, st.floats(0, 200))
def test_what_is_used_is_never_too_old(copies: list[Copy], before: float) -> None:
    """Of the others all are that were used last before; what is unfinished goes in any case."""
    for copy in copies:
        old = not copy.in_use and copy.used_at <= before
        assert (copy in unused_since(copies, before)) == (copy.unfinished or old)


def test_what_a_dead_process_has_left_is_swept(store: CopyStore) -> None:
    """What a living one makes is not."""
    left, ours = left_by_dead(store), store.scratch_path()
    ours.mkdir()
    (copy,) = store.copies()
    assert (copy.name, copy.unfinished, copy.size >= MIB) == (left.name, True, True)
    (store.folder / ".cards").mkdir()
    (store.folder / ".cards" / "gone").touch()
    store.sweep()
    assert os.listdir(store.folder / ".cards") == []
    assert not left.exists()
    assert ours.exists()


def test_a_damaged_card_harms_nothing(store: CopyStore) -> None:
    """The copy is measured instead; so is one without a card."""
    put(store, "a", MIB)
    put(store, "b", MIB)
    (store.folder / ".cards" / "a").write_text("{")
    (store.folder / ".cards" / "b").unlink()
    assert {(copy.name, copy.size) for copy in store.copies()} == {("a", MIB), ("b", MIB)}
    assert all(store.remove(copy) for copy in store.copies())


@pytest.mark.slow
def test_a_copy_that_is_held_is_whole_while_others_remove_and_add(store: CopyStore) -> None:
    """Whoever has got hold of it; else it is not there, and is made again."""
    done, broken = threading.Event(), []

    def remove() -> None:
        other = limited(store)
        while not done.is_set():
            for copy in other.copies():
                other.remove(copy)

    removing = threading.Thread(target=remove)
    removing.start()
    try:
        for _ in range(300):
            folder = store.hold("a")
            if folder is None:
                made = store.scratch_path()
                made.mkdir()
                (made / "file").write_text("whole")
                folder = store.add(made, "a")
            if (folder / "file").read_text() != "whole":
                broken.append(folder)
            store.release("a")
    finally:
        done.set()
        removing.join()
    assert not broken


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: CopyStore) -> CopyStore:
    """The copies and the builds of this machine, for `referee clean`."""
    monkeypatch.setattr(clean, "store_folder", lambda: store.folder)
    monkeypatch.setattr(clean, "cache_folder", lambda: tmp_path / "builds")
    monkeypatch.setenv("REFEREE_SETTINGS", str(tmp_path / "settings.toml"))
    (tmp_path / "settings.toml").write_text("[copies]\nsize = 7\n")
    return store


def test_clean_removes_what_was_not_used_for_a_week(
    folders: CopyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what was left unfinished, and says so with sizes; not what is in use."""
    put(folders, "old", 3 * MIB, days=8)
    put(folders, "used", days=8)
    put(folders, "new", days=6)
    left = left_by_dead(folders)
    folders._share("used")  # begun eight days ago
    assert run(["clean"]) == 0
    told = capsys.readouterr().out
    assert names(folders) == ["used", "new"]
    assert not left.exists()
    lines = told.splitlines()
    assert "3.0 MiB" in told
    assert "8 days ago" in next(line for line in lines if line.endswith(" old"))
    assert "unfinished" in next(line for line in lines if line.endswith(left.name))
    assert "removed 2 copies (4.0 MiB); left 2 copies (" in told
    assert "1 in use" in told
    assert "7.0 MiB and 500 copies at most" in told


def test_a_dry_run_of_clean_only_tells(
    folders: CopyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same as what then goes."""
    put(folders, "a", MIB, days=3)
    put(folders, "b", MIB, days=1)
    told = []
    for more in (["--dry-run"], []):
        assert run(["clean", "--older-than", "2", "--json", *more]) == 0
        told.append(json.loads(capsys.readouterr().out))
        assert len(names(folders)) == (2 if more else 1)
    dry, wet = told
    assert (dry.pop("dry_run"), wet.pop("dry_run")) == (True, False)
    assert dry == wet
    copies, builds = dry["folders"]
    assert [copy["name"] for copy in copies["removed"]] == ["a"]
    assert (copies["removed_bytes"], copies["kept_bytes"]) == (MIB, MIB)
    assert (builds["removed"], builds["kept"]) == ([], [])


def test_clean_all_leaves_what_is_in_use(folders: CopyStore) -> None:
    """However lately the rest was used."""
    put(folders, "a")
    put(folders, "b")
    folders.hold("b")
    assert run(["clean", "--all"]) == 0
    assert names(folders) == ["b"]


def test_clean_wants_one_age(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2."""
    assert run(["clean", "--all", "--older-than", "3"]) == 2
    assert capsys.readouterr().err == "referee: say --older-than or --all, not both\n"


def test_a_folder_that_cannot_be_read_is_named(
    folders: CopyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, exit code 3."""
    folders.folder.rmdir()
    folders.folder.write_text("")
    assert run(["clean"]) == 3
    assert f"cannot clean '{folders.folder}': Not a directory" in capsys.readouterr().err


async def test_a_bot_that_was_prepared_is_in_use_until_the_sandbox_is_closed(
    tmp_path: Path,
) -> None:
    """Or until it is let go."""
    box = Copying(tmp_path)
    store = CopyStore(box.store, CopyLimits())
    spec = await box.prepare(find("sample:first", Settings()))
    again = await box.prepare(find("sample:first", Settings()))
    assert spec == again
    box.release(again)
    assert [copy.in_use for copy in store.copies()] == [True]
    box.close()
    assert [copy.in_use for copy in store.copies()] == [False]
    assert box.hold(spec)
    box.release(spec)
    assert all(store.remove(copy) for copy in store.copies())
    assert not box.hold(spec)


@pytest.mark.slow
async def test_a_bot_is_in_use_while_it_plays_and_is_copied_anew_when_it_was_removed(
    tmp_path: Path,
) -> None:
    """So no runner keeps the copies of all bots that it ever played."""
    bots = [bot_that(tmp_path / name) for name in ("a", "b")]
    box = Copying(tmp_path)
    store = CopyStore(box.store, CopyLimits())
    player = Player(box, Settings())
    job = job_of(game="briscola-2", bots=tuple(bots), key="k", first=0, blocks=1)
    in_use: list[int] = []
    launch = box.launch

    async def look(*args: object) -> object:
        in_use.append(sum(copy.in_use for copy in store.copies()))
        return await launch(*args)  # type: ignore[arg-type]  # as it was called

    box.launch = look  # type: ignore[method-assign,assignment]  # a spy
    for _ in range(2):
        assert len((await player.play(job)).outcome.blocks) == 1
        assert set(in_use) == {2}
        assert [copy.in_use for copy in store.copies()] == [False, False]
        assert all(store.remove(copy) for copy in store.copies())


async def test_what_is_prepared_for_a_while_leaves_nothing(tmp_path: Path) -> None:
    """Neither its copy nor its build; nor where it cannot be run, or is given up."""
    bot = python_bot(tmp_path / "bot", "pass")
    (tmp_path / "bot" / "bot.toml").write_text(
        'name = "x"\ncommand = "sh made"\nbuild = "cp bot.py made"\n'
    )
    box = Copying(tmp_path)
    async with box.temporarily(find(bot, Settings())) as spec:
        assert sorted(os.listdir(spec.folder)) == ["bot.py", "bot.toml", "made"]
        assert CopyStore(box.store, CopyLimits()).copies() == []  # it is nobody else's
    with trio.CancelScope() as scope:
        async with box.temporarily(find(bot, Settings())):
            scope.cancel()
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert [name for name in os.listdir(box.store) if name != ".cards"] == []
