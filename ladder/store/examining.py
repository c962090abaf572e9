"""The rows of a ladder as they are, whatever has become of them.

`rows.facts` stops at the first row that does not hold what we wrote. Here nothing stops: what
cannot be read is told, and the next is read. So nothing is taken for granted that a database
promises: values may be of any type, numbers may be out of order, and pages may be gone.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, RowMapping, text
from sqlalchemy.exc import DBAPIError

from ladder.store.rows import Link
from ladder.store.tables import (
    Base,
    DecisionRow,
    FactRow,
    JobRow,
    MatchRow,
    OpenedRow,
    PoolRow,
    SkillRow,
    StepRow,
    SubmissionRow,
    VerdictRow,
)

Found = Callable[[str, str, int], None]
"""Is told of what is wrong: where, what, and the number of the fact that it is of, or 0."""

_AT_ONCE: Final = 5_000
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
        links: their places in the chain.
        matches: rows of matches, with what their jobs say, by the number of the fact.
        verdicts: rows of verdicts, by the number of the match.
    """

    links: tuple[Link, ...]
    matches: Mapping[int, list[RowMapping]]
    verdicts: Mapping[int, list[RowMapping]]


class Plain(Struct, frozen=True):
    """A row of a fact that is no match."""

    seq: int
    kind: str
    row: RowMapping


