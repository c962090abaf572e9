"""Transactions: the one place that opens a connection.

A writer is alone. SQLite has one writer at a time, and a transaction that begins by
reading may find, when it wants to write, that it cannot: so one that will write says so at its
beginning (BEGIN IMMEDIATE). In PostgreSQL a lock that lasts as long as the transaction does the
same; hence facts have one order, in whatever process they are made.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from ladder.store.location import Where
from ladder.store.tables import Base
from referee.errors import HostError, RefereeError, not_installed
from referee.text import printable

_BUSY_MS: Final = 10_000
_BUSY_AGAIN_S: Final = 0.01
_CONNECT_S: Final = 5
_SILENT_S: Final = 10
"""After three times as long without a word from it, a machine is gone."""
_LOCK: Final = 0x6272_6973_636F  # "brisco", so that no other program's lock is ours by chance
_RECORDS: Final = _LOCK + 1
"""Of the records of a ladder whose machines share them."""
_WRITES: Final = "ladder_writes"
_DAMAGED: Final = (
    *("malformed", "not a database", "unsupported file format", "encrypted"),
    *("Could not decode", "no such column", "no such table", "datatype mismatch"),
)

_RESTORE: Final = "restore it from a backup, or import an export of it"

_LASTING: Final = ("full", "I/O error", "readonly", "unable to open")
"""What SQLite says of what does not pass by waiting."""

_IS_OURS: Final = (
    "SELECT count(*) = 0 OR max(name = 'schema_step') FROM sqlite_master WHERE type = 'table'"
)


_CODE: Final = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
"""Lists what SQLite runs by itself: whoever made the file may have written one without an end."""


class DatabaseGone(HostError):
    """The database does not answer now, or is locked by others; it may do so later."""


def make_file(where: Where) -> bool:
    """Makes the file of a database that is one, and its folder, for their owner only.

    SQLite would let others read it where its folder does; what it makes beside it is for the same
    people.

    Returns:
        Whether it was made; False if it is there already.

    Raises:
        OSError: the folder does not let us.
    """
    where.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(where.database, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        return False
    return True


class Database:
    """The database of a ladder; a context that closes its connections."""

    def __init__(self, where: Where, *, to_prove: bool = False) -> None:
        """Connects to nothing yet.

        Args:
            where: it.
            to_prove: whether what is none of ours there is to be found and told, not refused.

        Raises:
            RefereeError: the library for that kind of database is not installed.
        """
        self._where = where
        self.local = where.is_local
        self._held: Connection | None = None
        try:
            self._engine = _local(where, to_prove=to_prove) if self.local else _remote(where)
        except (ImportError, NoSuchModuleError) as error:
            missing = ModuleNotFoundError(name="psycopg")
            raise not_installed("ladder: PostgreSQL", "postgresql", missing) from error

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database, and writes nothing.

        Raises:
            DatabaseGone: it does not answer.
            HostError: it does not let us.
            RefereeError: it is damaged.
        """
        if self._held is not None:
            yield self._held
            return
        with self._trouble():
            isolation = {} if self.local else {"isolation_level": "REPEATABLE READ"}
            found = self._engine.connect().execution_options(**isolation)
            with found as connection, connection.begin():
                yield connection

    @contextmanager
    def moment(self) -> Iterator[None]:
        """A block in which everything is read as it is at the first reading; for one thread.

        Raises:
            DatabaseGone: as for `reading`, and so for HostError and RefereeError.
        """
        with self.reading() as connection:
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes, alone; what it wrote lasts once the block is left in order.

        Raises:
            DatabaseGone: it does not answer. What was written is there or is not.
            HostError: it does not let us.
            RefereeError: it is damaged.
        """
        with self._trouble():
            found = self._engine.connect().execution_options(**{_WRITES: True})
            with found as connection, connection.begin():
                if not self.local:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                yield connection

    @contextmanager
    def records_locked(self, *, alone: bool) -> Iterator[bool]:
        """A block in which records are not removed or, if `alone`, are held by no other.

        Where the database is a file, locks of the folder of records do that.

        Yields:
            Whether it is so: who wants to be alone does not wait for the others.
        """
        if self.local:
            yield True
            return
        how = "pg_try_advisory_lock" if alone else "pg_advisory_lock_shared"
        let_go = "pg_advisory_unlock" if alone else "pg_advisory_unlock_shared"
        key = {"key": _RECORDS}
        with self._trouble(), self._engine.connect() as connection:
            is_so = connection.execute(text(f"SELECT {how}(:key)"), key).scalar_one() is not False
            connection.commit()  # the lock is the connection's, not the transaction's
            try:
                yield is_so
            finally:
                if is_so:
                    connection.execute(text(f"SELECT {let_go}(:key)"), key)
                    connection.commit()

    def wipe_log(self) -> bool:
        """Have nothing left of earlier pages in the log beside the file.

        Returns:
            False where it was not to be had: another process has read for too long, or the disk
            is full. A later writer does it then.
        """
        if not self.local:
            return True
        with self._trouble(), self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None  # noqa: S101  # it is connected
            try:
                (busy, *_) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error:  # a full disk, most of all
                return False
        return not busy

    def now_ms(self, connection: Connection) -> int:
        """The time by the clock of the database's machine."""
        if self.local:
            return time.time_ns() // 1_000_000
        found = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        return int(connection.execute(found).scalar_one())

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """Says in one line what the database says in many."""
        try:
            yield
        except SQLAlchemyError as error:
            raise self._explained(error) from error
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged; the driver cannot
            raise RefereeError(
                f"ladder {self._where.typed!r}: its schema is damaged: {_RESTORE}"
            ) from error

    def _explained(self, error: SQLAlchemyError) -> Exception:
        if not isinstance(error, DBAPIError):
            raise error  # a bug of ours
        said = (str(error.orig).strip() or type(error.orig).__name__).splitlines()[0]
        line = f"ladder {self._where.typed!r}: {said}"
        if any(word in said for word in _DAMAGED):
            return RefereeError(f"{line}: {_RESTORE}")
        passing = isinstance(error, OperationalError) or error.connection_invalidated
        lasting = any(word in said for word in _LASTING)
        return DatabaseGone(line) if passing and not lasting else HostError(line)

    def close(self) -> None:
        """Closes all connections; idempotent."""
        self._engine.dispose()


