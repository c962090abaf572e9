"""Who favours whom in a pool, as the acts of its records say: by bot and by author. Pure."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ladder.core.roster import ERASED_AUTHOR, Roster
from ladder.standings.favours import Favour, Favours
from ladder.stats.estimates import Estimate, rounded
from ladder.stats.favours import Favours as Found
from ladder.stats.favours import MatchGifts, favours
from ladder.stats.student import quantile

MOST_MATCHES: Final = 5_000
"""Of a pool so many are looked into, the newest ones: the gifts of one take some 12 KB."""

SMALLEST_TABLE: Final = 3
"""With two at a table what one gives the other has no third who pays for it."""

_LEAST: Final = 1e-9
"""Keeps what is certain to the last digit from being divided by nothing."""

Played = tuple[Sequence[int], MatchGifts]
"""The entrants of a match, by place, and its gifts."""


class Collusion(Struct, frozen=True):
    """What the matches of a pool say of favours.

    Attributes:
        pool: its number.
        name: what it is called.
        matches: how many were looked into.
        bots: pairs of bots that enough matches bear, those that stand out most first.
        authors: likewise of authors, all their bots together; empty where each has one bot.
    """

    pool: int
    name: str
    matches: int
    bots: tuple[Favour, ...]
    authors: tuple[Favour, ...]

    def told(self, facts: int) -> Favours:
        """Return what standings tell of it, with how many facts the ladder had."""
        named = (tuple(one for one in found if one.named) for found in (self.bots, self.authors))
        return Favours(facts, self.matches, len(self.bots), *named)


def collusion(roster: Roster, played: Mapping[int, Collection[Played]]) -> tuple[Collusion, ...]:
    """Return a report for each pool.

    Args:
        roster: who the entrants are.
        played: matches at tables of three and more, by pool.
    """
    bots = roster.labels()
    authors = {
        number: bots[number] if one.author == ERASED_AUTHOR else one.author
        for number, one in roster.entrants.items()
    }
    several = len(set(authors.values())) < len(set(bots.values()))
    return tuple(
        Collusion(
            pool,
            roster.pools[pool].label,
            len(matches),
            _favours(matches, bots),
            _favours(matches, authors) if several else (),
        )
        for pool, matches in sorted(played.items())
    )


def _favours(matches: Collection[Played], names: Mapping[int, str]) -> tuple[Favour, ...]:
    """Return the favours between those who are called alike, the most certain first."""
    called = sorted(set(names.values()))
    number = {name: at for at, name in enumerate(called)}
    found = favours(list(matches), {entrant: number[name] for entrant, name in names.items()})
    if found is None:
        return ()
    order = np.argsort(-(found.points / (np.hypot(found.error, found.spread) + _LEAST)))
    return tuple(_favour(found, int(at), called) for at in order)


def _favour(found: Found, at: int, called: Sequence[str]) -> Favour:
    points = float(found.points[at])
    half = quantile(float(found.free[at])) * float(found.error[at])
    ends = (rounded(end, 3) for end in (points - half, points + half))
    return Favour(
        giver=called[found.giver[at]],
        taker=called[found.taker[at]],
        points=Estimate(rounded(points, 3), *ends),
        gifts=int(found.times[at]),
        matches=int(found.matches[at]),
        named=bool(found.named[at]),
    )