class Examiner:
    """Reads all tables, each in an order of its own."""

    def __init__(self, connection: Connection, *, local: bool, found: Found) -> None:
        """Reads nothing yet.

        Args:
            connection: reads; nobody else uses it afterwards.
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
        """Has the database look at itself; PostgreSQL has no way to."""
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

    def plain(self) -> list[Plain]:
        """All facts but matches, kind by kind."""
        found = []
        for kind, table in _PLAIN.items():
            columns = _columns(table)
            query = text(
                f'SELECT {columns}, fact.at_ms FROM "{kind}" t '
                "LEFT JOIN fact ON fact.seq = t.seq ORDER BY t.seq"
            )
            types = {**_types(table), "at_ms": int}
            rows = self._all(query, f"table {kind}", {})
            found += [
                Plain(row["seq"], kind, row)
                for row in rows
                if self._is_typed(row, types, f"{kind} of fact {row['seq']}", row["seq"])
            ]
        return found

    def pages(self) -> Iterator[Page]:
        """All facts in their order."""
        query = text(
            f"SELECT {_columns(FactRow)} FROM fact t WHERE t.seq > :after ORDER BY t.seq "
            f"LIMIT {_AT_ONCE}"
        )
        after = -(2**63)
        while rows := self._all(query, f"facts after {max(after, 0)}", {"after": after}):
            links = []
            for row in rows:
                if self._is_typed(row, _types(FactRow), f"fact {row['seq']}", row["seq"]):
                    links.append(
                        Link(row["seq"], row["kind"], row["at_ms"], row["digest"], row["hash"])
                    )
            if not links or links[0].seq <= after:
                return  # a table in such disorder was told of before
            after = max(link.seq for link in links)
            yield self._page(tuple(links), {"first": links[0].seq, "last": after})

    def _page(self, links: tuple[Link, ...], span: Mapping[str, int]) -> Page:
        first, last = span.values()
        matches: dict[int, list[RowMapping]] = {}
        for row in self._all(_MATCHES, f"matches of facts {first} to {last}", span):
            where = f"match {row['number']}"
            if self._is_typed(row, _MATCH_TYPES, where, _number(row["seq"])):
                matches.setdefault(row["seq"], []).append(row)
        verdicts: dict[int, list[RowMapping]] = {}
        for row in self._all(_VERDICTS, f"verdicts of facts {first} to {last}", span):
            if self._is_typed(row, _types(VerdictRow), f"verdict of match {row['match']}", 0):
                verdicts.setdefault(row["match"], []).append(row)
        return Page(links, matches, verdicts)

    def jobs(self) -> Iterator[RowMapping]:
        """All jobs, `blocks` as `job_blocks`; `seq` is of the fact of its match, if there is one."""
        for row in self._each(_JOBS, "table job"):
            if self._is_typed(row, _JOB_TYPES, f"job {str(row['job'])[:16]}", 0):
                yield row

    def skills(self) -> Iterator[RowMapping]:
        """All skills, by pool and entrant."""
        query = text(f"SELECT {_columns(SkillRow)} FROM skill t ORDER BY t.pool, t.entrant")
        for row in self._each(query, "table skill"):
            where = f"skill of entrant {row['entrant']} in pool {row['pool']}"
            if self._is_typed(row, _types(SkillRow), where, 0):
                yield row

    def steps(self) -> Iterator[RowMapping]:
        """All steps, by match and entrant."""
        query = text(f"SELECT {_columns(StepRow)} FROM step t ORDER BY t.match, t.entrant")
        for row in self._each(query, "table step"):
            where = f"step of entrant {row['entrant']} after match {row['match']}"
            if self._is_typed(row, _types(StepRow), where, 0):
                yield row

    def records(self) -> Iterator[str]:
        """The records that matches have, rising."""
        query = text("SELECT record FROM \"match\" WHERE record <> '' ORDER BY record")
        return (str(row["record"]) for row in self._each(query, "table match"))

    def examine_twins(self) -> None:
        """Tells what may be there once only, and what may not be there any more."""
        twice = (
            ("job", "key", "the key of {} is another job's, too"),
            ("match", "record", "record {} is another match's, too"),
            ("match", "number", "there is another match {}, too"),
            ("match", "job", "job {} was played in another match, too"),
        )
        for table, column, what in twice:
            query = text(
                f'SELECT "{column}" AS it FROM "{table}" WHERE CAST("{column}" AS text) <> \'\' '
                f'GROUP BY "{column}" HAVING count(*) > 1 ORDER BY 1 LIMIT {_MOST_PROBLEMS}'
            )
            for row in self._all(query, f"table {table}", {}):
                self._found(f"table {table}", what.format(str(row["it"])[:16]), 0)
        query = text(
            "SELECT lease.job FROM lease JOIN \"match\" m ON m.job = lease.job ORDER BY 1 "
            f"LIMIT {_MOST_PROBLEMS}"
        )
        for row in self._all(query, "table lease", {}):
            self._found(f"lease of job {str(row['job'])[:16]}", "the job was played", 0)

    def count_matches(self) -> int:
        """How many rows of matches there are."""
        rows = self._all(text('SELECT count(*) AS n FROM "match"'), "table match", {})
        return int(rows[0]["n"]) if rows else 0

    def newest(self) -> str:
        """The hash of the last fact, whatever it is; "" where there is none."""
        query = text("SELECT hash FROM fact ORDER BY seq DESC LIMIT 1")
        rows = self._all(query, "table fact", {})
        return str(rows[0]["hash"]) if rows else ""

    def _all(self, query: Any, where: str, values: Mapping[str, int]) -> list[RowMapping]:
        """The rows of a query; none, and a word about it, where the database fails at it."""
        try:
            return list(self._connection.execute(query, values).mappings())
        except DBAPIError as error:
            self._fails(where, error)
            return []

    def _each(self, query: Any, where: str) -> Iterator[RowMapping]:
        """As `_all`, a few rows at a time."""
        try:
            streamed = query.execution_options(yield_per=_AT_ONCE)
            yield from self._connection.execute(streamed).mappings()
        except DBAPIError as error:
            self._fails(where, error)

    def _fails(self, where: str, error: DBAPIError) -> None:
        said = str(error.orig).strip().splitlines()
        self._found(where, f"cannot be read: {said[0] if said else 'no reason given'}", 0)

    def _is_typed(self, row: RowMapping, types: Mapping[str, type], where: str, seq: object) -> bool:
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


def _columns(table: type[Base]) -> str:
    """The columns of a table that is called `t`: as bare text, so that nobody converts values."""
    return ", ".join(f't."{column.name}"' for column in table.__table__.columns)


def _types(table: type[Base]) -> dict[str, type]:
    return {column.name: column.type.python_type for column in table.__table__.columns}


_PLAIN: Final[Mapping[str, type[Base]]] = {
    "opened": OpenedRow,
    "pool": PoolRow,
    "submission": SubmissionRow,
    "decision": DecisionRow,
}
_MATCHES: Final = text(
    f"SELECT {_columns(MatchRow)}, job.entrants, job.\"key\", job.blocks AS job_blocks "
    'FROM "match" t JOIN job ON job.job = t.job WHERE t.seq BETWEEN :first AND :last'
)
_MATCH_TYPES: Final = {**_types(MatchRow), "entrants": str, "key": str, "job_blocks": int}
_VERDICTS: Final = text(
    f'SELECT {_columns(VerdictRow)} FROM verdict t JOIN "match" m ON m.number = t.match '
    "WHERE m.seq BETWEEN :first AND :last ORDER BY t.match, t.at"
)
_JOBS: Final = text(
    "SELECT t.job, t.pool, t.entrants, t.\"key\", t.blocks AS job_blocks, t.at_ms "
    "FROM job t ORDER BY t.job"
)
_JOB_TYPES: Final = {
    name if name != "blocks" else "job_blocks": kind for name, kind in _types(JobRow).items()
}
