"""A ladder is opened, or one clear line says why not: old and new schemas, other files, disks."""

import errno
import fcntl
import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from ladder.core.facts import Decision, Deed
from ladder.game_files.pool_file import pools_of
from ladder.store import migrations
from ladder.store.bulk_import import import_facts
from ladder.store.database import Database, DatabaseGone
from ladder.store.jobs import Settled
from ladder.store.location import Where, where_of
from ladder.store.migrations import migrate, newest
from ladder.store.store import Beginning, Store
from referee.errors import HostError, RefereeError
from support.disks import small_disk
from support.ladders import filled, invented, job, lease, made, usual_pools
from support.postgres import Mode, Postgres
from support.sandboxes import need

BEGINNING = Beginning(None, pools_of(["briscola-2"]).pools)


def line_of(error: pytest.ExceptionInfo[Exception]) -> str:
    said = str(error.value)
    assert "\n" not in said
    return said


def refusal(typed: str | Path, beginning: Beginning | None = None) -> str:
    """What is said to who opens this ladder."""
    with pytest.raises((RefereeError, HostError)) as caught:
        Store(where_of(str(typed)), beginning).close()
    return line_of(caught)


@pytest.mark.parametrize("part", ["", "ladder.db"])
def test_a_ladder_of_another_user_is_refused(part: str, tmp_path: Path) -> None:
    """Its owner could put links in the place of what we write; root is no exception."""
    need(root=True)
    folder = tmp_path / "theirs"
    Store(where_of(str(folder)), BEGINNING).close()
    os.chown(folder / part, 54321, 54321)
    assert refusal(folder, BEGINNING) == (
        f"ladder {str(folder)!r}: {str(folder / part)!r} is owned by user 54321, and you are root: "
        "run this as its owner, or chown it to yourself"
    )


def test_a_ladder_that_anybody_may_write_to_is_refused(tmp_path: Path) -> None:
    """One line says what to do."""
    folder = tmp_path / "open"
    Store(where_of(str(folder)), BEGINNING).close()
    folder.chmod(0o777)
    assert refusal(folder).endswith(f"every user may write to {str(folder)!r}: chmod o-w it")


def there(tmp_path: Path, data: bytes) -> Path:
    """A folder with such a file as its database."""
    (tmp_path / "ladder.db").write_bytes(data)
    return tmp_path


def changed(where: Where, order: str) -> None:
    """Does to the database what only other programs would."""
    database = Database(where)
    try:
        with database.writing() as connection:
            connection.execute(text(order))
    finally:
        database.close()


@pytest.mark.parametrize(
    ("typed", "shown", "option"),
    [
        ("my ladder", "my ladder", " --ladder 'my ladder'"),
        ("x/", "x", " --ladder x/"),
        ("postgresql://me@h/db", "postgresql://me@h/db", " --ladder postgresql://me@h/db"),
        ("postgres://me:secret@h:1/db", "postgresql://me:***@h:1/db", " --ladder URL"),
        ("postgresql://h/db?password=secret&files=/f", "postgresql://h/db", " --ladder URL"),
    ],
)
def test_where_a_ladder_is_told_without_secrets(typed: str, shown: str, option: str) -> None:
    """What people see of a URL has no password; what they are to type can be typed."""
    found = where_of(typed)
    assert (found.typed, found.option) == (shown, option)


def test_where_a_ladder_is_by_default() -> None:
    """What is typed, else the environment, else a usual name; files beside the database, or where
    the URL says."""
    assert where_of(None, {}).typed == "ladder-data"
    assert where_of(None, {"REFEREE_LADDER": "x"}).typed == "x"
    assert where_of("y", {"REFEREE_LADDER": "x"}).typed == "y"
    assert where_of(None, {"REFEREE_LADDER": "x"}).option == ""
    assert where_of("y").files == Path("y").absolute()
    assert where_of("postgresql://h/db?files=/f&sslmode=require").files == Path("/f")
    assert where_of("postgresql://h/db").files is None


@pytest.mark.parametrize("typed", ["mysql://h/db", "sqlite:///x", "http://h", "postgresql://h:x/d"])
def test_another_kind_of_place(typed: str) -> None:
    """One line says what a ladder can be in."""
    with pytest.raises(RefereeError, match="postgresql://"):
        where_of(typed)


