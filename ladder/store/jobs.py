"""Jobs: who plays what, for how long nobody else may, and what came of it; each counts once."""

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from ladder.benching import Misconduct, counted
from ladder.core.benching import benchings
from ladder.core.block_codec import unpacked, unpacked_counts
from ladder.core.candidates import SeatedTable, Situation
from ladder.core.facts import Decision, Fact, LadderJob, Match, Pool, unplayed
from ladder.core.roster import Roster
from ladder.store import chain, ratings
from ladder.store.fact_rows import Known, add_match, job_in_row, job_row
from ladder.store.tables import JobRow, LeaseRow, MatchRow, Row, StepRow, table_of

MOST_TRIES: Final = 3
"""So many runners may fail at a job before it is left out."""

_MATCH_OF: Final = select(MatchRow.number).where(MatchRow.job == bindparam("name"))
_NEWEST: Final = select(func.max(MatchRow.number))
_LAST_OF: Final = (
    select(MatchRow.blocks, MatchRow.counts)
    .join(StepRow, StepRow.match == MatchRow.number)
    .where(StepRow.entrant == bindparam("entrant"), MatchRow.pool == bindparam("pool"))
    .order_by(StepRow.match.desc())
    .limit(bindparam("most"))
)
_END_LEASE: Final = delete(table_of(LeaseRow)).where(LeaseRow.job == bindparam("name"))

_QUEUED: Final = ("", "", 0)
"""Token, owner and time of a lease that nobody holds."""


Plan = Callable[[Situation], LadderJob | None]


class Lease(Struct, frozen=True):
    """A job that is ours to play.

    Attributes:
        token: nobody else has it.
        attempts: the how-manieth runner we are that tries.
    """

    job: LadderJob
    token: str
    attempts: int


class Settled(StrEnum):
    """What became of a result."""

    COUNTED = "counted"
    DUPLICATE = "duplicate"
    """Somebody else was first; nothing has changed."""


def _open_rows(connection: Connection) -> Sequence[Row]:
    """Jobs that were not played, with their leases, the oldest first."""
    leases = {row.job: row for row in connection.execute(select(table_of(LeaseRow)))}
    jobs = table_of(JobRow)  # asked for by name: else the database may read a million of them
    query = select(jobs).where(jobs.c.job.in_(leases)).order_by(jobs.c.at_ms, jobs.c.job)
    return [
        {**leases[job["job"]]._mapping, **job, "job_blocks": job["blocks"]}
        for job in (connection.execute(query).mappings() if leases else ())
    ]


def open_jobs(connection: Connection, known: Known) -> tuple[LadderJob, ...]:
    """The jobs that were not played yet."""
    return tuple(job_in_row(row, known) for row in _open_rows(connection))


def take(
    connection: Connection,
    known: Known,
    roster: Roster,
    *,
    now_ms: int,
    owner: str,
    until_ms: int,
    is_alive: Callable[[str], bool],
    plan: Plan,
    avoid: Collection[int] = (),
    recent: tuple[SeatedTable, ...] = (),
) -> Lease | Match | None:
    """Leases a job: one whose runner is gone, or else a new one.

    Args:
        connection: writes.
        known: what jobs refer to.
        roster: who there is.
        now_ms: by the clock of the database.
        owner: who asks.
        until_ms: how long nobody else may play it.
        is_alive: whether another runner still lives; yes, too, where that cannot be known.
        plan: chooses a new one.
        avoid: entrants whose jobs are left to others.
        recent: the last matches that were played, the newest last.

    Returns:
        The lease; or a match that nobody has played, to be counted, where all runners that tried
        have failed; or None if there is nothing to play.
    """
    rows = _open_rows(connection)
    pools = {pool.pool for pool in roster.open_pools}
    for row in rows:
        if row["until_ms"] > now_ms and is_alive(row["owner"]):
            continue
        job = job_in_row(row, known)
        playing = all(roster.plays(job.pool, entrant) for entrant in job.entrants)
        if job.pool not in pools or not playing:
            connection.execute(delete(LeaseRow).where(LeaseRow.job == row["job"]))
            continue  # it was never played, so nobody can miss it
        if not set(avoid).isdisjoint(job.entrants):
            continue
        if row["attempts"] >= MOST_TRIES:
            return unplayed(job, f"{MOST_TRIES} runners ended over it", now_ms)
        return _leased(connection, job, owner, until_ms, row["attempts"] + 1)
    under_way = tuple(job_in_row(row, known) for row in rows)
    found = plan(Situation(roster, ratings.standings(connection), under_way, recent))
    if found is None or not _enqueued(connection, found, now_ms):
        return None
    return _leased(connection, found, owner, until_ms, 1)


