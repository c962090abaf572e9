"""What is read of a ladder: its facts in order, the results of a pool, single matches."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, func, select
from sqlalchemy.orm import InstrumentedAttribute

from ladder.core.block_codec import Gathering, Results
from ladder.core.facts import Fact, Match, Pool
from ladder.core.retention import RecordsGone, Span, erased_in, horizon_of
from ladder.core.tallies import FaultKind
from ladder.store import chain
from ladder.store.bulk_read import plainly
from ladder.store.chain import Damaged, Link
from ladder.store.tables import FaultFoundRow, JobRow, MatchRow, StepRow
from referee.errors import RefereeError
from referee.match.verdict import FaultCode

_SHORTEST_ID: Final = 8
_LONGEST_ID: Final = 64
_MATCHES_AT_ONCE: Final = 100
_SEQS: Final = select(MatchRow.number, MatchRow.seq).where(
    MatchRow.number.in_(bindparam("numbers", expanding=True))
)


class Counts(Struct, frozen=True):
    """How much there is: matches, and jobs that wait or are played."""

    matches: int
    open: int


class Pulse(Struct, frozen=True):
    """By what it is seen that a ladder has changed.

    Attributes:
        facts: how many there are; `hash` is that of the last one.
        matches: how many were played.
        jobs: the names of those that are open; one that is begun again has another name.
    """

    facts: int
    hash: str
    matches: int
    jobs: frozenset[str]


class Step(Struct, frozen=True):
    """What the online rating said of an entrant after a match."""

    pool: int
    entrant: int
    match: int
    at_ms: int
    mu: float
    sigma: float


class WantedMatches(Struct, frozen=True):
    """Which matches are wanted: all, unless something is said.

    Attributes:
        below: those before the one with this number.
        entrants: those in which one of these played.
        pools: those of these games.
        faulty: those with a fault; of one of the entrants, where some are named.
    """

    below: int | None = None
    entrants: tuple[int, ...] | None = None
    pools: tuple[int, ...] | None = None
    faulty: bool = False


EVERY_MATCH: Final = WantedMatches()


class Reader:
    """All facts as they are in one transaction.

    Attributes:
        head: where their chain ends.
        gone: of which matches records may be gone.
    """

    def __init__(self, connection: Connection) -> None:
        """Reads nothing yet."""
        self._connection = connection
        self.head = chain.tip(connection)
        self.gone = records_gone(connection)

    def facts(self) -> Iterator[tuple[Link, Fact]]:
        """All of them, in order; for what it raises see `chain.facts`."""
        return chain.facts(self._connection, self.head.seq)

    def matches(self) -> Iterator[Match]:
        """Those that are matches."""
        return (fact for _, fact in self.facts() if isinstance(fact, Match))


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
        raise Damaged(f"matches of pool {pool.pool}", told) from error


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
    oldest = select(MatchRow.at_ms).order_by(MatchRow.number).limit(1)
    first = connection.execute(oldest).scalar()
    if first is None or first >= at_ms:
        return frozenset()  # as in any ladder that is younger
    query = (
        select(StepRow.entrant)
        .join(MatchRow, MatchRow.number == StepRow.match)
        .where(MatchRow.pool == pool)
        .group_by(StepRow.entrant)
        .having(func.max(MatchRow.at_ms) < at_ms)
    )
    return frozenset(connection.execute(query).scalars())


def faults(
    connection: Connection, pool: int, without: Collection[int] = ()
) -> list[FaultKind[int]]:
    """The faults of a pool, by entrant; those in matches of some entrants are left out."""
    columns = (FaultFoundRow.entrant, FaultFoundRow.code, FaultFoundRow.detail)
    query = (
        select(*columns, func.count().label("times"), func.min(FaultFoundRow.match).label("first"))
        .join(MatchRow, MatchRow.number == FaultFoundRow.match)
        .where(MatchRow.pool == pool)
        .group_by(*columns)
        .order_by(FaultFoundRow.entrant, func.count().desc(), func.min(FaultFoundRow.match))
    )
    if without:
        theirs = select(StepRow.match).where(StepRow.entrant.in_(without))
        query = query.where(FaultFoundRow.match.not_in(theirs))
    return [
        FaultKind(row.entrant, FaultCode(row.code), row.detail, row.times, row.first)
        for row in connection.execute(query)
    ]


def steps(connection: Connection, entrants: Sequence[int]) -> list[Step]:
    """How the online ratings of some entrants went, in the order of the matches."""
    query = (
        select(
            MatchRow.pool, StepRow.entrant, StepRow.match, MatchRow.at_ms, StepRow.mu, StepRow.sigma
        )
        .select_from(StepRow)
        .join(MatchRow, MatchRow.number == StepRow.match)
        .where(StepRow.entrant.in_(entrants))
        .order_by(StepRow.match, StepRow.entrant)
    )
    return [Step(*row) for row in connection.execute(query)]


def match(connection: Connection, text: str) -> tuple[int, Match]:
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
    return next(_matches(connection, found))


def _matches(connection: Connection, wanted: Sequence[int]) -> Iterator[tuple[int, Match]]:
    """Yield matches by their numbers.

    Raises:
        RefereeError: the indexes name one that is not there.
    """
    for begin in range(0, len(wanted), _MATCHES_AT_ONCE):
        part = wanted[begin : begin + _MATCHES_AT_ONCE]
        found = {row.number: row.seq for row in connection.execute(_SEQS, {"numbers": part})}
        for number in part:
            if number not in found:
                raise RefereeError(
                    f"the indexes of the ladder name a match {number} that is not there: see "
                    "`referee ladder verify`, and `rebuild` to make them anew"
                )
        facts = chain.matches_at(connection, [found[number] for number in part])
        yield from zip(part, facts, strict=True)


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
    policies = chain.policies(connection)
    if not policies:
        return 0  # as in most ladders
    return horizon_of(policies, chain.matches(connection))


def records_gone(connection: Connection) -> RecordsGone:
    """Of which matches records may be gone.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    return RecordsGone(horizon(connection), erased_in(chain.plain_facts(connection, 0)))