def test_there_is_none(tmp_path: Path) -> None:
    """Who wants to see a ladder is told how one is made; nothing is made for them."""
    for folder in (tmp_path / "none", tmp_path):
        assert "referee submit" in refusal(folder)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def for_all() -> Iterator[None]:
    """Whatever is made may be read by everybody, unless whoever makes it says otherwise."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """What lies in a folder that others than its owner may look into."""
    return sorted(path.name for path in folder.iterdir() if path.stat().st_mode & 0o077)


@pytest.mark.usefixtures("for_all")
def test_a_ladder_is_for_its_owner_only(tmp_path: Path) -> None:
    """Also where the folder was there before, and is open to others."""
    with made(tmp_path / "new", bots=[]):
        assert open_to_others(tmp_path) == []
    (tmp_path / "old").mkdir(mode=0o755)
    (tmp_path / "copy").mkdir(mode=0o755)
    with made(tmp_path / "old", bots=["first", "random"]) as store:
        filled(store, 1)
        names = {path.name for path in (tmp_path / "old").iterdir()}
        assert names >= {"ladder.db", "ladder.db-wal", "ladder.db-shm", "bots", "records"}
        assert open_to_others(tmp_path / "old") == []
        with store.facts() as reader:
            facts = [fact for _, fact in reader.facts()]
    import_facts(where_of(str(tmp_path / "copy")), facts)
    assert open_to_others(tmp_path / "copy") == []


def test_nothing_but_an_empty_file(tmp_path: Path) -> None:
    """It is no ladder yet, and becomes one when one is made there."""
    assert "there is no ladder" in refusal(there(tmp_path, b""))
    with Store(where_of(str(tmp_path)), BEGINNING) as store:
        assert store.roster.pools


def test_a_folder_that_cannot_be_locked_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some disks of the network have no locks: that is no fault of the archive."""

    def none(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    where = where_of(str(tmp_path / "copy"))
    with pytest.raises(HostError, match=f"'{tmp_path}/copy': cannot lock .*No locks"):
        import_facts(where, [])


@pytest.mark.parametrize(
    "data", [b"not a database at all" * 500, b"SQLite format 3\0", b"\0" * 4096]
)
def test_garbage(tmp_path: Path, data: bytes) -> None:
    """Bytes that are no database are named, and stay as they are, even where one is to be made."""
    for beginning in (None, BEGINNING):
        assert "ladder" in refusal(there(tmp_path, data), beginning)
        assert (tmp_path / "ladder.db").read_bytes() == data


def test_another_program_s_database(tmp_path: Path) -> None:
    """Its tables are named, and its file stays as it is."""
    with sqlite3.connect(tmp_path / "ladder.db") as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    connection.close()
    before = (tmp_path / "ladder.db").read_bytes()
    for beginning in (None, BEGINNING):
        assert "some other program's: it has tables bookmark" in refusal(tmp_path, beginning)
    assert (tmp_path / "ladder.db").read_bytes() == before


def test_a_torn_database(tmp_path: Path) -> None:
    """A ladder of which half is missing is told as damaged, with what to do."""
    with made(tmp_path / "whole", bots=["first"]) as store:
        database = store.where.database
    whole = database.read_bytes()
    folder = tmp_path / "torn"
    folder.mkdir()
    said = refusal(there(folder, whole[: len(whole) // 2]))
    assert "malformed" in said
    assert "import" in said


@pytest.mark.parametrize("table", ["schema_step", "fact"])
def test_a_table_that_was_emptied(tmp_path: Path, table: str) -> None:
    """A ladder without its beginning is damaged, and no bug of ours."""
    with made(tmp_path, bots=["first"]) as store:
        database = store.where.database
    with sqlite3.connect(database) as connection:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names
    connection.close()
    refusal(tmp_path)
    refusal(tmp_path, BEGINNING)


def test_a_table_that_is_gone(tmp_path: Path) -> None:
    """Is named."""
    with made(tmp_path, bots=["first"]) as store:
        database = store.where.database
    with sqlite3.connect(database) as connection:
        connection.execute("DROP TABLE fact")
    connection.close()
    assert "fact" in refusal(tmp_path)


@pytest.mark.parametrize("made_of", ["file", "folder"])
def test_something_else_is_in_the_way(tmp_path: Path, made_of: str) -> None:
    """A file where the folder should be, a folder where the database should be."""
    if made_of == "file":
        (tmp_path / "x").write_text("")
        assert "no folder" in refusal(tmp_path / "x", BEGINNING)
        assert "Not a directory" in refusal(tmp_path / "x/y", BEGINNING)
    else:
        (tmp_path / "ladder.db").mkdir()
        assert str(tmp_path) in refusal(tmp_path, BEGINNING)


class TestSchema:
    """Other versions of the referee."""

    def test_of_a_newer_referee(self, tmp_path: Path) -> None:
        """One line says which schema, and to upgrade; migrating changes nothing."""
        with made(tmp_path, bots=["first"]) as store:
            changed(
                store.where, "INSERT INTO schema_step SELECT max(version) + 1, 0 FROM schema_step"
            )
        said = refusal(tmp_path)
        assert f"newer referee (schema {newest() + 1}; this one knows up to {newest()})" in said
        assert "upgrade" in said
        assert refusal(tmp_path, BEGINNING) == said

    def test_of_an_older_referee(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """One line names the command that migrates, with the ladder it is for."""
        with made(tmp_path, bots=["first"]) as store:
            before = store.counts()
        monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, _adds_a_column])
        said = refusal(tmp_path)
        assert f"older referee (schema {newest() - 1}; this one has {newest()})" in said
        assert f"referee ladder migrate --ladder {tmp_path}" in said
        assert refusal(tmp_path, BEGINNING) == said
        migrated(tmp_path)
        with Store(where_of(str(tmp_path))) as store:
            assert store.counts() == before

    def test_a_step_that_fails_leaves_the_old_schema(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """All steps are one transaction: afterwards it is an old ladder that can be migrated."""
        made(tmp_path, bots=["first"]).close()
        there, steps = newest(), migrations.STEPS
        monkeypatch.setattr(migrations, "STEPS", [*steps, _adds_a_column, _fails])
        with pytest.raises(OverflowError):
            migrated(tmp_path)
        assert f"schema {there}; this one has {there + 2}" in refusal(tmp_path)
        monkeypatch.setattr(migrations, "STEPS", [*steps, _adds_a_column, lambda _: None])
        assert migrated(tmp_path) == there
        assert migrated(tmp_path) == there + 2
        with Store(where_of(str(tmp_path))) as store, store.facts() as reader:
            noted = reader._connection.execute(text("SELECT version FROM schema_step ORDER BY 1"))
            assert noted.scalars().all() == [there, there + 1, there + 2]


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    with small_disk(tmp_path / "small", 512) as folder:
        yield folder


def test_a_full_disk(mounted: Path) -> None:
    """A result that does not fit is refused in one line, not waited for; nothing of it is there,
    and once there is room, it counts."""
    with made(mounted, bots=["first", "greedy"]) as store:
        held = lease(store, job(store, (1, 2)))
        match = invented(store, held.job)
        fill = mounted / "fill"
        fill_up(fill)

        def go_on() -> None:
            for _ in range(200):  # a log of what was written before has some room left
                store.extend([held.token], 1000)
            store.settle(match)

        with pytest.raises(HostError, match="full") as caught:
            go_on()
        assert not isinstance(caught.value, DatabaseGone)
        line_of(caught)
        fill.unlink()
        assert store.settle(match)[0] is Settled.COUNTED
        assert store.counts().matches == 1


def test_a_disk_that_is_read_only(mounted: Path) -> None:
    """It is told in one line, not waited for."""
    made(mounted / "ladder", bots=["first"]).close()
    subprocess.run(["mount", "-o", "remount,ro", mounted], check=True)
    with pytest.raises(HostError) as caught, Store(where_of(str(mounted / "ladder"))) as store:
        store.extend(["x"], 1)
    assert not isinstance(caught.value, DatabaseGone)
    line_of(caught)
    assert "Read-only" in refusal(mounted / "new", BEGINNING)


@pytest.mark.parametrize("name", ["ladder", "full of malformed, encrypted and readonly things"])
def test_a_database_that_others_lock_is_waited_for(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the folder is called: it is away, it is neither damaged nor full."""
    monkeypatch.setattr("ladder.store.database._BUSY_MS", 1)
    with made(tmp_path / name, bots=["first"]) as store:
        other = sqlite3.connect(store.where.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseGone, match="locked"):
            store.extend(["x"], 1)
        assert store.counts().matches == 0
        other.close()
        store.extend(["x"], 1)


FORGED = r"""
UPDATE fact SET body = CAST(replace(CAST(body AS TEXT), '"entrant"\:2', '"entrant"\:99') AS BLOB)
WHERE kind = 'decision'
"""


@pytest.mark.slow
@pytest.mark.thorough
def test_facts_that_do_not_fit_each_other(tmp_path: Path) -> None:
    """Whatever a command wants of a ladder whose rows were changed, it says what is wrong."""
    with made(tmp_path, usual_pools("briscola-2"), ("first", "random")) as store:
        store.add(lambda _, at: [Decision(deed=Deed.RETIRED, entrant=2, reason="x", at_ms=at)])
        where = store.where
    changed(where, FORGED)
    said = refusal(tmp_path)
    assert "is damaged: a decision is of 99, which it does not have" in said


class TestElsewhere:
    """PostgreSQL."""

    def test_another_program_s(self, database: str) -> None:
        """Its tables are named."""
        changed(where_of(database), "CREATE TABLE bookmark (url TEXT)")
        for beginning in (None, BEGINNING):
            assert "some other program's: it has tables bookmark" in refusal(database, beginning)

    def test_none(self, database: str) -> None:
        """An empty database, one that is not there, one whose password is wrong."""
        password = database.split(":")[2].partition("@")[0]
        for typed, expected in (
            (database, "there is no ladder"),
            (f"{database}-not", "does not exist"),
            (database.replace(password, "wrong"), "password"),
        ):
            said = refusal(typed)
            assert expected in said
            assert password not in said

    def test_newer_and_older(self, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """As on SQLite; a password is not told."""
        with made(database, bots=()) as store:
            with monkeypatch.context() as patched:
                patched.setattr(migrations, "STEPS", [*migrations.STEPS, _adds_a_column])
                said = refusal(database)
                assert "referee ladder migrate --ladder URL" in said
            changed(store.where, "INSERT INTO schema_step VALUES (9, 0)")
        assert "newer referee (schema 9" in refusal(database)

    def test_gone_and_back(self, postgres: Postgres, database: str, tmp_path: Path) -> None:
        """While it is down each question is answered by one line; then all is as it was, with the
        same open store."""
        with made(f"{database}?files={tmp_path}", bots=["first", "greedy"]) as store:
            filled(store, 2)
            match = invented(store, lease(store, job(store, (1, 2), 7)).job)
            for mode in Mode:
                postgres.stop(mode)
                for _ in range(2):
                    with pytest.raises(DatabaseGone) as caught:
                        store.settle(match)
                    line_of(caught)
                postgres.start()
                assert store.counts().matches == 2
            assert store.settle(match)[0] is Settled.COUNTED
            assert store.settle(match)[0] is Settled.DUPLICATE

    def test_gone_in_mid_transaction(
        self, postgres: Postgres, database: str, tmp_path: Path
    ) -> None:
        """What was under way is not there afterwards."""
        with made(f"{database}?files={tmp_path}", bots=["first"]) as store:
            before = store.counts()

            def make(*_: object) -> list[Decision]:
                postgres.stop(Mode.IMMEDIATE)
                return [Decision(deed=Deed.RETIRED, entrant=1, reason="", at_ms=0)]

            with pytest.raises(DatabaseGone):
                store.add(make)
            postgres.start()
            assert store.counts() == before
            assert store.refresh().plays(1, 1)


def fill_up(path: Path) -> None:
    """Takes all the room that a disk has left."""
    with path.open("wb", 0) as file, suppress(OSError):
        while file.write(bytes(512)):
            pass


def migrated(folder: Path) -> int:
    """Migrates a ladder; returns the schema that it had."""
    database = Database(where_of(str(folder)))
    try:
        with database.writing() as connection:
            return migrate(database, connection)
    finally:
        database.close()


def _adds_a_column(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE job ADD COLUMN motto TEXT"))


def _fails(connection: Connection) -> None:
    connection.execute(text("DROP TABLE skill"))
    raise OverflowError
