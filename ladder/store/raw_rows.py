"""The rows of a ladder as they are, whatever has become of them.

`chain.facts` stops at the first row that does not hold what we wrote. Here nothing stops: what
cannot be read is told, and the next is read. So nothing is taken for granted that a database
promises: values may be of any type, numbers may be out of order, and pages may be gone.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import (
    Connection,
    Executable,
    Label,
    RowMapping,
    String,
    bindparam,
    cast,
    func,
    select,
    text,
    type_coerce,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import NullType

from ladder.store.chain import PLAIN, Link
from ladder.store.schema_check import misfits
from ladder.store.tables import (
    Base,
    EpochRow,
    FactRow,
    FaultFoundRow,
    JobRow,
    MatchRow,
    SkillRow,
    StepRow,
)

Fetched = RowMapping | Mapping[str, Any]
"""A row as it was read."""

ReportDamage = Callable[[str, str, int], None]
"""Is told of what is wrong: where, what, and the number of the fact that it is of, or 0."""

_AT_ONCE: Final = 500
_ENDLESS: Final = 2**63 - 1
_MOST_PROBLEMS: Final = 20
_WORDS: Final[Mapping[type, str]] = {
    str: "text",
    int: "a whole number",
    float: "a number with a fraction",
    bytes: "bytes",
}


class Page(Struct, frozen=True):
    """Some facts that follow one another.

    Attributes:
        links: the facts, as they are kept.
        matches: what the indexes have of those that are matches, by the number of the fact.
        faults: likewise, by the number of the match.
    """

    links: tuple[Link, ...]
    matches: dict[object, list[Fetched]]
    faults: dict[object, list[Fetched]]


class Examiner:
    """Reads all tables, each in an order of its own."""

    def __init__(self, connection: Connection, *, local: bool, found: ReportDamage) -> None:
        """Reads nothing yet.

        Args:
            connection: reads; it is not used for anything else afterwards.
            local: whether it is SQLite's.
            found: is told of what is wrong.
        """
        self._connection = connection
        self._local = local
        self._found = found
        if local:
            driver: Any = connection.connection.driver_connection  # has no type
            driver.text_factory = _lenient

    def examine_database(self) -> None:
        """Looks at its tables, and has it look at itself, as PostgreSQL has no way to."""
        try:
            for where, what in misfits(self._connection, local=self._local):
                self._found(where, what, 0)
        except (DBAPIError, UnicodeDecodeError) as error:  # of what the database quotes
            self._fails("database", error)
        if not self._local:
            return
        whole = text(f"PRAGMA integrity_check({_MOST_PROBLEMS})")
        for row in self._all(whole, "database", {}):
            (said,) = row.values()
            if said != "ok":
                for line in str(said).splitlines():
                    self._found("database", line, 0)
        for row in self._all(text("PRAGMA foreign_key_check"), "database", {}):
            what = f"row {row['rowid']} refers to a row of {row['parent']} that is not there"
            self._found(f"table {row['table']}", what, 0)

    def plain(self) -> list[Link]:
        """The facts that are listed as no matches."""
        return [
            Link(**row)
            for row in self._all(_PLAIN, "table fact", {})
            if self._is_typed(row, _types(FactRow), f"fact {row['seq']}", row["seq"])
        ]

    def pages(self) -> Iterator[Page]:
        """All facts in their order."""
        after = -(2**63)
        while rows := self._all(_NEWER, f"facts after {max(after, 0)}", {"after": after}):
            links = [
                Link(**row)
                for row in rows
                if self._is_typed(row, _types(FactRow), f"fact {row['seq']}", row["seq"])
            ]
            if not links or links[0].seq <= after:
                return  # a table in such disorder was told of before
            after = max(link.seq for link in links)
            yield self._page(tuple(links), {"first": links[0].seq, "last": after})

    def _page(self, links: tuple[Link, ...], span: Mapping[str, int]) -> Page:
        where = "facts {first} to {last}".format(**span)
        page = Page(links, {}, {})
        for row in self._all(_MATCHES, f"matches of {where}", span):
            page.matches.setdefault(row["seq"], []).append(row)
        for row in self._all(_FAULTS, f"faults of {where}", span):
            page.faults.setdefault(row["match"], []).append(row)
        return page

    def jobs(self) -> Iterator[Fetched]:
        """All jobs that wait or are played."""
        for row in self._each(select(*_bare(JobRow)).order_by(JobRow.job), "table job"):
            if self._is_typed(row, _types(JobRow), f"job {str(row['job'])[:16]}", 0):
                yield row

    def epochs(self) -> Iterator[Fetched]:
        """All secrets of epochs, rising."""
        for row in self._each(select(*_bare(EpochRow)).order_by(EpochRow.epoch), "table epoch"):
            if self._is_typed(row, _types(EpochRow), f"epoch {row['epoch']}", 0):
                yield row

    def skills(self) -> Iterator[Fetched]:
        """All skills, by pool and entrant."""
        query = select(*_bare(SkillRow)).order_by(SkillRow.pool, SkillRow.entrant)
        for row in self._each(query, "table skill"):
            where = f"skill of entrant {row['entrant']} in pool {row['pool']}"
            if self._is_typed(row, _types(SkillRow), where, 0):
                yield row

    def steps(self) -> Iterator[Fetched]:
        """All steps, by match and entrant."""
        query = select(*_bare(StepRow)).order_by(StepRow.match, StepRow.entrant)
        for row in self._each(query, "table step"):
            where = f"step of entrant {row['entrant']} after match {row['match']}"
            if self._is_typed(row, _types(StepRow), where, 0):
                yield row

    def records(self) -> Iterator[str]:
        """The records that matches have, rising."""
        record = MatchRow.record
        query = select(_plainly(record)).where(record != "").order_by(record)
        return (str(row["record"]) for row in self._each(query, "table match"))

    def examine_twins(self) -> None:
        """Tells what may be there once only, and what may not be there any more."""
        for column, what in (
            (MatchRow.record, "record {} is another match's, too"),
            (MatchRow.key, "the key of {} is another match's, too"),
        ):
            query = (
                select(_plainly(column))
                .where(cast(column, String) != "")
                .group_by(column)
                .having(func.count() > 1)
                .order_by(column)
                .limit(_MOST_PROBLEMS)
            )
            for row in self._all(query, "table match", {}):
                (value,) = row.values()
                self._found("table match", what.format(str(value)[:16]), 0)
        played = select(_plainly(JobRow.job)).join(MatchRow, MatchRow.job == JobRow.job)
        for row in self._all(played.limit(_MOST_PROBLEMS), "table job", {}):
            self._found(f"job {str(row['job'])[:16]}", "it was played, and waits", 0)

    def count_matches(self, last: int = _ENDLESS) -> int:
        """How many facts are listed as matches, up to that of this number."""
        query = (
            select(func.count().label("matches"))
            .select_from(FactRow)
            .where(FactRow.kind == "match", FactRow.seq <= bindparam("last"))
        )
        rows = self._all(query, "table fact", {"last": last})
        return int(rows[0]["matches"]) if rows else 0

    def _all(self, query: Executable, where: str, values: Mapping[str, int]) -> list[Fetched]:
        """The rows of a query; none, and a word about it, where the database fails at it."""
        try:
            return list(self._connection.execute(query, values).mappings())
        except (DBAPIError, UnicodeDecodeError) as error:  # of what the database quotes
            self._fails(where, error)
            return []

    def _each(self, query: Executable, where: str) -> Iterator[Fetched]:
        """As `_all`, a few rows at a time."""
        try:
            streamed = query.execution_options(yield_per=_AT_ONCE)
            yield from self._connection.execute(streamed).mappings()
        except (DBAPIError, UnicodeDecodeError) as error:  # of what the database quotes
            self._fails(where, error)

    def _fails(self, where: str, error: DBAPIError | UnicodeDecodeError) -> None:
        said = str(getattr(error, "orig", error)).strip().splitlines()
        self._found(where, f"cannot be read: {said[0] if said else 'no reason given'}", 0)

    def _is_typed(self, row: Fetched, types: Mapping[str, type], where: str, seq: object) -> bool:
        for name, kind in types.items():
            if type(row[name]) is not kind:
                self._found(where, f"{name} is not {_WORDS[kind]}", _number(seq))
                return False
        return True


def _lenient(data: bytes) -> str:
    """Text that is damaged is another text; the driver would refuse the whole row."""
    return data.decode(errors="replace")


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _plainly(column: Any) -> Label[Any]:
    """A column without its type, so that what it holds is not converted."""
    return type_coerce(column, NullType()).label(column.key)


def _bare(table: type[Base]) -> list[Label[Any]]:
    """The columns of a table, each without its type."""
    return [_plainly(column) for column in table.__table__.columns]


@cache
def _types(table: type[Base]) -> Mapping[str, type]:
    return {column.name: column.type.python_type for column in table.__table__.columns}


_FACTS: Final = select(*_bare(FactRow)).order_by(FactRow.seq)
_PLAIN: Final = _FACTS.where(FactRow.kind.in_(PLAIN))
_NEWER: Final = _FACTS.where(FactRow.seq > bindparam("after")).limit(_AT_ONCE)
_WITHIN: Final = MatchRow.seq.between(bindparam("first"), bindparam("last"))
_MATCHES: Final = select(*_bare(MatchRow)).where(_WITHIN)
_FAULTS: Final = (
    select(*_bare(FaultFoundRow))
    .join_from(FaultFoundRow, MatchRow, MatchRow.number == FaultFoundRow.match)
    .where(_WITHIN)
    .order_by(FaultFoundRow.match, FaultFoundRow.at)
)
