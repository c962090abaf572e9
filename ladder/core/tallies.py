"""What follows from matches: online ratings, and what each entrant has played. Pure.

A match that was just played and a million that are gone through again take the same way.
"""

from collections.abc import Mapping
from typing import Generic, TypedDict, TypeVar

from msgspec import Struct

from ladder.core.block_codec import packed, packed_counts, plain_blocks, unpacked_counts
from ladder.core.facts import Match, Pool
from ladder.stats.online_ratings import NEW, Rater, Skill
from ladder.terms import LuckUse
from referee.match.verdict import FaultCode


class SkillStep(TypedDict):
    """What the online rating says of an entrant after a match, whose number `match` is.

    No struct: they go to a database by the million as they are.
    """

    entrant: int
    match: int
    mu: float
    sigma: float


Who = TypeVar("Who", int, str)


class FaultKind(Struct, Generic[Who], frozen=True):
    """Faults of a bot that are alike.

    Attributes:
        bot: an entrant's number, or the name that tables have for it.
        times: how many of them are known.
        first: where the first of them was: a match of a ladder, a round of an event by its label.
    """

    bot: Who
    code: FaultCode
    detail: str
    times: int
    first: int | str


class EntrantTotals(Struct, frozen=True):
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


StandingTable = dict[tuple[int, int], EntrantTotals]
"""By pool and entrant."""


class Ledger:
    """Rates matches in their order, and keeps what each entrant has played."""

    def __init__(
        self, pools: Mapping[int, Pool], before: StandingTable | None = None, number: int = 0
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
            self._raters[pool] = Rater(known)
        self.number = number
        self.steps: list[SkillStep] = []
        """Those that were not taken away yet."""

    @property
    def standings(self) -> StandingTable:
        """All that have played."""
        return {
            (pool, entrant): EntrantTotals(self._raters[pool].skill(entrant), *tallies)
            for (pool, entrant), tallies in self._tallies.items()
        }

    def add(self, match: Match) -> None:
        """The next match, by number."""
        job = match.job
        blocks = packed(match.outcome.blocks, len(job.entrants))
        counts = packed_counts(job.entrants, match.outcome)
        self.add_packed(job.pool, blocks, counts)

    def add_packed(self, pool: int, blocks: bytes, counts: bytes) -> None:
        """The next match as its row has it: a million of them are no million objects."""
        self.number += 1
        plan = self._pools[pool]
        adjusted = plan.luck is LuckUse.OFFICIAL
        rater = self._raters.setdefault(pool, Rater())
        entrants, _, voids, _ = unpacked_counts(counts, plan.places)
        faulty, played = [0] * plan.places, 0
        for block in plain_blocks(blocks, plan.places):
            played += 1
            at_fault = block.at_fault
            scores = block.scores(adjusted=adjusted)
            rater.add(entrants, plan.sides, scores, at_fault)
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
