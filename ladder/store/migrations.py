"""The schema of a ladder's database, and the steps that bring an older one up to date."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection, func, insert, inspect, select

from ladder.store.database import Database
from ladder.store.location import Where
from ladder.store.tables import Base, SchemaRow
from referee.errors import RefereeError

STEPS: Final[list[Callable[[Connection], None]]] = []
"""The first one makes schema 2 of schema 1, and so on; a step that was released stays as it is."""


def newest() -> int:
    """The schema that this referee has."""
    return 1 + len(STEPS)


def version_of(connection: Connection) -> int:
    """The schema of a database; 0 where nothing is.

    Raises:
        RefereeError: it is some other program's, or damaged.
    """
    names = inspect(connection).get_table_names()
    if SchemaRow.__tablename__ in names:
        found = connection.execute(select(func.max(SchemaRow.version))).scalar_one()
        if not isinstance(found, int):
            raise RefereeError("that database is damaged: it does not say which schema it has")
        return found
    if names:
        some = ", ".join(sorted(names)[:3])
        raise RefereeError(f"that database is some other program's: it has tables {some}")
    return 0


def migrate(database: Database, connection: Connection) -> int:
    """Brings a database up to date, or makes its tables; returns the schema that it had."""
    before = version_of(connection)
    if before == 0:
        Base.metadata.create_all(connection)
        _note(database, connection, newest())
    for version in range(before, newest()) if before else ():
        STEPS[version - 1](connection)
        _note(database, connection, version + 1)
    return before


def _note(database: Database, connection: Connection, version: int) -> None:
    at_ms = database.now_ms(connection)
    connection.execute(insert(SchemaRow).values(version=version, at_ms=at_ms))


def check_version(found: int, where: Where) -> None:
    """Refuses a schema that is not ours, and says what to do.

    Raises:
        RefereeError: it is older, newer, or none.
    """
    if found == 0:
        raise RefereeError(
            f"there is no ladder at {where.typed!r}: `referee submit` makes one, and so does "
            "`referee ladder open`"
        )
    if found < newest():
        raise RefereeError(
            f"ladder {where.typed!r} is of an older referee (schema {found}; this one has "
            f"{newest()}): bring it up to date with: referee ladder migrate{where.option}"
        )
    if found > newest():
        raise RefereeError(
            f"ladder {where.typed!r} is of a newer referee (schema {found}; this one knows up to "
            f"{newest()}): upgrade briscola-referee"
        )
