"""Online ratings: who is how strong as far as is known just now, to find good tables by. Pure.

What is published is the fit to all blocks at once (`ladder.stats`). These follow block by block in
the order of the facts, and say the same of who wins: by place, partners by the sum of a side.

A version of a bot does not change, so nothing is added to its uncertainty over time (tau is 0).
With two bots of skills a and b, a wins with 1 / (1 + exp((b.mu - a.mu) / c)), where c is the root
of 2 BETA² + a.sigma² + b.sigma².
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from openskill.models import PlackettLuce, PlackettLuceRating

from ladder.stats.observations import by_cards
from referee.rules.game import Sides


class Skill(Struct, frozen=True):
    """A strength and how uncertain it is: mean and standard deviation, in openskill's unit."""

    mu: float
    sigma: float


NEW: Final = Skill(25.0, 25 / 3)
"""Of whom nothing is known."""

BETA: Final = 25 / 6
"""How much luck there is in one block, in the unit of skills."""


def chance_ahead(one: Skill, other: Skill) -> float:
    """Return the chance that one bot is ahead of another in a block, as the model has it."""
    scale = math.hypot(math.sqrt(2) * BETA, one.sigma, other.sigma)
    return 1 / (1 + math.exp((other.mu - one.mu) / scale))


_MODEL: Final = PlackettLuce(mu=NEW.mu, sigma=NEW.sigma, beta=BETA, tau=0.0)
_REFERENCE: Final = Skill(NEW.mu, 1e-6)
"""A bot of which all is known, and that is an average one; the model divides by its sigma."""


class _Teams(list[list[PlackettLuceRating]]):
    """Teams whose ratings are for the model to change: it need not copy them first.

    That takes a third of its time, and `Rater` keeps what comes back in place of what it gave.
    """

    def __deepcopy__(self, _: object) -> "_Teams":
        return self


class Rater:
    """Keeps the skills of a pool's entrants while its history is gone through."""

    def __init__(self, skills: Mapping[int, Skill] | None = None) -> None:
        """Begins with what is known of some entrants; all others are `NEW`."""
        self._ratings = {entrant: _rating(skill) for entrant, skill in (skills or {}).items()}

    def skill(self, entrant: int) -> Skill:
        """The skill of an entrant."""
        found = self._ratings.get(entrant)
        return NEW if found is None else Skill(found.mu, found.sigma)

    def add(
        self,
        entrants: Sequence[int],
        sides: Sides,
        scores: Sequence[int],
        at_fault: Sequence[bool],
    ) -> None:
        """Takes in a block.

        At a table of three and more the cards decide, with what the stand-in took for bots at
        fault; then each of these came last once more, at a table of reference bots. At a table of
        two, what the fault cost decides.

        Args:
            entrants: who sat at the table, by place.
            sides: the places that score together; empty where each scores for itself.
            scores: what decides it, by place; only their order matters.
            at_fault: by place, whether something in the block is charged to it.
        """
        ratings = self._ratings
        for entrant in entrants:
            if entrant not in ratings:
                ratings[entrant] = _rating(NEW)
        if len(entrants) == 2:
            self._pair(entrants[0], entrants[1], scores[0] - scores[1])
            return
        together = sides or tuple((place,) for place in range(len(entrants)))
        if any(at_fault):
            scores = by_cards(np.array([scores]), np.array([at_fault]), together)[0].tolist()
        self._table(entrants, together, scores)
        for entrant, faulty in zip(entrants, at_fault, strict=True):
            if faulty:
                self._last(entrant, len(together))

    def _pair(self, one: int, other: int, ahead: int) -> None:
        """A table of two; where the better comes first, the model need not sort."""
        if ahead < 0:
            one, other = other, one
        ratings = self._ratings
        teams = _Teams([[ratings[one]], [ratings[other]]])
        [[ratings[one]], [ratings[other]]] = (
            _MODEL.rate(teams) if ahead else _MODEL.rate(teams, ranks=[0, 0])
        )

    def _table(self, entrants: Sequence[int], sides: Sides, scores: Sequence[int]) -> None:
        """A table of several sides, or of partners."""
        totals = [sum(scores[place] for place in side) for side in sides]
        teams = _Teams([self._ratings[entrants[place]] for place in side] for side in sides)
        found = _MODEL.rate(teams, ranks=[float(-total) for total in totals])
        for side, team in zip(sides, found, strict=True):
            for place, rating in zip(side, team, strict=True):
                self._ratings[entrants[place]] = rating

    def _last(self, entrant: int, sides: int) -> None:
        """An entrant came last at a table of so many sides, all others of which are level."""
        teams = _Teams([_rating(_REFERENCE)] for _ in range(sides - 1))
        teams.append([self._ratings[entrant]])
        found = _MODEL.rate(teams, ranks=[0.0] * (sides - 1) + [1.0])
        self._ratings[entrant] = found[-1][0]


def _rating(skill: Skill) -> PlackettLuceRating:
    return PlackettLuceRating(skill.mu, skill.sigma)
