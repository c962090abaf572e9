"""A ladder is copied while it is in use, and the copy is a ladder."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.archive.backup import back_up
from ladder.audit.audit import Wanted, prove
from ladder.core.tokens import Scope
from ladder.files.signing import kept_key
from ladder.store.location import where_of
from ladder.store.store import Store
from referee.cli import run
from referee.errors import HostError, RefereeError
from support.ladders import copied, count, filled, invented, job, made


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two matches that were really played."""
    pattern = tmp_path_factory.mktemp("pattern") / "ladder"
    with made(pattern) as store:
        filled(store, 2, really=True)
    return pattern


@pytest.fixture
def store(pattern: Path, tmp_path: Path) -> Iterator[Store]:
    """Two matches with records, a key, a token, and an upload that waits."""
    with copied(pattern, tmp_path / "ladder") as store:
        kept_key(store.files)
        store.tokens.add("ada", (Scope.SUBMIT,), 1)
        (store.files / "uploads").mkdir()
        (store.files / "uploads" / "ab.json").write_text("{}")
        yield store


def below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "ladder.db" not in path.name and path.name != "backup.json"
    }


@pytest.mark.slow
def test_a_backup_is_a_ladder_with_all_that_the_ladder_has(store: Store, tmp_path: Path) -> None:
    """It verifies, every record played again; keys and tokens are in it, for its owner alone."""
    to = tmp_path / "copy"
    found = back_up(store, to)

    assert below(to) == below(store.files)
    assert found.files == found.copied == len(below(to))
    assert to.stat().st_mode & 0o077 == 0
    assert (to / "ladder.db").stat().st_mode & 0o077 == 0
    with Store(where_of(str(to))) as copy:
        assert copy.opened == store.opened
        assert [token.author for token, *_ in copy.tokens.every()] == ["ada"]
    report = prove(where_of(str(to)), Wanted())
    assert (report.holds, report.matches, report.records) == (True, 2, 2)


def test_the_next_backup_copies_what_is_new(store: Store, tmp_path: Path) -> None:
    """What can change is copied each time, and counts once."""
    to = tmp_path / "copy"
    first = back_up(store, to)
    again = back_up(store, to)
    assert (again.files, again.copied) == (first.files, 2), "the key and the upload"
    filled(store, 1, really=True)
    (store.files / "uploads" / "ab.json").write_text('{"changed":1}')
    assert back_up(store, to).copied == 3
    assert below(to) == below(store.files)
    with Store(where_of(str(to))) as copy:
        assert len(copy.matches_of([1, 2], 9)) == 3


@pytest.mark.slow
def test_what_is_counted_meanwhile_is_there_whole_or_not_at_all(
    store: Store, tmp_path: Path
) -> None:
    """Each copy holds, whenever it was made."""
    stop = threading.Event()

    def play() -> None:
        with Store(store.where) as mine:
            number = 10
            while not stop.is_set():
                count(mine, invented(mine, job(mine, (1, 2), number)))
                number += 1

    player = threading.Thread(target=play)
    player.start()
    try:
        for _ in range(5):
            back_up(store, tmp_path / "copy")
            report = prove(where_of(str(tmp_path / "copy")), Wanted(sample=0))
            assert report.findings == ()
    finally:
        stop.set()
        player.join()


def test_a_backup_takes_the_place_of_nothing_else(store: Store, tmp_path: Path) -> None:
    """Neither of other files, nor of another ladder's backup, nor within the ladder."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine").write_text("precious")
    with pytest.raises(RefereeError, match="is no backup of this ladder"):
        back_up(store, other)
    assert [path.name for path in other.iterdir()] == ["mine"]
    with made(tmp_path / "second") as second:
        back_up(second, tmp_path / "copy")
    with pytest.raises(RefereeError, match="is no backup of this ladder"):
        back_up(store, tmp_path / "copy")
    for within in (store.files, store.files / "copy"):
        with pytest.raises(RefereeError, match="within the ladder"):
            back_up(store, within)


def test_any_folder_may_have_a_ladder(tmp_path: Path) -> None:
    """A name may have what means something in an address."""
    with made(tmp_path / "50%41 #1?") as store:
        back_up(store, tmp_path / "copy")
    with Store(where_of(str(tmp_path / "copy"))) as copy:
        assert len(copy.roster.entrants) == len(store.roster.entrants)


def test_a_disk_that_says_no_is_said_in_a_line(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HostError, match="Not a directory"):
        back_up(store, tmp_path / "file" / "copy")


def test_the_command_says_what_it_copied(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to, where = str(tmp_path / "copy"), ["--ladder", str(tmp_path / "ladder")]
    assert run(["ladder", "backup", to, *where]) == 0
    assert "files and the database" in capsys.readouterr().out
    assert run(["ladder", "backup", to, *where, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["folder"], told["copied"]) == (to, 2)
    assert run(["ladder", "backup", str(tmp_path), *where]) == 2
    assert "no backup of this ladder" in capsys.readouterr().err


def test_a_database_of_a_server_is_for_the_server_to_copy(database: str, tmp_path: Path) -> None:
    with (
        made(f"{database}?files={tmp_path / 'files'}") as store,
        pytest.raises(RefereeError, match="backed up by pg_dump"),
    ):
        back_up(store, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