def _enqueued(connection: Connection, job: LadderJob, now_ms: int) -> bool:
    """Adds a job that waits; False if it is there already, waiting or played."""
    if connection.execute(select(JobRow.job).where(JobRow.job == job.name)).first():
        return False
    connection.execute(insert(JobRow).values(job_row(job, now_ms)))
    token, nobody, never = _QUEUED
    values = {"token": token, "owner": nobody, "until_ms": never, "attempts": 0}
    connection.execute(insert(LeaseRow).values(job=job.name, **values))
    return True


def _leased(
    connection: Connection, job: LadderJob, owner: str, until_ms: int, attempts: int
) -> Lease:
    token = secrets.token_hex(16)
    values = {"token": token, "owner": owner, "until_ms": until_ms, "attempts": attempts}
    connection.execute(update(LeaseRow).where(LeaseRow.job == job.name).values(values))
    return Lease(job, token, attempts)


def extend(connection: Connection, token: str, until_ms: int) -> bool:
    """Keeps a lease; False if it is somebody else's by now, or its job was played."""
    mine = update(LeaseRow).where(LeaseRow.token == token).values(until_ms=until_ms)
    return connection.execute(mine).rowcount == 1


def give_back(connection: Connection, token: str) -> None:
    """Lets go of a lease without having played: the attempt does not count."""
    gone, nobody, never = _QUEUED
    attempts = LeaseRow.attempts - 1
    values = {"token": gone, "owner": nobody, "until_ms": never, "attempts": attempts}
    connection.execute(update(LeaseRow).where(LeaseRow.token == token).values(values))


def settle(connection: Connection, roster: Roster, match: Match) -> list[Fact] | None:
    """Counts a match, whoever held its lease last: it is as good as any other.

    Args:
        connection: writes.
        roster: who there is.
        match: what was played; its job is there.

    Returns:
        The facts that it brought: itself, and who was benched; None if the job was counted before.
    """
    name = match.job.name
    if connection.execute(_MATCH_OF, {"name": name}).first():
        return None
    number = (connection.execute(_NEWEST).scalar() or 0) + 1
    seq = chain.append(connection, match)
    add_match(connection, seq, number, match)
    pool = roster.pools[match.job.pool]
    ratings.add(connection, pool, number, match)
    connection.execute(_END_LEASE, {"name": name})
    found: list[Fact] = [match]
    for decision in _benched(connection, roster, match):
        chain.append(connection, decision)
        found.append(decision)
    return found


def _benched(connection: Connection, roster: Roster, match: Match) -> list[Decision]:
    """Who of a match plays no more in its pool."""
    pool = roster.pools[match.job.pool]
    return benchings(
        roster,
        match,
        standings=lambda: ratings.standings(connection, pool.pool),
        last=lambda entrant: _last(connection, pool, entrant),
    )


def _last(connection: Connection, pool: Pool, entrant: int) -> Iterator[Misconduct]:
    """What the matches of an entrant count against it, the newest first."""
    of = {"pool": pool.pool, "entrant": entrant, "most": 4 * pool.bench}
    for row in connection.execute(_LAST_OF, of):
        entrants, _, voids, _ = unpacked_counts(row.counts, pool.places)
        blocks = unpacked(row.blocks, pool.places, pool.seatings)
        yield counted(blocks, voids, entrants.index(entrant))
