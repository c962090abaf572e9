"""The tables of what follows from matches: online ratings, and what each entrant has played."""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Connection, bindparam, insert, select, update

from ladder.core.facts import Match, Pool
from ladder.core.tallies import EntrantTotals, Ledger, StandingTable
from ladder.stats.online_ratings import Skill
from ladder.store.tables import Row, SkillRow, StepRow, table_of

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


def skill_rows(standings: StandingTable) -> list[Row]:
    """The rows of all that have played, in the order of their key."""
    return [_skill_row(*at, one) for at, one in sorted(standings.items())]