def _local(where: Where, *, to_prove: bool) -> Engine:
    engine = create_engine(
        where.url,
        poolclass=QueuePool,
        pool_size=2,
        connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:  # the driver's own, which has no type
        connection.isolation_level = None  # the driver begins nothing behind our back
        _keep_a_log(connection)
        for pragma in (
            "synchronous=FULL",
            f"busy_timeout={_BUSY_MS}",
            "foreign_keys=ON",
            "secure_delete=ON",  # what was deleted cannot be read in the file
        ):
            connection.execute(f"PRAGMA {pragma}")
        for kind, name in connection.execute(_CODE).fetchall():
            # a view in the place of a table can be endless
            if not to_prove or str(name).lower() in Base.metadata.tables:
                line = f"ladder {where.typed!r}: the {kind} {printable(str(name))} is none of ours"
                raise RefereeError(f"{line}: {_RESTORE}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Lets others read while one writes; other programs' files stay as they are.

    Where several open a new file at once, SQLite does not wait for its turn here by itself.
    """
    until = time.monotonic() + _BUSY_MS / 1000
    while True:
        try:
            ours = connection.execute(_IS_OURS).fetchall()[0][0]
            if ours:
                connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_BUSY_AGAIN_S)


def _remote(where: Where) -> Engine:
    return create_engine(
        where.url,
        pool_size=2,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": _CONNECT_S,
            "application_name": "briscola-referee",
            "keepalives_idle": _SILENT_S,
            "keepalives_interval": _SILENT_S,
            "keepalives_count": 3,
            "tcp_user_timeout": 3000 * _SILENT_S,
        },
    )
