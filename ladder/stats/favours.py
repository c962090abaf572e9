"""Who lays more points on another bot's tricks than its own play explains. Pure.

A gift is a card that a bot plays to a trick which an opponent holds (`referee.match.gifts`). How
many points it leaves there depends on what the giver sees, and on how the giver plays. So each
giver is its own measure: its gifts to all are compared in positions that are alike
(`ladder.stats.like_positions`), and a favour is what one taker has of them beyond that, estimated
together (by partial regression). A weak giver, or one that wastes points on all, favours none; the
strength of the taker does not matter either, since only positions are compared in which it holds a
trick already.

Its error is that of clusters, the lives of processes, as of all means (`ladder.stats.student`).
Positions that look alike here may not to a bot; so favours are compared with those of the whole
field: their spread beyond errors is estimated by a median, which a few pairs do not move, and a
pair is named only if it stands out from that.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import stdtrit

from ladder.stats.arrays import Flags, Floats, Ints
from ladder.stats.like_positions import LikePositions, Positions
from referee.match.gifts import Gift

RISK: Final = 0.002
"""Of naming any pair of a field in which none favours another, over all its pairs.

By this arithmetic, whose errors are estimates: what it comes to in cards says
`tests/bench_favours.py`.
"""

FEWEST: Final = 16.0
"""So many lives, at least, have to bear a favour: their scatter says how certain it is."""

_MEDIAN: Final = 0.4549
"""Of chi-squared with one degree of freedom."""

_PART_KNOWN: Final = 0.37
"""A variance by a median is as good as one by so large a part of the pairs (normal errors)."""

_MOST_KNOWN: Final = 7.0
"""Degrees of freedom of the field's spread, at most: styles have heavier tails than errors have."""

_ROUNDING: Final = 1e-6
"""Card points a gift that may come of sums that were rounded."""

_LEAST_LEFT: Final = 1e-6
"""Of a favour so much has to be left, at least, that what a giver saw does not explain as well."""


class MatchGifts(Struct, frozen=True):
    """The gifts of one match; each array has an item for each.

    Attributes:
        giver: by place.
        holder: likewise.
        points: how many it laid.
        position: what it saw, packed.
    """

    giver: Ints
    holder: Ints
    points: Ints
    position: Positions


def match_gifts(gifts: Iterable[Gift]) -> MatchGifts:
    """Return the gifts of a match, of any deals, in little room."""
    found = list(gifts)
    return MatchGifts(
        np.array([one.giver for one in found], np.int8),
        np.array([one.holder for one in found], np.int8),
        np.array([one.points for one in found], np.int16),
        np.array([one.position for one in found], np.bytes_),
    )


class Favours(Struct, frozen=True):
    """What takers had more, by pair that enough lives bear; each array has a number for each.

    Attributes:
        giver: whose gifts; a bot, or a group of them.
        taker: who had more of them.
        points: how many card points more, a gift.
        error: its standard error.
        free: degrees of freedom of that.
        times: how many gifts there were.
        matches: in how many matches.
        named: whether it stands out from the field.
        spread: the standard deviation of favours in the field that errors do not explain.
    """

    giver: Ints
    taker: Ints
    points: Floats
    error: Floats
    free: Floats
    times: Ints
    matches: Ints
    named: Flags
    spread: float


class _Pair:
    """A giver and a taker: what adds up to a favour, over the bots that they are."""

    def __init__(self) -> None:
        self.more = self.left = 0.0
        self.times = self.matches = 0
        self.life: list[Ints] = []
        self.score: list[Floats] = []
        self.share: list[Floats] = []
        self.spare: list[Floats] = []

    def estimate(self) -> tuple[float, float, float]:
        """Return the favour, its error and the degrees of freedom of that."""
        favour = self.more / self.left
        life, share = np.concatenate(self.life), np.concatenate(self.share)
        score = np.concatenate(self.score) - favour * share
        score /= np.sqrt(np.concatenate(self.spare))
        _, cluster = np.unique(life, return_inverse=True)
        squares = (np.bincount(cluster, score) ** 2).sum()
        shares = np.bincount(cluster, share)
        lives = shares.sum() ** 2 / max((shares**2).sum(), 1e-300)
        wide = lives / max(lives - 1, 1e-9)
        return favour, float(np.sqrt(squares * wide)) / self.left, float(lives - 1)


