"""Facts as rows, and rows as facts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, insert, select

from ladder.core.block_codec import packed, packed_counts, unpacked, unpacked_counts
from ladder.core.facts import (
    Decision,
    Deed,
    Fact,
    Keep,
    LadderJob,
    Match,
    Opened,
    Pool,
    Retention,
    Submission,
)
from ladder.store.tables import (
    PLAIN,
    DecisionRow,
    FactRow,
    FaultFoundRow,
    JobRow,
    MatchRow,
    OpenedRow,
    PoolRow,
    RetentionRow,
    Row,
    SubmissionRow,
    table_of,
)
from referee.errors import RefereeError
from referee.match.outcome import FaultFound, MatchOutcome
from referee.match.verdict import FaultCode

_json = msgspec.json.Encoder().encode
_ints: Final = msgspec.json.Decoder(tuple[int, ...])
_names: Final = msgspec.json.Decoder(tuple[str, ...])
_pools: Final = msgspec.json.Decoder(Pool)
_AT_ONCE: Final = 5_000

Fetched = RowMapping | Mapping[str, Any]
"""A row as it was read."""


class Link(Struct, frozen=True):
    """A fact's place in the chain, as the table `fact` has it."""

    seq: int
    kind: str
    at_ms: int
    digest: str
    hash: str


class Damaged(RefereeError):
    """A row does not hold what we wrote.

    Attributes:
        where: which, in words such as "match 12".
        what: in what way.
    """

    def __init__(self, where: str, what: str) -> None:
        """Is told as one line."""
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


class Known(Struct, frozen=True):
    """What is needed to read matches.

    Attributes:
        ladder: its id.
        pools: by number.
        hashes: of the frozen folders, by entrant.
    """

    ladder: str
    pools: Mapping[int, Pool]
    hashes: Mapping[int, str]


def kind_of(fact: Fact) -> str:
    """The word for a fact in the table `fact`."""
    return type(fact).__name__.lower()


def texts(values: Sequence[int]) -> str:
    """A list of numbers as JSON."""
    return _json(values).decode()


def numbers(text: str) -> tuple[int, ...]:
    """The list of numbers that JSON holds."""
    return _ints.decode(text)


def add_rows(connection: Connection, seq: int, fact: Fact) -> None:
    """Adds a fact to the table of its kind; a match by `add_match`."""
    match fact:
        case Opened():
            values = {"ladder": fact.ladder, "name": fact.name, "referee": fact.referee}
            connection.execute(insert(OpenedRow).values(seq=seq, **values))
        case Pool():
            values = {"name": fact.name, "settings": _json(fact).decode()}
            connection.execute(insert(PoolRow).values(pool=fact.pool, seq=seq, **values))
        case Submission():
            values = {name: getattr(fact, name) for name in _SUBMITTED}
            lists = {"partners": texts(fact.partners), "games": _json(fact.games).decode()}
            connection.execute(insert(SubmissionRow).values(seq=seq, **lists, **values))
        case Decision():
            values = {name: getattr(fact, name) for name in ("entrant", "pool", "reason")}
            connection.execute(insert(DecisionRow).values(seq=seq, deed=str(fact.deed), **values))
        case Retention():
            row = insert(RetentionRow).values(seq=seq, keep=str(fact.keep), last=fact.last)
            connection.execute(row)
        case Match():
            raise AssertionError("a match has a number")


_SUBMITTED: Final = ("entrant", "bot", "name", "author", "version", "hash", "source")


def job_row(job: LadderJob, at_ms: int) -> Row:
    """The row of a job."""
    return {
        "job": job.name,
        "pool": job.pool,
        "entrants": texts(job.entrants),
        "key": job.key,
        "blocks": job.blocks,
        "at_ms": at_ms,
    }


def match_row(seq: int, number: int, match: Match) -> Row:
    """The row of a match."""
    job = match.job
    return {
        "number": number,
        "seq": seq,
        "job": job.name,
        "pool": job.pool,
        "blocks": packed(match.outcome.blocks, len(job.entrants)),
        "counts": packed_counts(job.entrants, match.outcome),
        **{name: getattr(match.outcome, name) for name in _OUTCOME},
        **{name: getattr(match, name) for name in _KEPT},
    }


def fault_rows(number: int, match: Match) -> list[Row]:
    """The rows of a match's faults."""
    return [
        {
            "match": number,
            "at": at,
            "entrant": match.job.entrants[found.bot],
            "place": found.bot,
            "code": str(found.code),
            "detail": found.detail,
        }
        for at, found in enumerate(match.outcome.fault_list)
    ]


_ADD_MATCH: Final = insert(table_of(MatchRow))
_ADD_FAULTS: Final = insert(table_of(FaultFoundRow))


def add_match(connection: Connection, seq: int, number: int, match: Match) -> None:
    """Adds a match, whose job is there."""
    connection.execute(_ADD_MATCH, match_row(seq, number, match))
    faults = fault_rows(number, match)
    if faults:
        connection.execute(_ADD_FAULTS, faults)


_OUTCOME: Final = ("acts", "wall_us", "given_up", "game_digest", "sandbox")
_KEPT: Final = ("record", "size", "referee")


def job_in_row(row: Fetched, known: Known) -> LadderJob:
    """The job that a row holds."""
    entrants = numbers(row["entrants"])
    return LadderJob(
        ladder=known.ladder,
        pool=row["pool"],
        entrants=entrants,
        hashes=tuple(known.hashes[entrant] for entrant in entrants),
        key=row["key"],
        blocks=row["job_blocks"],
    )


