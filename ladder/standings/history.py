"""A bot's rating over time, from the online ratings after each of its matches. Pure.

Online ratings are what tables are made by while a ladder runs; the published table is a fit to all
blocks at once, and says other numbers of the same bots. So that both can be read alike, the online
ones are shown on the scale of Elo, too. In openskill's model of Plackett and Luce a side of skill
mu is chosen before others in proportion to exp(mu / c), where c is the root of the sum of
BETA² + sigma² over the n sides; where all is known of everybody, that is the root of n, times BETA
(25/6). Natural units are therefore mu / c, and::

    rating = (mu - 25) * (400 / ln 10) / (BETA * sqrt(n))

for two sides 29.5 a point of mu. 0 is what every new version begins with, not the field's mean.
"""

import math
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ladder.stats.estimates import ELO, Estimate, rounded
from ladder.stats.online_ratings import BETA, NEW

BAND: Final = 2
"""So many sigma up and down are shown."""
MOST_POINTS: Final = 200


class Step(Struct, frozen=True):
    """The online rating of a bot after a match.

    Attributes:
        match: the number of the match.
        at_ms: milliseconds since 1970, UTC.
        version: of the bot, which played; each begins anew.
    """

    match: int
    at_ms: int
    version: int
    mu: float
    sigma: float


class Point(Struct, frozen=True):
    """A step on the scale of Elo; the interval is that of two sigma up and down."""

    match: int
    at_ms: int
    version: int
    rating: Estimate


class History(Struct, frozen=True, kw_only=True):
    """A bot's rating in one pool over time.

    Attributes:
        pool: what people call the pool.
        name: of the bot, as it is shown.
        matches: how many it played.
        low: the lowest rating after any match; None without one.
        high: the highest.
        points: after its matches, in their order; some of them where there are too many.
        versions: the first point, and each of another version than the one before: a match of an
            old version may end when the next one has begun. They are all among the points.
    """

    pool: str
    name: str
    matches: int
    low: float | None
    high: float | None
    points: tuple[Point, ...]
    versions: tuple[Point, ...]


def on_scale(mu: float, sigma: float, sides: int = 2) -> Estimate:
    """An online rating on the scale of Elo, give or take two sigma, to one decimal.

    Args:
        mu: in openskill's unit.
        sigma: in openskill's unit.
        sides: how many there are at a table.
    """
    unit = ELO / (BETA * math.sqrt(sides))
    ends = (NEW.mu - mu, NEW.mu - mu + BAND * sigma, NEW.mu - mu - BAND * sigma)
    return Estimate(*(rounded(-end * unit, 1) for end in ends))


def history(
    pool: str, name: str, steps: Sequence[Step], *, sides: int = 2, most: int = MOST_POINTS
) -> History:
    """The rating of a bot over time.

    Args:
        pool: what people call the pool.
        name: of the bot.
        steps: one a match, in the order of the facts.
        sides: how many there are at a table.
        most: so many points there are at most, if there are not more versions than that: the first
            and the last, the first of each version, and others in equal distances.
    """
    begins = [
        at for at, step in enumerate(steps) if not at or step.version != steps[at - 1].version
    ]
    kept = _thinned(len(steps), begins, most)
    points = {
        at: Point(step.match, step.at_ms, step.version, on_scale(step.mu, step.sigma, sides))
        for at, step in ((at, steps[at]) for at in kept)
    }
    mus = [step.mu for step in steps]
    ends = [on_scale(mu, 0.0, sides).value for mu in (min(mus), max(mus))] if mus else []
    return History(
        pool=pool,
        name=name,
        matches=len(steps),
        low=min(ends, default=None),
        high=max(ends, default=None),
        points=tuple(points.values()),
        versions=tuple(points[at] for at in begins),
    )


def _thinned(count: int, needed: Sequence[int], most: int) -> list[int]:
    """Positions below `count`, rising: those needed, the last, and some in equal distances."""
    if count <= most:
        return list(range(count))
    found = {*needed, count - 1}
    left = max(most - len(found), 0)
    found.update(round(at * (count - 1) / (left + 1)) for at in range(1, left + 1))
    return sorted(found)
