"""The PostgreSQL server for tests: it is real, can be ended at will, and never outlives us."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from support.postgres import Mode, Postgres
from support.sandboxes import living

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

HERE = Path(__file__).parents[2]
STARTS = """
import sys
from support.postgres import Mode, own_postgres
with own_postgres() as server:
    if "stopped" in sys.argv:
        server.stop(Mode.IMMEDIATE)
    print(server.pid, server.folder, flush=True)
    sys.stdin.read()
"""


def rows(url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT * FROM kept ORDER BY 1").fetchall()


def keep(url: str, value: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (value text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [value])


def started(*words: str) -> tuple[subprocess.Popen[str], int, Path]:
    """A program that starts a server; the server's process id and folder."""
    program = subprocess.Popen(
        [sys.executable, "-c", STARTS, *words],
        env={**os.environ, "PYTHONPATH": str(HERE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    pid, folder = program.stdout.readline().split()
    return program, int(pid), Path(folder)


def gone(pid: int, folder: Path, within_s: float = 25) -> bool:
    """Whether nothing is left of a server, soon."""
    until = time.monotonic() + within_s
    while (pid and living([pid])) or folder.exists():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def test_what_is_written_is_read_again(database: str) -> None:
    """A round trip over TCP, by a role that is no superuser."""
    keep(database, "à")

    assert rows(database) == [("à",)]
    with psycopg.connect(database) as connection:
        assert connection.execute(
            "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
        ).fetchone() == (False,)


def test_each_database_is_empty(postgres: Postgres) -> None:
    """Two tests never see each other's tables, and a dropped database is gone."""
    with postgres.database() as one, postgres.database() as other:
        keep(one, "one")
        with psycopg.connect(other) as connection:
            assert connection.execute("SELECT to_regclass('kept')").fetchone() == (None,)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(one)


def test_a_password_is_asked_for(database: str) -> None:
    """The role's name alone opens nothing to other users of the machine."""
    start, _, place = database.partition("@")

    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"{start.rpartition(':')[0]}:wrong@{place}")


def test_it_writes_as_people_s_servers_do(database: str) -> None:
    """Commits wait for the disk, and texts sort by language rather than by bytes."""
    with psycopg.connect(database) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert connection.execute(f"SHOW {name}").fetchone() == ("on",)
        found = connection.execute("SELECT v FROM (VALUES ('B'), ('a')) AS q (v) ORDER BY v")
        assert found.fetchall() == [("a",), ("B",)]


@pytest.mark.parametrize("mode", Mode)
def test_it_can_be_ended_and_started(postgres: Postgres, database: str, mode: Mode) -> None:
    """What was committed is there again at the same URL; open connections are lost."""
    keep(database, "before")
    with psycopg.connect(database) as connection:
        connection.execute("INSERT INTO kept VALUES ('uncommitted')")
        pid, said = postgres.pid, len(postgres.log())
        postgres.stop(mode)

        assert (postgres.running, living([pid])) == (False, [])
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError, match="refused"):
            psycopg.connect(database)
    postgres.start()

    assert rows(database) == [("before",)]
    recovered = "was not properly shut down" in postgres.log()[said:]
    assert recovered == (mode is Mode.IMMEDIATE)


def test_a_restart_is_another_process_at_the_same_place(postgres: Postgres, database: str) -> None:
    """A client that comes again finds it where it was."""
    keep(database, "x")
    before = postgres.pid
    postgres.restart(Mode.IMMEDIATE)

    assert postgres.pid != before
    assert rows(database) == [("x",)]


def test_a_test_may_leave_it_stopped(postgres: Postgres) -> None:
    """The next test that asks for a database finds it running."""
    postgres.stop()
    assert not postgres.running
    with postgres.database() as url:
        keep(url, "x")

        assert rows(url) == [("x",)]


@pytest.mark.parametrize("words", [(), ("stopped",)])
def test_a_killed_session_leaves_nothing(words: tuple[str, ...]) -> None:
    """Server and data folder go after kill -9."""
    program, pid, folder = started(*words)
    assert folder.exists()
    program.kill()
    program.communicate()

    assert gone(pid, folder)


def test_a_session_that_ends_leaves_nothing() -> None:
    """Nor does one that ends as it should, and nothing is left when it has ended."""
    program, pid, folder = started()
    program.communicate("")

    assert program.returncode == 0
    assert not living([pid])
    assert not folder.exists()


def test_servers_side_by_side_do_not_meet(postgres: Postgres, database: str) -> None:
    """Each test process has one, and stopping one does nothing to another."""
    program, pid, folder = started()
    try:
        assert folder != postgres.folder
        keep(database, "mine")
    finally:
        program.communicate("")

    assert gone(pid, folder)
    assert rows(database) == [("mine",)]
