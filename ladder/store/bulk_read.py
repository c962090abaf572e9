"""Rows by the million: the driver's own, in parts, so that few of them live at a time."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.sql.expression import ClauseElement

_AT_ONCE: Final = 10_000


def plainly(connection: Connection, query: ClauseElement) -> Iterator[list[tuple[Any, ...]]]:
    """What a query finds, some thousand rows at a time, as the driver has them.

    SQLAlchemy's rows take as long again as SQLite's, and its results keep some rows to themselves.

    Args:
        connection: reads.
        query: of columns whose values the driver has as we want them: numbers, texts, bytes; what
            it compares them with are numbers.
    """
    compiled = query.compile(connection, compile_kwargs={"literal_binds": True})
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101  # it is connected
    named = {} if connection.dialect.name == "sqlite" else {"name": "plainly"}  # or all comes
    with closing(driver.cursor(**named)) as cursor:
        cursor.execute(str(compiled))
        while part := cursor.fetchmany(_AT_ONCE):
            yield part
