"""The strengths that explain comparisons best, among bots of one population. Pure.

The model is that of Bradley and Terry: a side beats another with the logistic function of the
difference of their strengths, and the strength of a side is the sum of its bots' (Huang, Lin and
Weng, Ranking individuals by group comparisons, JMLR 9, 2008). Strengths are thought drawn from a
normal distribution round 0, which keeps those finite that have won or lost everything; the fit is
the mode of what then is to be believed (Whelan, Prior distributions for the Bradley-Terry model of
paired comparisons, arXiv:1712.05311).

Newton's method finds it from anywhere with the step length of Sun and Tran-Dinh (Generalized
self-concordant functions, Mathematical Programming 178, 2019).
"""

from itertools import combinations
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

from ladder.stats.arrays import Floats
from ladder.stats.matchups import Matchups

_NEAR: Final = 1e-5
"""Natural units: a step no longer is the last one; what is wrong after it is its square."""
_MOST_STEPS: Final = 200


class Fit(Struct, frozen=True):
    """The best strengths.

    Attributes:
        strengths: in natural units, by bot in `Matchups.bots`.
        chance: that the first side of a pair wins, by pair.
        covariance: of the strengths, were all comparisons independent, bots x bots.
    """

    strengths: Floats
    chance: Floats
    covariance: Floats


class Model:
    """The likelihood of comparisons."""

    def __init__(self, found: Matchups) -> None:
        """Prepares what all fits share."""
        self._found = found
        self._design = _Design(found)

    def fit(self, prior: float, start: Floats) -> Fit:
        """Find the best strengths.

        Args:
            prior: the precision of the distribution that strengths are drawn from: one by its
                variance, in natural units.
            start: where to begin.
        """
        weight, won, design = self._found.weight, self._found.won, self._design
        strengths = start
        for _ in range(_MOST_STEPS):
            chance = design.chances(strengths)
            slope = design.sums(won - weight * chance) - prior * strengths
            information = design.squares(weight * chance * (1 - chance))
            information[np.diag_indices(len(strengths))] += prior
            factor = _factor(information)
            step = _solved(factor, slope)
            far = max(float(np.abs(design.differences(step)).max(initial=0)), 1e-300)
            strengths = strengths + step * (np.log1p(far) / far)
            if far <= _NEAR:
                return Fit(strengths, chance, _inverse(factor))
        raise AssertionError("a fit did not end")  # the method always does

    def charged(self, strengths: Floats, prior: float) -> Floats:
        """Return strengths with what faults cost: each bot's own, all others' left as they are.

        A bot has lost `Matchups.charged` more, against bots of strength 0. It is done apart, since
        a bot that faults on purpose must not draw down those that it sits with.

        Args:
            strengths: the best ones.
            prior: as in `fit`.
        """
        found, design = self._found, self._design
        lost, own = found.charged, strengths.copy()
        if not lost.any():
            return own
        for _ in range(_MOST_STEPS):
            slope, curve = design.seen_by_each(strengths, own, found.won, found.weight)
            chance = 1 / (1 + np.exp(-own))
            slope -= lost * chance + prior * own
            curve += lost * chance * (1 - chance) + prior
            step = slope / curve
            own += step * np.log1p(np.abs(step)) / np.maximum(np.abs(step), 1e-300)
            if np.abs(step).max() <= _NEAR:
                return np.where(lost > 0, own, strengths)
        raise AssertionError("a fit did not end")  # the method always does


def _factor(information: Floats) -> Floats:
    """The lower factor of a positive definite matrix, by Cholesky's method."""
    return information if not len(information) else np.asarray(dpotrf(information, lower=1)[0])


def _solved(factor: Floats, slope: Floats) -> Floats:
    """What times the matrix gives the slope."""
    return slope if not len(slope) else np.asarray(dpotrs(factor, slope, lower=1)[0])


def _inverse(factor: Floats) -> Floats:
    """The inverse of the matrix."""
    if not len(factor):
        return factor
    lower = np.tril(dpotri(factor, lower=1)[0])
    return np.asarray(lower + np.tril(lower, -1).T, np.float64)


class _Design:
    """Which strengths a comparison adds and which it takes off."""

    def __init__(self, found: Matchups) -> None:
        self._bots = len(found.bots)
        partners = found.members.shape[2]
        self._columns = list(found.members.reshape(-1, 2 * partners).T)
        self._signs = [1] * partners + [-1] * partners

    def differences(self, strengths: Floats) -> Floats:
        """The first side's strength less the second's, by pair."""
        padded = np.append(strengths, 0.0)  # what -1 takes
        found: Floats = np.zeros(len(self._columns[0]))
        for sign, column in zip(self._signs, self._columns, strict=True):
            found += sign * padded[column]
        return found

    def chances(self, strengths: Floats) -> Floats:
        """That the first side wins, by pair."""
        return np.asarray(1 / (1 + np.exp(-np.clip(self.differences(strengths), -700, 700))))

    def sums(self, of_pairs: Floats) -> Floats:
        """What pairs have, added up by bot with its sign."""
        found = np.zeros(self._bots + 1)
        for sign, column in zip(self._signs, self._columns, strict=True):
            found += sign * np.bincount(column % (self._bots + 1), of_pairs, self._bots + 1)
        return found[:-1]

    def seen_by_each(
        self, strengths: Floats, own: Floats, won: Floats, weight: Floats
    ) -> tuple[Floats, Floats]:
        """Return slope and curvature of each bot's own strength, all others' left as they are.

        Args:
            strengths: of the others.
            own: each bot's own.
            won: by the first side, by pair.
            weight: by pair.
        """
        slope, curve = np.zeros(self._bots + 1), np.zeros(self._bots + 1)
        usual, more = self.differences(strengths), np.append(own - strengths, 0.0)
        for sign, column in zip(self._signs, self._columns, strict=True):
            chance = 1 / (1 + np.exp(-np.clip(usual + sign * more[column], -700, 700)))
            who = column % (self._bots + 1)
            slope += sign * np.bincount(who, won - weight * chance, self._bots + 1)
            curve += np.bincount(who, weight * chance * (1 - chance), self._bots + 1)
        return slope[:-1], curve[:-1]

    def squares(self, of_pairs: Floats) -> Floats:
        """What pairs have, added up by two bots with their signs, bots x bots."""
        size = self._bots + 1
        off = np.zeros(size * size)
        for one, other in combinations(range(len(self._columns)), 2):
            at = (self._columns[one] % size) * size + self._columns[other] % size
            sign = self._signs[one] * self._signs[other]
            off += np.bincount(at, sign * of_pairs, size * size)
        found = off.reshape(size, size)
        found += found.T.copy()
        for column in self._columns:
            found[np.diag_indices(size)] += np.bincount(column % size, of_pairs, size)
        return np.ascontiguousarray(found[:-1, :-1])
