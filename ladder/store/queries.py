"""What is read of a ladder: its facts in order, the results of a pool, single matches."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select

from ladder.core.block_codec import Gathering, Results
from ladder.core.facts import Fact, Match, Pool
from ladder.core.retention import Span, horizon_of
from ladder.core.tallies import FaultKind
from ladder.store import chain, fact_rows
from ladder.store.bulk_read import plainly
from ladder.store.fact_rows import Known, Link
from ladder.store.tables import (
    FactRow,
    FaultFoundRow,
    LeaseRow,
    MatchRow,
    RetentionRow,
    StepRow,
    SubmissionRow,
)
from referee.errors import RefereeError
from referee.match.verdict import FaultCode

_SHORTEST_ID: Final = 8
_LONGEST_ID: Final = 64
_NEWS: Final = (
    select(FactRow.seq).where(FactRow.seq > bindparam("after"), FactRow.kind != "match").limit(1)
)


_BEFORE: Final = (
    select(MatchRow.number)
    .where(MatchRow.seq < RetentionRow.seq)
    .order_by(MatchRow.seq.desc())
    .limit(1)
    .scalar_subquery()
)
_POLICIES: Final = select(
    RetentionRow.__table__, func.coalesce(_BEFORE, 0).label("before")
).order_by(RetentionRow.seq)


class Counts(Struct, frozen=True):
    """How much there is: facts, submissions, matches, and jobs that wait or are played."""

    facts: int
    entrants: int
    matches: int
    open: int


class Step(Struct, frozen=True):
    """What the online rating said of an entrant after a match."""

    pool: int
    entrant: int
    match: int
    at_ms: int
    mu: float
    sigma: float


class Reader:
    """All facts as they are in one transaction.

    Attributes:
        head: the last of them; None where there is none.
        horizon: records of matches up to this number may be gone by policy.
    """

    def __init__(self, connection: Connection, known: Known) -> None:
        """Reads nothing yet."""
        self._connection = connection
        self._known = known
        self.head = chain.last(connection)
        self.horizon = horizon(connection)

    def facts(self) -> Iterator[tuple[Link, Fact]]:
        """All of them, in order; for what it raises see `fact_rows.facts`."""
        last = 0 if self.head is None else self.head.seq
        return fact_rows.facts(self._connection, self._known, last)

    def matches(self) -> Iterator[Match]:
        """Those that are matches."""
        return (fact for _, fact in self.facts() if isinstance(fact, Match))


def plain_facts(connection: Connection, after: int) -> list[Fact]:
    """The facts that came after one, matches left out."""
    if connection.execute(_NEWS, {"after": after}).first() is None:
        return []  # as almost always: one question instead of five
    return [fact for _, fact in sorted(fact_rows.plain(connection, after), key=lambda one: one[0])]


def results(connection: Connection, pool: Pool) -> Results:
    """All blocks of a pool.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    columns = (MatchRow.job, MatchRow.blocks, MatchRow.counts, MatchRow.acts, MatchRow.wall_us)
    found = Gathering(pool.places)
    query = select(*columns).where(MatchRow.pool == pool.pool)
    with _no_collections():
        for part in plainly(connection, query):
            found.add(*zip(*part, strict=True))
    try:
        return found.results()
    except ValueError as error:
        told = f"{error}: see `referee ladder verify`"
        raise fact_rows.Damaged(f"matches of pool {pool.pool}", told) from error


