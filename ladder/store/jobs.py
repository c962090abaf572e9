"""Jobs: who plays what, for how long no other runner may, what came of it; each counts once."""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from ladder.benching import Misconduct, counted
from ladder.core.benching import benchings
from ladder.core.block_codec import unpacked, unpacked_counts
from ladder.core.candidates import SeatedTable, Situation, UnderWay
from ladder.core.epochs import NextDraw, drawn_again, seated_by
from ladder.core.facts import (
    Decision,
    Fact,
    LadderJob,
    Match,
    Pool,
    as_bytes,
    digest_of_bytes,
    unplayed,
)
from ladder.core.roster import Roster
from ladder.store import chain, ratings
from ladder.store.chain import Damaged
from ladder.store.draws import next_draw, take_draw
from ladder.store.index_rows import add_match
from ladder.store.tables import JobRow, MatchRow, Row, StepRow, table_of
from referee.errors import RefereeError
from referee.match.chance import KEY_BITS

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
_JOBS: Final = (
    select(table_of(JobRow)).where(JobRow.withdrawn == 0).order_by(JobRow.at_ms, JobRow.job)
)
_IS_PLANNED: Final = select(JobRow.job).where(JobRow.job == bindparam("name"))
_IS_PLAYED: Final = select(MatchRow.job, MatchRow.number).where(MatchRow.key == bindparam("key"))
_REMOVE: Final = delete(table_of(JobRow)).where(JobRow.job == bindparam("name"))
_WITHDRAW: Final = (
    update(table_of(JobRow)).where(JobRow.job == bindparam("name")).values(withdrawn=1)
)
_FREE: Final = {"token": "", "owner": "", "until_ms": 0}
"""The lease of a job that no runner plays."""

_decode = msgspec.json.Decoder(LadderJob).decode

Plan = Callable[[Situation], LadderJob | None]


class Lease(Struct, frozen=True):
    """A job that is ours to play.

    Attributes:
        token: no other lease has it.
        attempts: the how-manieth runner we are that tries.
    """

    job: LadderJob
    token: str
    attempts: int


class Settled(StrEnum):
    """What became of a result."""

    COUNTED = "counted"
    DUPLICATE = "duplicate"
    """Another result was first, or a bot was erased meanwhile; nothing has changed."""


class OpenJob(Struct, frozen=True):
    """A job that was not played yet, since when it is there, and its lease.

    Attributes:
        since_ms: when it was chosen; `facts` is how many the ladder had then.
    """

    job: LadderJob
    since_ms: int
    facts: int
    token: str
    owner: str
    until_ms: int
    attempts: int