def records_of_entrants(
    connection: Connection, entrants: Collection[int], after: int, most: int
) -> list[tuple[int, str]]:
    """The records of the next matches after one in which some entrants played, with numbers."""
    query = (
        select(MatchRow.number, MatchRow.record)
        .join(StepRow, StepRow.match == MatchRow.number)
        .where(StepRow.entrant.in_(entrants), MatchRow.number > after)
        .distinct()
        .order_by(MatchRow.number)
        .limit(most)
    )
    return [(row.number, row.record) for row in connection.execute(query)]


def records_of(connection: Connection, span: Span) -> list[str]:
    """The records of matches by their numbers; unplayed ones have none."""
    query = select(MatchRow.record).where(MatchRow.number.between(*span), MatchRow.record != "")
    return list(connection.execute(query).scalars())


def counts(connection: Connection) -> Counts:
    """How much there is."""
    waiting = select(func.count()).select_from(JobRow).where(JobRow.withdrawn == 0)
    return Counts(matches=chain.matches(connection), open=connection.execute(waiting).scalar_one())


def pulse(connection: Connection) -> Pulse:
    """By what it is seen that the ladder has changed."""
    newest = chain.tip(connection)
    waiting = select(JobRow.job).where(JobRow.withdrawn == 0)
    jobs = frozenset(connection.execute(waiting).scalars())
    return Pulse(newest.seq, newest.hash, chain.matches(connection), jobs)


def newest_matches(
    connection: Connection, most: int, wanted: WantedMatches
) -> list[tuple[int, Match]]:
    """The last matches of those that are wanted, the newest first."""
    number: InstrumentedAttribute[int] = MatchRow.number
    whose: InstrumentedAttribute[int] | None = None
    if wanted.faulty:
        number, whose = FaultFoundRow.match, FaultFoundRow.entrant
    elif wanted.entrants is not None:
        number, whose = StepRow.match, StepRow.entrant
    query = select(number).distinct().order_by(number.desc()).limit(most)
    if wanted.below is not None:
        query = query.where(number < wanted.below)
    if wanted.entrants is not None and whose is not None:
        query = query.where(whose.in_(wanted.entrants))
    if wanted.pools is not None:
        if number is not MatchRow.number:
            query = query.join(MatchRow, MatchRow.number == number)
        query = query.where(MatchRow.pool.in_(wanted.pools))
    return list(_matches(connection, connection.execute(query).scalars().all()))


def meetings(
    connection: Connection, pool: int, ones: Sequence[int], others: Sequence[int], most: int
) -> list[tuple[int, Match]]:
    """The last matches of a pool in which one of each group of entrants played, newest first."""
    theirs = select(StepRow.match).where(StepRow.entrant.in_(others))
    query = (
        select(StepRow.match)
        .join(MatchRow, MatchRow.number == StepRow.match)
        .where(MatchRow.pool == pool, StepRow.entrant.in_(ones), StepRow.match.in_(theirs))
        .distinct()
        .order_by(StepRow.match.desc())
        .limit(most)
    )
    return list(_matches(connection, connection.execute(query).scalars().all()))