@contextmanager
def _no_collections() -> Iterator[None]:
    """Spares the search for cycles, which takes a third as long as the reading of a million rows.

    Rows are tuples of numbers and texts: there is nothing to find.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def idle_since(connection: Connection, pool: int, at_ms: int) -> frozenset[int]:
    """The entrants all of whose matches in a pool were counted before a moment."""
    oldest = select(func.min(FactRow.at_ms)).where(FactRow.kind == "match")
    first = connection.execute(oldest).scalar()
    if first is None or first >= at_ms:
        return frozenset()  # as in any ladder that is younger
    query = (
        select(StepRow.entrant)
        .join(MatchRow, MatchRow.number == StepRow.match)
        .join(FactRow, FactRow.seq == MatchRow.seq)
        .where(MatchRow.pool == pool)
        .group_by(StepRow.entrant)
        .having(func.max(FactRow.at_ms) < at_ms)
    )
    return frozenset(connection.execute(query).scalars())


def faults(connection: Connection, pool: int, without: Collection[int] = ()) -> list[FaultKind]:
    """The faults of a pool, by entrant; those in matches of some entrants are left out."""
    columns = (FaultFoundRow.entrant, FaultFoundRow.code, FaultFoundRow.detail)
    query = (
        select(*columns, func.count().label("times"), func.min(FaultFoundRow.match).label("match"))
        .join(MatchRow, MatchRow.number == FaultFoundRow.match)
        .where(MatchRow.pool == pool)
        .group_by(*columns)
        .order_by(FaultFoundRow.entrant, func.count().desc(), func.min(FaultFoundRow.match))
    )
    if without:
        theirs = select(StepRow.match).where(StepRow.entrant.in_(without))
        query = query.where(FaultFoundRow.match.not_in(theirs))
    return [
        FaultKind(row.entrant, FaultCode(row.code), row.detail, row.times, row.match)
        for row in connection.execute(query)
    ]


def steps(connection: Connection, entrants: Sequence[int]) -> list[Step]:
    """How the online ratings of some entrants went, in the order of the matches."""
    query = (
        select(
            MatchRow.pool, StepRow.entrant, StepRow.match, FactRow.at_ms, StepRow.mu, StepRow.sigma
        )
        .select_from(StepRow)
        .join(MatchRow, MatchRow.number == StepRow.match)
        .join(FactRow, FactRow.seq == MatchRow.seq)
        .where(StepRow.entrant.in_(entrants))
        .order_by(StepRow.match, StepRow.entrant)
    )
    return [Step(*row) for row in connection.execute(query)]


def match(connection: Connection, known: Known, text: str) -> tuple[int, Match]:
    """A match by its number, or by eight digits and more of its job's id.

    Raises:
        RefereeError: there is none, or there are several.
    """
    query = select(MatchRow.number)
    if text.isdecimal() and len(text) < _SHORTEST_ID:
        query = query.where(MatchRow.number == int(text))
    elif _SHORTEST_ID <= len(text) <= _LONGEST_ID and text.isalnum():
        query = query.where(MatchRow.job.startswith(text.lower()))
    else:
        raise RefereeError(f"match {text!r}: its number, or {_SHORTEST_ID} digits of its id")
    found = connection.execute(query.limit(2)).scalars().all()
    if not found:
        raise RefereeError(f"there is no match {text}")
    if len(found) > 1:
        raise RefereeError(f"match {text}: there are several whose id begins so")
    return next(_matches(connection, known, found))


def _matches(
    connection: Connection, known: Known, wanted: Sequence[int]
) -> Iterator[tuple[int, Match]]:
    for number in wanted:
        query = fact_rows.matches_query().where(MatchRow.number == number)
        row = connection.execute(query).mappings().one()
        said = select(FaultFoundRow.__table__).where(FaultFoundRow.match == number)
        found = connection.execute(said.order_by(FaultFoundRow.at)).mappings().all()
        at_ms = select(FactRow.at_ms).where(FactRow.seq == row["seq"])
        when = connection.execute(at_ms).scalar_one()
        yield number, fact_rows.match_in_rows(row, found, when, known)


def matches_of(
    connection: Connection,
    known: Known,
    entrants: Sequence[int],
    most: int,
    pools: Sequence[int] | None = None,
) -> list[tuple[int, Match]]:
    """The last matches of some entrants, the newest first; in all pools where none are named."""
    query = (
        select(StepRow.match)
        .where(StepRow.entrant.in_(entrants))
        .distinct()
        .order_by(StepRow.match.desc())
        .limit(most)
    )
    if pools is not None:
        query = query.join(MatchRow, MatchRow.number == StepRow.match)
        query = query.where(MatchRow.pool.in_(pools))
    return list(_matches(connection, known, connection.execute(query).scalars().all()))


def has_record(connection: Connection, record: str) -> bool:
    """Whether a match has this record."""
    query = select(MatchRow.number).where(MatchRow.record == record).limit(1)
    return connection.execute(query).first() is not None


def records(connection: Connection) -> frozenset[str]:
    """The records of all matches."""
    parts = plainly(connection, select(MatchRow.record))
    return frozenset(record for part in parts for (record,) in part)


def horizon(connection: Connection) -> int:
    """The number of the last match whose record may be gone by policy; 0 where all have to stay.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    found = connection.execute(_POLICIES).mappings().all()
    if not found:
        return 0  # as in most ladders
    policies = [(fact_rows.retention_in_row(row, 0), row["before"]) for row in found]
    matches = connection.execute(select(func.max(MatchRow.number))).scalar() or 0
    return horizon_of(policies, matches)


def records_of(connection: Connection, span: Span) -> list[str]:
    """The records of matches by their numbers; unplayed ones have none."""
    query = select(MatchRow.record).where(MatchRow.number.between(*span), MatchRow.record != "")
    return list(connection.execute(query).scalars())


def fact_of(connection: Connection, entrant: int) -> int:
    """The number of the fact that is the submission of an entrant."""
    query = select(SubmissionRow.seq).where(SubmissionRow.entrant == entrant)
    return connection.execute(query).scalar_one()


def counts(connection: Connection) -> Counts:
    """How much there is."""
    return Counts(
        *(
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (FactRow, SubmissionRow, MatchRow, LeaseRow)
        )
    )