def waiting_jobs(connection: Connection) -> list[OpenJob]:
    """The jobs that were not played yet, the oldest first.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    return [
        OpenJob(
            job=_job_in(row.job, row.body),
            since_ms=row.at_ms,
            facts=row.facts,
            token=row.token,
            owner=row.owner,
            until_ms=row.until_ms,
            attempts=row.attempts,
        )
        for row in connection.execute(_JOBS)
    ]


def _job_in(name: str, body: bytes) -> LadderJob:
    where = f"job {name[:16]}"
    if digest_of_bytes(body) != name:
        raise Damaged(where, "it is not what was written: see `referee ladder verify`")
    try:
        return _decode(body)
    except (ValueError, RecursionError) as error:
        raise Damaged(where, f"it cannot be read: {error}") from error


def open_jobs(connection: Connection) -> tuple[UnderWay, ...]:
    """The jobs that were not played yet; for what it raises see `take`."""
    return _under_way(waiting_jobs(connection))


def _under_way(found: Iterable[OpenJob]) -> tuple[UnderWay, ...]:
    """In the order in which their tables were drawn, where they were; else in that of `found`."""
    in_order = sorted(found, key=lambda one: seated_by(one.job))
    return tuple(UnderWay(one.job, one.facts) for one in in_order)


def take(
    connection: Connection,
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
    """Leases a job: that of a runner that is gone, or else a new one.

    The former has another key, and so another name, where its runner lives no more, or gave it
    back: its decks may have been dealt, and people may have watched. What a dead runner has begun
    is withdrawn, and counts if it comes after all. Where a runner may live that is not heard of,
    the job stays as it is, so that only the first of two results counts. In a sealed ladder the key
    is that of a draw, and nothing is leased while no epoch is under way.

    Args:
        connection: writes.
        roster: who there is.
        now_ms: by the clock of the database.
        owner: who asks.
        until_ms: how long no other runner may play it.
        is_alive: whether another runner still lives; yes, too, where that cannot be known.
        plan: chooses a new one.
        avoid: entrants whose jobs are left to others.
        recent: the last matches that were played, the newest last.

    Returns:
        The lease; or a match that was not played, to be counted, where all runners that tried
        have failed; or None if there is nothing to play.
    """
    waiting = _still_due(connection, roster)
    draw = next_draw(connection, roster)
    pools = {pool.pool for pool in roster.open_pools}
    for found in tuple(waiting):
        alive = bool(found.owner) and is_alive(found.owner)
        if found.until_ms > now_ms and alive:
            continue
        job = found.job
        seated = {one.entrant for one in roster.seated(job.pool)}
        if job.pool not in pools or not seated.issuperset(job.entrants):
            connection.execute(_WITHDRAW, {"name": job.name})
            waiting.remove(found)
            continue  # it was never played, so nothing is lost
        if not set(avoid).isdisjoint(job.entrants) or (roster.is_sealed and draw is None):
            continue
        if found.attempts >= MOST_TRIES:
            return unplayed(job, f"{MOST_TRIES} runners ended over it", now_ms)
        is_dead = bool(found.owner) and not alive  # as far as we know
        connection.execute(_WITHDRAW if is_dead else _REMOVE, {"name": job.name})
        if not alive:
            job = _with_other_decks(connection, job, draw)
        lease = Lease(job, secrets.token_hex(16), found.attempts + 1)
        _insert(connection, lease, _Since(found.since_ms, found.facts), owner, until_ms)
        return lease
    standings = ratings.standings(connection)
    new = plan(Situation(roster, standings, _under_way(waiting), recent, draw))
    if new is None or _is_known(connection, new):
        return None
    if new.draw is not None:
        take_draw(connection, new.draw.name)
    lease = Lease(new, secrets.token_hex(16), 1)
    since = _Since(now_ms, chain.tip(connection).seq)
    _insert(connection, lease, since, owner, until_ms)
    return lease


def _still_due(connection: Connection, roster: Roster) -> list[OpenJob]:
    """The jobs that were not played yet; those that would not count any more are withdrawn."""
    due = []
    for found in waiting_jobs(connection):
        if _is_past(roster, found.job):
            connection.execute(_WITHDRAW, {"name": found.job.name})
        else:
            due.append(found)
    return due


def _is_past(roster: Roster, job: LadderJob) -> bool:
    """Whether a match counts no more: its epoch is over, or it has none in a sealed ladder."""
    if job.draw is None:
        return roster.is_sealed
    return roster.is_over(job.draw.name.epoch)


def _with_other_decks(connection: Connection, job: LadderJob, draw: NextDraw | None) -> LadderJob:
    """The job of a match that was broken off, with another key: its decks may have been seen."""
    if draw is None:
        return replace(job, key=new_key())
    take_draw(connection, draw.name)
    return drawn_again(job, draw)


def withdraw(connection: Connection, entrants: Collection[int], now_ms: int) -> None:
    """Has no more leased what waits of some entrants; what is played just now is left alone.

    Args:
        connection: writes.
        entrants: whose jobs.
        now_ms: by the clock of the database.
    """
    for found in waiting_jobs(connection):
        is_played = found.owner and found.until_ms > now_ms
        if not is_played and not set(entrants).isdisjoint(found.job.entrants):
            connection.execute(_WITHDRAW, {"name": found.job.name})


def new_key() -> str:
    """A text for the event key of a job, of so many bits that no two are alike."""
    return secrets.token_hex(KEY_BITS // 8)


def _is_known(connection: Connection, job: LadderJob) -> bool:
    """Whether a job was planned before, or played.

    Raises:
        RefereeError: another one was played with its key: no deck is dealt again.
    """
    played = connection.execute(_IS_PLAYED, {"key": job.key}).first()
    if played is not None and played.job != job.name:
        raise RefereeError(f"the key of job {job.name[:16]} was that of match {played.number}")
    return bool(played or connection.execute(_IS_PLANNED, {"name": job.name}).first())


class _Since(Struct, frozen=True):
    """When a job was chosen, and how many facts the ladder had then."""

    at_ms: int
    facts: int


def _insert(connection: Connection, lease: Lease, since: _Since, owner: str, until_ms: int) -> None:
    job = lease.job
    values: Row = {"job": job.name, "key": job.key, "at_ms": since.at_ms, "body": as_bytes(job)}
    values |= {"facts": since.facts, "token": lease.token, "owner": owner, "until_ms": until_ms}
    values |= {"attempts": lease.attempts, "withdrawn": 0}
    connection.execute(insert(JobRow).values(values))


def renew(connection: Connection, roster: Roster, lease: Lease) -> Lease:
    """Give a job another key, since its match was broken off and is to be begun again.

    Where another runner has it by now, or it would not count any more, nothing changes.

    Args:
        connection: writes.
        roster: who there is.
        lease: of the job.

    Raises:
        RefereeError: the epoch that matches are drawn in has no secret here.
    """
    mine = select(table_of(JobRow)).where(JobRow.token == lease.token)
    row = connection.execute(mine).first()
    if row is None or _is_past(roster, lease.job):
        return lease
    draw = next_draw(connection, roster)
    if roster.is_sealed and draw is None:
        raise RefereeError(f"job {row.job[:16]} cannot be drawn again: no epoch is under way")
    connection.execute(_REMOVE, {"name": row.job})
    job = _with_other_decks(connection, lease.job, draw)
    again = Lease(job, lease.token, lease.attempts)
    _insert(connection, again, _Since(row.at_ms, row.facts), row.owner, row.until_ms)
    return again


def extend(connection: Connection, token: str, until_ms: int) -> bool:
    """Keeps a lease; False if it is another runner's by now, or its job was played."""
    mine = update(JobRow).where(JobRow.token == token).values(until_ms=until_ms)
    return connection.execute(mine).rowcount == 1


def give_back(connection: Connection, token: str) -> None:
    """Lets go of a lease without having played: the attempt does not count."""
    values = {**_FREE, "attempts": JobRow.attempts - 1}
    connection.execute(update(JobRow).where(JobRow.token == token).values(values))


def settle(connection: Connection, roster: Roster, match: Match) -> list[Fact] | None:
    """Counts a match of any runner, be its lease over: it is as good as any other.

    Args:
        connection: writes.
        roster: who there is.
        match: what was played.

    Returns:
        The facts that it brought: itself, and who was benched; None if the job was counted before,
        or it would not count any more: one of its bots was erased, or its epoch is over.

    Raises:
        RefereeError: it was never planned.
    """
    name = match.job.name
    if connection.execute(_MATCH_OF, {"name": name}).first():
        return None
    if connection.execute(_REMOVE, {"name": name}).rowcount != 1:
        raise RefereeError(f"job {name[:16]} was never planned: its match does not count")
    if any(map(roster.is_erased, match.job.entrants)) or _is_past(roster, match.job):
        return None
    number = (connection.execute(_NEWEST).scalar() or 0) + 1
    seq = chain.append(connection, match)
    add_match(connection, roster.pools[match.job.pool], seq, number, match)
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
