"""The tables of what follows from matches: online ratings, and what each entrant has played."""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ladder.core.facts import Match, Pool
from ladder.core.tallies import EntrantTotals, Ledger, StandingTable
from ladder.stats.online_ratings import Skill
from ladder.store.bulk_read import plainly
from ladder.store.fact_rows import Damaged
from ladder.store.tables import MatchRow, Row, SkillRow, StepRow, table_of

_AT_ONCE: Final = 10_000
_SKILLS: Final = table_of(SkillRow)
_STEPS: Final = table_of(StepRow)
_THEIRS: Final = select(_SKILLS).where(
    SkillRow.pool == bindparam("of"), SkillRow.entrant.in_(bindparam("who", expanding=True))
)
_CHANGE: Final = update(_SKILLS).where(
    SkillRow.pool == bindparam("of"), SkillRow.entrant == bindparam("who")
)
_ADD: Final = insert(_SKILLS)
_ADD_STEPS: Final = insert(_STEPS)
_encode = msgspec.json.Encoder().encode


def _known(rows: Iterable[Any]) -> StandingTable:  # rows have a type for each query
    """What rows of `skill` say."""
    return {
        (row.pool, row.entrant): EntrantTotals(
            Skill(row.mu, row.sigma), row.blocks, row.faulty, row.deals, row.voids
        )
        for row in rows
    }


def standings(connection: Connection, pool: int | None = None) -> StandingTable:
    """All that have played."""
    query = select(_SKILLS)
    return _known(connection.execute(query if pool is None else query.where(SkillRow.pool == pool)))


def add(connection: Connection, pool: Pool, number: int, match: Match) -> None:
    """Rates a match that was just added."""
    of = {"of": pool.pool, "who": match.job.entrants}
    before = _known(connection.execute(_THEIRS, of))
    ledger = Ledger({pool.pool: pool}, before, number - 1)
    ledger.add(match)
    for at, one in ledger.standings.items():
        values = _skill_row(*at, one)
        if at in before:
            connection.execute(_CHANGE, values | {"of": pool.pool, "who": at[1]})
        else:
            connection.execute(_ADD, values)
    connection.execute(_ADD_STEPS, ledger.steps)


def _skill_row(pool: int, entrant: int, one: EntrantTotals) -> Row:
    return {
        "pool": pool,
        "entrant": entrant,
        "mu": one.skill.mu,
        "sigma": one.skill.sigma,
        "blocks": one.blocks,
        "faulty": one.faulty,
        "deals": one.deals,
        "voids": one.voids,
    }


def rebuilt(connection: Connection, pools: Mapping[int, Pool]) -> Iterator[Ledger]:
    """Rates all matches; yields what it has come to, some thousand of them at a time.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    found = Ledger(pools)
    columns = (MatchRow.number, MatchRow.pool, MatchRow.blocks, MatchRow.counts)
    for part in plainly(connection, select(*columns).order_by(MatchRow.number)):
        for number, pool, blocks, counts in part:
            found.number = number - 1
            try:
                found.add_packed(pool, blocks, counts)
            except (KeyError, ValueError, struct.error) as error:
                raise Damaged(f"match {number}", str(error)) from error
        yield found
    yield found


def clear(connection: Connection) -> None:
    """Takes away all that follows from matches."""
    connection.execute(delete(StepRow))
    connection.execute(delete(SkillRow))


def write_steps(connection: Connection, found: Ledger, *, least: int = _AT_ONCE) -> None:
    """Writes the steps that have come together, if they are many enough."""
    if len(found.steps) >= max(least, 1):
        connection.execute(_ADD_STEPS, found.steps)
        found.steps.clear()


def write_standings(connection: Connection, found: Ledger) -> None:
    """Writes all that is left, when the last match was added."""
    write_steps(connection, found, least=0)
    rows = [_skill_row(*at, one) for at, one in sorted(found.standings.items())]
    if rows:
        connection.execute(_ADD, rows)


def ratings_digest(connection: Connection) -> str:
    """One name for all that follows from matches: SHA-256 over it, in an order of its own."""
    found = hashlib.sha256()
    skills = select(SkillRow.__table__).order_by(SkillRow.pool, SkillRow.entrant)
    steps = select(StepRow.__table__).order_by(StepRow.entrant, StepRow.match)
    for query in (skills, steps):
        for part in plainly(connection, query):
            found.update(_encode(part))
        found.update(b"\n")
    return found.hexdigest()
