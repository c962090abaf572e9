"""Whether the tables of a database are those that we make, and nothing else is there.

A trigger or a rule can change what is stored next, a column without a value stops it, and without
an index it takes for ever. So each of these is told that is not as `tables` has it.
"""

import warnings
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Connection,
    Dialect,
    ForeignKeyConstraint,
    Inspector,
    Table,
    UniqueConstraint,
    inspect,
    text,
)

from ladder.store.tables import Base

_THERE_SQLITE: Final = """
SELECT type, name FROM sqlite_master
WHERE type != 'index' AND NOT (
    type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat3', 'sqlite_stat4')
)
"""
"""The tables that are left out are those that SQLite makes for itself."""

_THERE_POSTGRESQL: Final = """
WITH ours AS (
    SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND NOT EXISTS (
        SELECT FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
    )
)
SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' WHEN 'S' THEN 'sequence'
    ELSE 'table' END, relname FROM ours WHERE relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
UNION ALL SELECT 'trigger', tgname FROM pg_trigger JOIN ours ON ours.oid = tgrelid
    WHERE NOT tgisinternal
UNION ALL SELECT 'rule', rulename FROM pg_rewrite JOIN ours ON ours.oid = ev_class
    WHERE rulename != '_RETURN'
UNION ALL SELECT 'policy', polname FROM pg_policy JOIN ours ON ours.oid = polrelid
"""
"""What came with an extension is not looked at: it is the database's own."""

Misfit = tuple[str, str]
"""Where, and what, in words."""


def misfits(connection: Connection, *, local: bool) -> Iterator[Misfit]:
    """What is not as we made it, or is not ours.

    Args:
        connection: reads.
        local: whether it is SQLite's.

    Raises:
        SQLAlchemyError: the database cannot say.
        UnicodeDecodeError: likewise.
    """
    wanted = Base.metadata.tables
    rows = connection.execute(text(_THERE_SQLITE if local else _THERE_POSTGRESQL))
    there = sorted((str(kind), str(name)) for kind, name in rows)
    for kind, name in there:
        if kind != "table" or name not in wanted:
            yield f"{kind} {name}", "it is none of ours"
    inspector = inspect(connection)
    for name, table in wanted.items():
        if ("table", name) not in there:
            yield f"table {name}", "it is missing"
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what cannot be read: then it differs
            found = set(_found(inspector, name))
        here = set(_wanted(table, connection.dialect))
        for what in sorted(found - here):
            yield f"table {name}", f"its {what} is none of ours"
        for what in sorted(here - found):
            yield f"table {name}", f"its {what} is missing"


def _wanted(table: Table, dialect: Dialect) -> Iterator[str]:
    """The parts of a table as we make it, in words."""
    for column in table.columns:
        yield _column(column.name, column.type.compile(dialect), bool(column.nullable), None)
    yield _of("primary key", table.primary_key.columns.keys())
    for index in table.indexes:
        yield _index(index.name, index.columns.keys(), bool(index.unique))
    checks = count(1)
    for constraint in table.constraints:
        match constraint:
            case UniqueConstraint():
                yield _of("uniqueness", constraint.columns.keys())
            case ForeignKeyConstraint():
                yield _reference(constraint.column_keys, constraint.referred_table.name)
            case CheckConstraint():
                yield f"check {next(checks)}"
    if dialect.name == "sqlite":
        yield "strictness"


def _found(inspector: Inspector, table: str) -> Iterator[str]:
    """The parts of a table as they are, in words."""
    for column in inspector.get_columns(table):
        kind = column["type"].compile(inspector.dialect)
        filled = next(filter(None, map(column.get, ("default", "computed", "identity"))), None)
        yield _column(column["name"], kind, column["nullable"], filled)
    yield _of("primary key", inspector.get_pk_constraint(table)["constrained_columns"])
    for index in inspector.get_indexes(table):
        if "duplicates_constraint" not in index:
            yield _index(index["name"], index["column_names"], bool(index["unique"]))
    for unique in inspector.get_unique_constraints(table):
        yield _of("uniqueness", unique["column_names"])
    for key in inspector.get_foreign_keys(table):
        yield _reference(key["constrained_columns"], key["referred_table"])
    for at, _ in enumerate(inspector.get_check_constraints(table), 1):
        yield f"check {at}"  # PostgreSQL does not say them as we did
    if inspector.get_table_options(table).get("sqlite_strict"):
        yield "strictness"


def _column(name: str, kind: str, nullable: bool, filled: object) -> str:
    default = "" if filled is None else f", {filled} by default"
    return f"column {name} ({kind}{'' if nullable else ', always there'}{default})"


def _of(what: str, columns: Iterable[object]) -> str:
    return f"{what} of {', '.join(map(str, columns))}"


def _index(name: object, columns: Iterable[object], unique: bool) -> str:
    return _of(f"{'unique ' if unique else ''}index {name}", columns)


def _reference(columns: Iterable[object], table: str) -> str:
    return f"{_of('reference', columns)} to {table}"
