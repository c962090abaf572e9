"""Deciding who is better while looking after every block, at a stated risk of being wrong. Pure.

What is observed is a bot's mean deal value in a block. It is bounded by the scale of the game, and
blocks have decks of their own, so all that is assumed of them is a common mean, whatever their
distribution: skewed, discrete, or always nought.

The method bets against each mean that the blocks might have (Waudby-Smith and Ramdas, Estimating
means of bounded random variables by betting, Journal of the Royal Statistical Society B 86, 2024).
A player who stakes a fixed part f of the capital at fair odds on "more than m" multiplies it, after
a block of value x in [-bound, bound], by::

    1 - f + f (bound + x) / (bound + m)

If m is the true mean, that is a martingale: the chance that the capital ever reaches k times what
it was is at most 1/k (Ville 1939), however often one looks and whyever one stops. The means that
stand are those against which no bet has won 2/alpha, upwards and downwards alike. The capital is
divided among several f, as in Cover's universal portfolio (diversified Kelly betting in the paper),
so it knows neither the variance nor how long it will take. The parts are fixed, so the order of the
blocks does not matter, the capital falls as m grows, and what stands is an interval. It is 1.6 to
1.8 times as wide as one that was looked at once, from some hundred blocks on; blocks without any
variance shrink it like 1/n.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ladder.stats.arrays import Floats, Ints

ALPHA: Final = 0.05
"""The chance to be wrong, all ways to be wrong together."""

_STAKES: Final = np.geomspace(0.99, 0.99 / 2**9, 10)
"""The parts of the capital that are staked: the first suit some ten blocks, the last a million."""
_SHARES: Final = -np.log(np.arange(1.0, 11.0)) - float(np.log(np.sum(1 / np.arange(1, 11))))
"""Logarithms of how the capital is divided among them: 1, 1/2, 1/3 ..."""

_PRECISION: Final = 1e-9
"""Of the ends of an interval, as a part of the bound."""


class Conclusion(StrEnum):
    """What a comparison comes to."""

    A = "A"
    B = "B"
    NO_DIFFERENCE = "no difference"
    """The true mean lies within what was asked for."""
    UNDECIDED = "undecided"


class Decider:
    """Takes the blocks of A against B in, and decides as soon as it may.

    A wrong decision of any kind has at most the chance `alpha`: A or B where the true mean is 0 or
    on the other side, no difference where it is further from 0 than `within`. Where both a winner
    and no difference beyond `within` could be said, the winner is.
    """

    def __init__(self, bound: float, within: float | None = None, alpha: float = ALPHA) -> None:
        """Begins without blocks.

        Args:
            bound: the largest value that a block can have, and less its smallest.
            within: the difference that matters, in units of the value; None if any does.
            alpha: the chance to be wrong.
        """
        self.decision = Conclusion.UNDECIDED
        self.blocks = 0
        self._bound = bound
        self._wins = np.log(2 / alpha)
        tests = [(1.0, 0.0), (-1.0, 0.0)]
        if within is not None:
            tests += [(-1.0, within), (1.0, -within)]
        self._sign, self._mean = np.array(tests).T[:, :, None]
        self._logs = np.zeros((len(tests), 1, len(_STAKES)))

    def look(self, values: ArrayLike) -> Conclusion:
        """Takes blocks in, one after the other, and looks after each, until it is decided.

        `blocks` is then how many were taken in; later ones are left alone.

        Args:
            values: A's mean deal value in each block.

        Raises:
            ValueError: one is beyond the bound.
        """
        found = _checked(values, self._bound)
        if self.decision is not Conclusion.UNDECIDED or not len(found):
            return self.decision
        gains = (self._bound + self._sign * found) / (self._bound + self._sign * self._mean) - 1
        logs = self._logs + np.cumsum(np.log1p(gains[:, :, None] * _STAKES), axis=1)
        won = np.logaddexp.reduce(logs + _SHARES, axis=2) >= self._wins
        same = won[2:].all(axis=0) if len(won) > 2 else np.zeros(len(found), np.bool_)
        decided = won[0] | won[1] | same
        at = int(np.argmax(decided)) if decided.any() else len(found) - 1
        self._logs = logs[:, at : at + 1]
        self.blocks += at + 1
        if decided[at]:
            winner = Conclusion.A if won[0, at] else Conclusion.B
            self.decision = winner if won[:2, at].any() else Conclusion.NO_DIFFERENCE
        return self.decision


def interval(values: ArrayLike, bound: float, alpha: float = ALPHA) -> tuple[float, float]:
    """The means that stand: the confidence sequence at this number of blocks.

    Whatever made one stop here, the intervals of all numbers of blocks hold the true mean together
    with a chance of 1 - alpha.

    Args:
        values: the value of each block; their order does not matter.
        bound: the largest value that a block can have, and less its smallest.
        alpha: the chance that the true mean lies outside at any time.

    Raises:
        ValueError: a value is beyond the bound.
    """
    found = _checked(values, bound)
    if not len(found):
        return -bound, bound
    distinct, counts = np.unique(found, return_counts=True)
    wins = float(np.log(2 / alpha))
    low = _least(distinct, counts, bound, wins)
    high = -_least(-distinct, counts, bound, wins)
    return low, high


def decision_by(low: float, high: float, within: float | None) -> Conclusion:
    """What an interval says by itself."""
    if low > 0:
        return Conclusion.A
    if high < 0:
        return Conclusion.B
    same = within is not None and -within <= low and high <= within
    return Conclusion.NO_DIFFERENCE if same else Conclusion.UNDECIDED


def _least(distinct: Floats, counts: Ints, bound: float, wins: float) -> float:
    """The least mean against which no bet on more has won."""

    def short(mean: float) -> float:
        gains = (bound + distinct) / (bound + mean) - 1
        logs = np.log1p(gains[:, None] * _STAKES)
        return float(np.logaddexp.reduce(counts @ logs + _SHARES)) - wins

    nearly = -bound + _PRECISION * bound
    mean = float(counts @ distinct) / float(counts.sum())
    if mean <= nearly or short(nearly) <= 0:
        return -bound
    low, high = nearly, mean
    while high - low > _PRECISION * bound:  # to import a solver takes longer than all of this
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) > 0 else (low, middle)
    return low


def _checked(values: ArrayLike | Sequence[float], bound: float) -> Floats:
    found = np.asarray(values, np.float64)
    if len(found) and not np.abs(found).max() <= bound:
        raise ValueError(f"a block of {np.abs(found).max()}, beyond the bound {bound}")
    return found
