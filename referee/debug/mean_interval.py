"""An interval for a mean of bounded values that errs no more often than it says. Pure.

It bets against each mean that the values might have: a mean whose bettor would have won more than
1 / error times the stake is not believed (the hedged capital of Waudby-Smith and Ramdas, Estimating
means of bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024).
That holds for any values between the bounds and for any number of them, however skewed they are;
where they are much closer together than the bounds, few of them give a wide interval.
"""

import math
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

ERROR: Final = 0.05
"""How often the mean lies outside, at most."""

_BOLDEST: Final = 0.9
"""The share of what a bettor has that is put on one value, at most."""

_HALVINGS: Final = 40


class MeanInterval(Struct, frozen=True):
    """A mean, and between what the expected value lies."""

    mean: float
    low: float
    high: float


def mean_interval(values: Sequence[float], low: float, high: float) -> MeanInterval:
    """Return the mean of values that are independent and alike, and its interval.

    Args:
        values: at least one.
        low: none can be less.
        high: none can be more.
    """
    width = high - low
    shares = [(value - low) / width for value in values]
    bets = _bets(shares)
    share, mean = sum(shares) / len(shares), sum(values) / len(values)
    if not _stands(share, shares, bets):  # with very few values: the bettor was lucky
        return MeanInterval(mean, low, high)
    down, up = (_edge(share, edge, shares, bets) for edge in (0.0, 1.0))
    return MeanInterval(mean, low + width * down, low + width * up)


def _bets(shares: Sequence[float]) -> list[float]:
    """Return how much is bet on each value, out of what the values before it tell."""
    bets, total, squares = [], 0.5, 0.25
    strength = 2 * math.log(2 / ERROR) / len(shares)
    for number, share in enumerate(shares, 1):
        bets.append(math.sqrt(strength * number / squares))
        total += share
        squares += (share - total / (number + 1)) ** 2
    return bets


def _stands(mean: float, shares: Sequence[float], bets: Sequence[float]) -> bool:
    """Return whether a bettor against this mean has not won enough."""
    above = below = 0.0
    most_above = _BOLDEST / mean if mean > 0 else math.inf
    most_below = _BOLDEST / (1 - mean) if mean < 1 else math.inf
    for share, bet in zip(shares, bets, strict=True):
        above += math.log1p(min(bet, most_above) * (share - mean))
        below += math.log1p(-min(bet, most_below) * (share - mean))
    return max(above, below) < math.log(2 / ERROR)


def _edge(inside: float, outside: float, shares: Sequence[float], bets: Sequence[float]) -> float:
    """Return the last mean from `inside` towards `outside` that stands."""
    if _stands(outside, shares, bets):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if _stands(middle, shares, bets):
            inside = middle
        else:
            outside = middle
    return outside
