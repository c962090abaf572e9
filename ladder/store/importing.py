"""A new ladder from the facts of another."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Connection, func, select

from ladder.facts import Fact, Match, Opened
from ladder.roster import Roster
from ladder.store import chain, ratings
from ladder.store.database import Database
from ladder.store.migrations import migrate
from ladder.store.rows import add_job, add_match
from ladder.store.tables import FactRow
from ladder.store.where import Where
from referee.errors import RefereeError


@contextmanager
def _new(where: Where) -> Iterator[Connection]:
    """A transaction in a database that has no ladder; if it fails, there is none after it."""
    made = where.is_local and not where.database.exists()
    if where.is_local:
        where.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(where)
    try:
        with database.writing() as connection:
            migrate(database, connection)
            if connection.execute(select(func.count()).select_from(FactRow)).scalar_one():
                raise RefereeError(
                    f"there is a ladder at {where.typed!r} already: import elsewhere"
                )
            yield connection
        made = False
    finally:
        database.close()
        if made:
            for name in ("", "-wal", "-shm"):
                with suppress(OSError):
                    where.database.with_name(where.database.name + name).unlink()


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
        roster, found, number = Roster(), None, 0
        for fact in facts:
            if isinstance(fact, Opened) is not (roster.opened is None):
                raise RefereeError("these facts are no ladder's: one begins with its opening")
            roster.add(fact)
            if isinstance(fact, Match):
                number += 1
                found = found or ratings.Rebuilding(roster.pools)
                add_job(connection, fact.job, fact.at_ms)
                add_match(connection, chain.append(connection, fact), number, fact)
                found.add(fact)
                ratings.write_steps(connection, found)
            else:
                chain.append(connection, fact)
        if found is not None:
            ratings.write_standings(connection, found)
        newest = chain.last(connection)
        if newest is None:
            raise RefereeError("these facts are no ladder's: there are none")
        return newest.hash
