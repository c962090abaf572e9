"""What follows from matches: online ratings, and what each entrant has played."""

import hashlib
import struct
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ladder.facts import Match, Pool
from ladder.packing import counted, packed, plain_blocks, uncounted
from ladder.plan import LuckUse
from ladder.skills import NEW, Rater, Skill
from ladder.store.plain import plainly
from ladder.store.rows import Damaged
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


class Standing(Struct, frozen=True):
    """An entrant in a pool, as far as matches are found for it by this.

    Attributes:
        blocks: how many it has played.
        faulty: how many of them are charged to it.
        deals: how many it was dealt, void ones included.
        voids: how many of those were void while it was to act.
    """

    skill: Skill = NEW
    blocks: int = 0
    faulty: int = 0
    deals: int = 0
    voids: int = 0

    def after(self, match: Match, place: int, skill: Skill) -> "Standing":
        """What it is after a match in which it sat at this place."""
        return Standing(
            skill,
            self.blocks + len(match.blocks),
            self.faulty + sum(block.at_fault[place] for block in match.blocks),
            self.deals + sum(block.deals for block in match.blocks) + sum(match.voids),
            self.voids + match.voids[place],
        )


Standings = dict[tuple[int, int], Standing]
"""By pool and entrant."""


def standings(connection: Connection, pool: int | None = None) -> Standings:
    """All that have played."""
    query = select(SkillRow.__table__)
    rows = connection.execute(query if pool is None else query.where(SkillRow.pool == pool))
    return {
        (row.pool, row.entrant): Standing(
            Skill(row.mu, row.sigma), row.blocks, row.faulty, row.deals, row.voids
        )
        for row in rows
    }


def rated(pool: Pool, match: Match, before: Mapping[int, Standing]) -> dict[int, Standing]:
    """Those at a table, as they are after its match.

    Args:
        pool: whose match it is.
        match: what was played.
        before: by entrant; who is not there has not played yet.
    """
    entrants = match.job.entrants
    old = {entrant: before.get(entrant, Standing()) for entrant in entrants}
    rater = Rater(
        {entrant: one.skill for entrant, one in old.items()},
        adjusted=pool.luck is LuckUse.OFFICIAL,
    )
    rater.add(entrants, pool.sides, match.blocks)
    return {
        entrant: old[entrant].after(match, place, rater.skill(entrant))
        for place, entrant in enumerate(entrants)
    }


def add(connection: Connection, pool: Pool, number: int, match: Match) -> dict[int, Standing]:
    """Rates a match that was just added; returns those at its table."""
    seated = match.job.entrants
    known = {
        row.entrant: Standing(
            Skill(row.mu, row.sigma), row.blocks, row.faulty, row.deals, row.voids
        )
        for row in connection.execute(_THEIRS, {"of": pool.pool, "who": seated})
    }
    after = rated(pool, match, known)
    for entrant, one in after.items():
        values = _skill_row(pool.pool, entrant, one)
        if entrant in known:
            connection.execute(_CHANGE, values | {"of": pool.pool, "who": entrant})
        else:
            connection.execute(_ADD, values)
    connection.execute(_ADD_STEPS, [_step_row(number, *one) for one in after.items()])
    return after


def _skill_row(pool: int, entrant: int, one: Standing) -> Row:
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


def _step_row(number: int, entrant: int, one: Standing) -> Row:
    return {
        "entrant": entrant,
        "match": number,
        "mu": one.skill.mu,
        "sigma": one.skill.sigma,
    }


class Rebuilding:
    """Goes through the matches of a ladder, and rates them as they were rated when they came."""

    def __init__(self, pools: Mapping[int, Pool]) -> None:
        """Has seen no match yet.

        Args:
            pools: by number; more may come.
        """
        self._pools = pools
        self._raters: dict[int, Rater] = {}
        self._tallies: dict[tuple[int, int], list[int]] = {}
        self.number = 0
        self.steps: list[Row] = []
        """Those that nobody has taken away yet."""

    @property
    def standings(self) -> Standings:
        """All that have played."""
        return {
            (pool, entrant): Standing(self._raters[pool].skill(entrant), *tallies)
            for (pool, entrant), tallies in self._tallies.items()
        }

    def add(self, match: Match) -> None:
        """The next match, by number."""
        job = match.job
        blocks = packed(match.blocks, len(job.entrants))
        counts = counted(job.entrants, match.used_us, match.voids, match.faults)
        self.add_packed(job.pool, blocks, counts)

    def add_packed(self, pool: int, blocks: bytes, counts: bytes) -> None:
        """The next match as its row has it: a million of them are no million objects."""
        self.number += 1
        plan = self._pools[pool]
        adjusted = plan.luck is LuckUse.OFFICIAL
        rater = self._raters.setdefault(pool, Rater(adjusted=adjusted))
        entrants, _, voids, _ = uncounted(counts, plan.places)
        faulty, played = [0] * plan.places, 0
        for block in plain_blocks(blocks, plan.places):
            played += 1
            at_fault = block.at_fault
            scores = block.scores(adjusted=adjusted)
            rater.add_scores(entrants, plan.sides, scores, at_fault)
            for place, charged in enumerate(at_fault):
                faulty[place] += charged
        deals = played * plan.seatings + sum(voids)
        for place, entrant in enumerate(entrants):
            tallies = self._tallies.setdefault((pool, entrant), [0, 0, 0, 0])
            for at, more in enumerate((played, faulty[place], deals, voids[place])):
                tallies[at] += more
            skill = rater.skill(entrant)
            self.steps.append(
                {"entrant": entrant, "match": self.number, "mu": skill.mu, "sigma": skill.sigma}
            )


def rebuilt(connection: Connection, pools: Mapping[int, Pool]) -> Iterator[Rebuilding]:
    """Rates all matches; yields what it has come to, some thousand of them at a time.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    found = Rebuilding(pools)
    columns = (MatchRow.number, MatchRow.pool, MatchRow.blocks, MatchRow.counts)
    for part in plainly(connection, select(*columns).order_by(MatchRow.number)):
        for number, pool, blocks, counts in part:
            found.number = number - 1
            try:
                found.add_packed(pool, blocks, counts)
            except (KeyError, ValueError, struct.error) as error:
                raise Damaged(f"match {number}: {error}") from error
        yield found
    yield found


def clear(connection: Connection) -> None:
    """Takes away all that follows from matches."""
    connection.execute(delete(StepRow))
    connection.execute(delete(SkillRow))


def write_steps(connection: Connection, found: Rebuilding, *, least: int = _AT_ONCE) -> None:
    """Writes the steps that have come together, if they are many enough."""
    if len(found.steps) >= max(least, 1):
        connection.execute(_ADD_STEPS, found.steps)
        found.steps.clear()


def write_standings(connection: Connection, found: Rebuilding) -> None:
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