def favours(
    matches: Sequence[tuple[Sequence[int], MatchGifts]], groups: Mapping[int, int]
) -> Favours | None:
    """Return who favours whom, of all pairs of groups; None where too little was played.

    Args:
        matches: the bots of each, by place, and its gifts.
        groups: a number for each bot, equal where they are one to the question, as versions of a
            bot are, or the bots of an author.
    """
    pairs: dict[tuple[int, int], _Pair] = defaultdict(_Pair)
    for bot, own in sorted(_by_giver(matches, groups).items()):
        _add(pairs, groups[bot], own)
    known = [(pair, one) for pair, one in sorted(pairs.items()) if one.matches >= FEWEST]
    rows = [(*pair, *one.estimate(), one.times, one.matches) for pair, one in known]
    rows = [row for row in rows if row[4] + 1 >= FEWEST]
    if not rows:
        return None
    giver, taker, points, error, free, times, played_in = map(np.array, zip(*rows, strict=True))
    spread = _spread(points, error)
    named = _named(points, error, free, spread)
    return Favours(giver, taker, points, error, free, times, played_in, named, spread)


class _Own(Struct, frozen=True):
    """The gifts of one giver: to which group, in which match, and as in `MatchGifts`."""

    taker: Ints
    match: Ints
    points: Ints
    position: Positions


def _by_giver(
    matches: Sequence[tuple[Sequence[int], MatchGifts]], groups: Mapping[int, int]
) -> dict[int, _Own]:
    """Return the gifts of each bot that made any."""
    found: dict[int, list[_Own]] = defaultdict(list)
    for number, (bots, gifts) in enumerate(matches):
        taker = np.array([groups[bot] for bot in bots])
        for place, bot in enumerate(bots):
            own = gifts.giver == place
            if own.any():
                match = np.full(np.count_nonzero(own), number)
                takers = taker[gifts.holder[own]]
                found[bot].append(_Own(takers, match, gifts.points[own], gifts.position[own]))
    return {
        bot: _Own(
            np.concatenate([one.taker for one in own]),
            np.concatenate([one.match for one in own]),
            np.concatenate([one.points for one in own]),
            np.concatenate([one.position for one in own]),
        )
        for bot, own in found.items()
    }


def _add(pairs: dict[tuple[int, int], _Pair], group: int, own: _Own) -> None:
    """Add what one giver brings to all pairs of its group."""
    like = LikePositions(own.position)
    if like.spare < _LEAST_LEFT:
        return
    rest = like.rest(own.points.astype(np.float64))
    lives, life = np.unique(own.match, return_inverse=True)
    for taker in np.unique(own.taker).tolist():
        given = own.taker == taker
        weight = like.rest(given.astype(np.float64))
        left = float((weight**2).sum())
        if left <= _LEAST_LEFT * np.count_nonzero(given):
            continue
        pair = pairs[group, taker]
        pair.more += float((weight * rest).sum())
        pair.left += left
        pair.times += int(np.count_nonzero(given))
        pair.matches += len(np.unique(life[given]))
        pair.life.append(lives)
        pair.score.append(_by_life(life, weight * rest))
        pair.share.append(_by_life(life, weight**2))
        pair.spare.append(np.full(len(lives), like.spare))


def _by_life(life: Ints, values: Floats) -> Floats:
    return np.bincount(life, values).astype(np.float64, copy=False)


def _spread(points: Floats, error: Floats) -> float:
    """Return the standard deviation of favours that errors do not explain, by their median."""

    def lies_above(variance: float) -> bool:
        with np.errstate(divide="ignore", invalid="ignore"):
            return bool(np.median(points**2 / (error**2 + variance)) > _MEDIAN)

    low, high = 0.0, float(np.max(points**2)) / _MEDIAN
    if not lies_above(0.0):
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if lies_above(middle) else (low, middle)
    return float(high**0.5)


def _named(points: Floats, error: Floats, free: Floats, spread: float) -> Flags:
    """Return which favours stand out, by Student's distribution (Satterthwaite's degrees)."""
    own, field = error**2, spread**2
    known = min(max(_PART_KNOWN * len(points), 1), _MOST_KNOWN)
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = (own + field) ** 2 / (own**2 / np.maximum(free, 1) + field**2 / known)
        limit = stdtrit(degrees, 1 - RISK / len(points))
        named: Flags = points > np.maximum(limit * np.sqrt(own + field), _ROUNDING)
    return named
