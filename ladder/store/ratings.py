"""What follows from matches: online ratings, and what each entrant has played."""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

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


Standings = dict[tuple[int, int], Standing]
"""By pool and entrant."""


def _known(rows: Iterable[Any]) -> Standings:  # rows have a type for each query
    """What rows of `skill` say."""
    return {
        (row.pool, row.entrant): Standing(
            Skill(row.mu, row.sigma), row.blocks, row.faulty, row.deals, row.voids
        )
        for row in rows
    }


def standings(connection: Connection, pool: int | None = None) -> Standings:
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


class Ledger:
    """Rates matches in their order, and keeps what each entrant has played.

    A match that was just played and a million that are gone through again take the same way.
    """

    def __init__(
        self, pools: Mapping[int, Pool], before: Standings | None = None, number: int = 0
    ) -> None:
        """Begins with what is known.

        Args:
            pools: by number; more may come.
            before: who has played already; what is not there has not.
            number: of the match before the next.
        """
        self._pools = pools
        self._raters: dict[int, Rater] = {}
        self._tallies: dict[tuple[int, int], list[int]] = {}
        skills: dict[int, dict[int, Skill]] = {}
        for (pool, entrant), one in (before or {}).items():
            skills.setdefault(pool, {})[entrant] = one.skill
            self._tallies[pool, entrant] = [one.blocks, one.faulty, one.deals, one.voids]
        for pool, known in skills.items():
            self._raters[pool] = Rater(known, adjusted=self._is_adjusted(pool))
        self.number = number
        self.steps: list[Row] = []
        """Those that nobody has taken away yet."""

    def _is_adjusted(self, pool: int) -> bool:
        return self._pools[pool].luck is LuckUse.OFFICIAL

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
        adjusted = self._is_adjusted(pool)
        if pool not in self._raters:
            self._raters[pool] = Rater(adjusted=adjusted)
        rater = self._raters[pool]
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
                raise Damaged(f"match {number}: {error}") from error
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
