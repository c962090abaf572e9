"""A new ladder from the facts of another."""

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final

from msgspec.structs import asdict
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from ladder.core.facts import Fact, Match, Opened
from ladder.core.roster import Roster
from ladder.store import chain
from ladder.store.chain import Tip
from ladder.store.database import Database, make_file
from ladder.store.index_rows import IndexMaker, written_to
from ladder.store.location import Where
from ladder.store.migrations import migrate
from ladder.store.tables import FactRow, Row, table_of
from referee.errors import HostError, RefereeError

_AT_ONCE: Final = 5_000
_ADD: Final = insert(table_of(FactRow))


@contextmanager
def _alone(where: Where) -> Iterator[bool]:
    """Keeps other imports away; yields whether the file of the database was made by us.

    Raises:
        RefereeError: another import is under way there.
        HostError: the folder cannot be locked.
    """
    if not where.is_local:
        yield False  # a transaction that fails leaves nothing there
        return
    folder = where.database.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    there = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(there, where)
        yield make_file(where)
    finally:
        os.close(there)


def _lock(folder: int, where: Where) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RefereeError(f"another ladder is imported to {where.typed!r} just now") from error
    except OSError as error:
        raise HostError(
            f"ladder {where.typed!r}: cannot lock its folder: {error.strerror}"
        ) from error


@contextmanager
def _new(where: Where) -> Iterator[Connection]:
    """A transaction in a database that has no ladder; if it fails, there is none after it."""
    with _alone(where) as made:
        database, unwanted = Database(where), made
        try:
            with database.writing() as connection:
                migrate(database, connection)
                if connection.execute(select(func.count()).select_from(FactRow)).scalar_one():
                    raise RefereeError(
                        f"there is a ladder at {where.typed!r} already: import elsewhere"
                    )
                yield connection
            unwanted = False
        finally:
            database.close()
            if unwanted:
                _remove(where)


def _remove(where: Where) -> None:
    """Takes away the file of a database in which nothing is, unless another process has it open.

    A process that has waited for our transaction to end may just make a ladder of that file. To
    leave the log wants the file for oneself, and no other comes to it until it is gone; one that
    has opened it by then without looking is told by SQLite, which sees that it was moved and writes
    nothing.
    """
    name = f"{where.database.as_uri()}?mode=rw"
    with (
        suppress(OSError, sqlite3.Error),
        closing(sqlite3.connect(name, uri=True, timeout=0, isolation_level=None)) as alone,
    ):
        alone.execute("PRAGMA journal_mode=DELETE")
        alone.execute("BEGIN EXCLUSIVE")
        if not alone.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            where.database.unlink()


class _Import:
    """Facts on their way into the database, some thousand at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._roster = Roster()
        self._indexes = IndexMaker(self._roster.pools, written_to(connection))
        self._waiting: list[Row] = []
        self._tip = Tip()

    def add(self, fact: Fact) -> None:
        """The next fact.

        Raises:
            RefereeError: it is not where a ladder has it.
        """
        if isinstance(fact, Opened) is not (self._tip.seq == 0):
            raise RefereeError("these are no ladder's facts: one begins with its opening, once")
        link = chain.link(self._tip, fact)
        self._tip = Tip(link.seq, link.at_ms, link.hash)
        self._waiting.append(asdict(link))
        self._roster.add(fact)
        if isinstance(fact, Match):
            self._indexes.add(link.seq, fact)
        if len(self._waiting) >= _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Writes what waits."""
        if self._waiting:
            self._connection.execute(_ADD, self._waiting)
            self._waiting.clear()
        self._indexes.flush()

    def end(self) -> str:
        """Writes what is left; returns the hash of the last fact.

        Raises:
            RefereeError: there is none.
        """
        if self._tip.seq == 0:
            raise RefereeError("these are no ladder's facts: there are none")
        self.flush()
        self._indexes.end()
        return self._tip.hash


def import_facts(where: Where, facts: Iterable[Fact]) -> str:
    """Makes a ladder of these facts; returns the hash of the last one.

    Args:
        where: there must be no ladder there.
        facts: all of another ladder's, in their order.

    Raises:
        RefereeError: there is a ladder, or these are the facts of none.
        HostError: the database does not let us.
    """
    with _new(where) as connection:
        coming = _Import(connection)
        try:
            for fact in facts:
                coming.add(fact)
            return coming.end()
        except IntegrityError as error:
            said = str(error.orig).strip().splitlines()[0]
            raise RefereeError(f"these facts exclude each other: {said}") from error