def match_in_rows(row: Fetched, found: Sequence[Fetched], at_ms: int, known: Known) -> Match:
    """The match that rows hold.

    Raises:
        Damaged: they do not hold one.
    """
    try:
        job = job_in_row(row, known)
        places = len(job.entrants)
        _, used_us, voids, faults = unpacked_counts(row["counts"], places)
        outcome = MatchOutcome(
            blocks=unpacked(row["blocks"], places, known.pools[job.pool].seatings),
            used_us=used_us,
            voids=voids,
            faults=faults,
            fault_list=tuple(
                FaultFound(one["place"], FaultCode(one["code"]), one["detail"]) for one in found
            ),
            **{name: row[name] for name in _OUTCOME},
        )
        kept = {name: row[name] for name in _KEPT}
        return Match(job=job, outcome=outcome, at_ms=at_ms, **kept)
    except (ValueError, KeyError, msgspec.DecodeError) as error:
        raise Damaged(f"match {row['number']}", str(error)) from error


def fact_in_row(kind: str, row: Fetched, at_ms: int) -> Fact:
    """The fact that a row holds, if it is no match."""
    try:
        match kind:
            case "opened":
                return Opened(row["ladder"], row["name"], at_ms, row["referee"])
            case "pool":
                pool = _pools.decode(row["settings"])
                own = {name: row[name] for name in ("pool", "name")}
                return replace(pool, at_ms=at_ms, **own)
            case "submission":
                own = {name: row[name] for name in _SUBMITTED}
                games = _names.decode(row["games"])
                partners = numbers(row["partners"])
                return Submission(partners=partners, games=games, at_ms=at_ms, **own)
            case "retention":
                return retention_in_row(row, at_ms)
            case _:
                own = {name: row[name] for name in ("entrant", "pool", "reason")}
                return Decision(deed=Deed(row["deed"]), at_ms=at_ms, **own)
    except (ValueError, msgspec.DecodeError) as error:
        raise Damaged(f"{kind} of fact {row['seq']}", str(error)) from error


def retention_in_row(row: Fetched, at_ms: int) -> Retention:
    """The policy that a row holds.

    Raises:
        Damaged: it holds none.
    """
    try:
        return Retention(keep=Keep(row["keep"]), last=row["last"], at_ms=at_ms)
    except ValueError as error:
        raise Damaged(f"retention of fact {row['seq']}", str(error)) from error


def links(connection: Connection, first: int, last: int) -> dict[int, Link]:
    """The facts from one number to another, as the chain has them."""
    wanted = FactRow.__table__
    rows = connection.execute(
        select(wanted).where(FactRow.seq.between(first, last)).order_by(FactRow.seq)
    )
    return {row.seq: Link(row.seq, row.kind, row.at_ms, row.digest, row.hash) for row in rows}


def facts(connection: Connection, known: Known, last: int) -> Iterator[tuple[Link, Fact]]:
    """All facts in their order, some thousand at a time.

    Raises:
        Damaged: a row is missing, is one too many, or does not hold what we wrote.
    """
    for first in range(1, last + 1, _AT_ONCE):
        until = min(last, first + _AT_ONCE - 1)
        found = links(connection, first, until)
        values = dict(_plain(connection, found, first, until))
        values |= dict(_matches(connection, known, found, first, until))
        for seq in range(first, until + 1):
            if seq not in found:
                raise Damaged(f"fact {seq}", "it is missing")
            if seq not in values:
                raise Damaged(f"fact {seq}", f"its {found[seq].kind} is missing")
            if kind_of(values[seq]) != found[seq].kind:
                raise Damaged(f"fact {seq}", f"{found[seq].kind!r} is of another kind")
            yield found[seq], values[seq]


def _plain(
    connection: Connection, found: Mapping[int, Link], first: int, last: int
) -> Iterator[tuple[int, Fact]]:
    for kind, table in PLAIN.items():
        rows = connection.execute(select(table.__table__).where(table.seq.between(first, last)))
        for row in rows.mappings():
            yield row["seq"], fact_in_row(kind, row, _at(found, row["seq"]))


def plain(connection: Connection, after: int) -> Iterator[tuple[int, Fact]]:
    """The facts that came after one, matches left out; kind by kind.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    for kind, table in PLAIN.items():
        query = select(table.__table__, FactRow.at_ms).join(FactRow, FactRow.seq == table.seq)
        for row in connection.execute(query.where(table.seq > after)).mappings():
            yield row["seq"], fact_in_row(kind, row, row["at_ms"])


def _at(found: Mapping[int, Link], seq: int) -> int:
    if seq not in found:
        raise Damaged(f"fact {seq}", "it is missing")
    return found[seq].at_ms


def _matches(
    connection: Connection, known: Known, found: Mapping[int, Link], first: int, last: int
) -> Iterator[tuple[int, Match]]:
    query = matches_query().where(MatchRow.seq.between(first, last))
    rows = connection.execute(query).mappings().all()
    faults: dict[int, list[RowMapping]] = {}
    wanted = (
        select(FaultFoundRow.__table__)
        .join(MatchRow, MatchRow.number == FaultFoundRow.match)
        .where(MatchRow.seq.between(first, last))
        .order_by(FaultFoundRow.match, FaultFoundRow.at)
    )
    for one in connection.execute(wanted).mappings():
        faults.setdefault(one["match"], []).append(one)
    for row in rows:
        at_ms = _at(found, row["seq"])
        yield row["seq"], match_in_rows(row, faults.get(row["number"], []), at_ms, known)


def matches_query() -> Any:  # a select of many columns has a type for each
    """Matches with what their jobs say."""
    return select(
        MatchRow.__table__,
        JobRow.entrants,
        JobRow.key,
        JobRow.blocks.label("job_blocks"),
    ).join(JobRow, JobRow.job == MatchRow.job)
