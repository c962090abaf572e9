"""Who plays whom next on a ladder: the table from which most is learnt. Pure.

Of eight tables seven go to the pool that lags, the one with the fewest blocks a bot; the eighth to
any, so that none waits for a new one to catch up. At a table, one bot is drawn first: of four
times once the one that has played least, else each in proportion to its sigma, so that new ones
play more, and to how unsure it is whether it is better than its neighbours in the ranking. The
others are drawn in proportion to their sigma and to how unsure it is which of the two is better,
the first one or they: p (1 - p), where p is the chance that the first one is. A small part of each
weight does not depend on p, so that everybody plays, and can meet everybody.

Two bots of one author never sit at one table, unless either has declared the other its partner and
both are on one side. Dice are derived from a seed, as SPEC 8 derives all chance.
"""

import hashlib
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from ladder.lineups import Candidate, Field, Lineups, shuffled
from ladder.skills import Skill
from referee.chance import BlockKey, below, words

__all__ = ["Candidate", "Field", "Pairing", "next_table", "why_none"]

_ANY_POOL: Final = 8
"""One in so many tables goes to a pool whatever the others have played."""
_LEAST_PLAYED: Final = 4
"""One in so many tables has the bot that has played least."""
_FAR: Final = 0.02
"""The weight of an opponent of whom it is known who is better; where nothing is known it is 1."""
_LOGISTIC: Final = 1.7
"""How much steeper a logistic function is that looks like the normal distribution's."""
_LEAST_SIGMA: Final = 1e-6


class Pairing(Struct, frozen=True):
    """Who is to play: entrants in the order in which they hold seats or sides."""

    pool: int
    entrants: tuple[int, ...]


def next_table(fields: Sequence[Field], seed: bytes) -> Pairing | None:
    """The table to play next, or None where no pool can seat one.

    It follows from the fields, in whatever order they and their candidates are, and from the seed.

    Args:
        fields: the pools that play, each once.
        seed: what the dice are derived from; another one for each table.
    """
    dice = _Dice(seed)
    for field in _in_turn(fields, dice):
        lineups = Lineups(field)
        seated = _drawn(lineups, dice) if lineups.easy else lineups.least_played(dice.below)
        if seated is not None:
            return Pairing(field.pool, tuple(one.entrant for one in seated))
    return None


def why_none(fields: Sequence[Field]) -> str:
    """Why `next_table` finds no table, pool by pool, in words; "" if it finds one."""
    reasons = []
    for field in sorted(fields, key=lambda one: one.pool):
        lineups = Lineups(field)
        if lineups.easy or lineups.least_played(_as_it_is) is not None:
            return ""
        bots = len({one.bot for one in field.candidates})
        reason = f"{field.name or f'pool {field.pool}'}: a table has {field.places} places, and "
        if bots < field.places:
            reason += f"{bots or 'no'} {'bot plays' if bots == 1 else 'bots play'}"
        else:
            authors = "one author" if lineups.authors == 1 else f"{lineups.authors} authors"
            reason += f"the {bots} bots that play are of {authors}; those of one author meet only "
            reason += "as declared partners on one side"
        reasons.append(reason)
    return "; ".join(reasons) or "there is no pool"


class _Dice:
    """Chance that follows from a seed."""

    def __init__(self, seed: bytes) -> None:
        self._numbers = words(BlockKey(hashlib.sha256(seed).hexdigest()), "table")

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1, each as likely."""
        return below(limit, self._numbers)

    def weighted(self, weights: Sequence[float]) -> int:
        """An index in proportion to the weights, one of which is positive at least."""
        left = (next(self._numbers) + 0.5) / 2**32 * sum(weights)
        last = 0
        for at, weight in enumerate(weights):
            if weight > 0:
                left -= weight
                last = at
                if left < 0:
                    break
        return last


def _in_turn(fields: Sequence[Field], dice: _Dice) -> list[Field]:
    """The pools that have bots, the one that lags first; now and then another one."""

    def lag(field: Field) -> tuple[float, int]:
        blocks = sum(one.blocks for one in field.candidates)
        return blocks / len(field.candidates), field.pool

    found = sorted((field for field in fields if field.candidates), key=lag)
    if len(found) > 1 and not dice.below(_ANY_POOL):
        at = dice.weighted([float(len(field.candidates)) for field in found])
        found.insert(0, found.pop(at))
    return found


def _drawn(lineups: Lineups, dice: _Dice) -> list[Candidate]:
    """A table by information, where there are so many authors that there is always somebody."""
    candidates = lineups.candidates
    first = _first(candidates, dice)
    wanted = [_worth(first.skill, one.skill) for one in candidates]
    seated: list[Candidate | None] = [None] * lineups.places
    place, *others = shuffled(range(lineups.places), dice.below)
    seated[place] = first
    for place in others:
        fits = lineups.fits(seated, place)
        weights = [worth if fit else 0.0 for worth, fit in zip(wanted, fits, strict=True)]
        seated[place] = candidates[dice.weighted(weights)]
    return [one for one in seated if one is not None]


def _as_it_is(limit: int) -> int:
    """Dice that leave everything where it is."""
    return limit - 1


def _first(candidates: Sequence[Candidate], dice: _Dice) -> Candidate:
    """The bot that a table is drawn for."""
    if not dice.below(_LEAST_PLAYED):
        least = min(one.blocks for one in candidates)
        equals = [one for one in candidates if one.blocks == least]
        return equals[dice.below(len(equals))]
    ranked = sorted(candidates, key=lambda one: (one.skill.mu, one.entrant))
    open_still = [_unsure(one.skill, other.skill) for one, other in pairwise(ranked)]
    wanted = [
        (below + above + _FAR) * max(one.skill.sigma, _LEAST_SIGMA)
        for one, below, above in zip(ranked, [0.0, *open_still], [*open_still, 0.0], strict=True)
    ]
    return ranked[dice.weighted(wanted)]


def _worth(own: Skill, other: Skill) -> float:
    """How much is learnt from a block against another bot: of whom little is known, who is near."""
    return (_unsure(own, other) + _FAR) * max(other.sigma, _LEAST_SIGMA)


def _unsure(one: Skill, other: Skill) -> float:
    """4 p (1 - p), where p is the chance that the one is better: 1 where nothing is known."""
    doubt = math.hypot(one.sigma, other.sigma, _LEAST_SIGMA)
    odds = math.exp(-_LOGISTIC * abs(one.mu - other.mu) / doubt)
    return 4 * odds / (1 + odds) ** 2
