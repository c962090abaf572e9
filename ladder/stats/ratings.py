"""Ratings fitted to all blocks at once, with intervals that count lives of processes. Pure.

Nothing depends on the order in which blocks were played or written down, nor on dice, and numbers
are rounded: who has the log gets the same table. `bradley_terry` says what is fitted, `matchups`
what is compared, `dispersion` how far results scatter.

How far the strengths of a field lie apart is estimated with them (empirical Bayes): a bot with few
blocks is thought to be one of its field, and its interval holds its strength as often as it says
from the first life on. Four more bots whose strengths lie 1 apart, that is 174 Elo, are thought
added, so that small fields have a width too.

Who is better than whom is one statement: that of all bots told apart anywhere in a table none is
told apart wrongly, with a risk of 5 % (Bonferroni). Bots that no chain of results links are not
compared.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from msgspec import Struct
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it has no types

from ladder.stats.arrays import Flags, Floats, Ints, distinct
from ladder.stats.bradley_terry import Fit, Model
from ladder.stats.dispersion import Dispersion, dispersion
from ladder.stats.estimates import ELO, Estimate
from ladder.stats.links import linked_groups
from ladder.stats.matchups import Matchups, matchups
from ladder.stats.observations import Observed
from ladder.stats.student import RISK, chance_above, quantile

_THOUGHT_BOTS: Final = 4
_THOUGHT_VARIANCE: Final = 1.0
"""Of their strengths, in natural units."""
_CLOSE: Final = 1e-5
"""Relative change at which the variances count as found."""
_LEAST_SLOPE: Final = 0.1
_MOST_ROUNDS: Final = 50


class Ratings(Struct, frozen=True):
    """What the blocks say of the entrants, by number.

    Attributes:
        strengths: on the scale of Elo; the mean of those that are linked is 0, None for those that
            did not play.
        groups: equal where a chain of results links two entrants; -1 for those that did not play.
        differences: the row's strength less the column's, in standard errors, entrants x entrants;
            nan where they are not compared.
        free: degrees of freedom.
        lives: how many lives of its processes each rating rests on.
        misfit: how probable it is that strengths alone leave so much unexplained; None: unknown.
        unordered: whether one number a bot does not order this field.
    """

    strengths: tuple[Estimate | None, ...]
    groups: Ints
    differences: Floats
    free: float
    lives: tuple[int, ...]
    misfit: float | None
    unordered: bool

    def chances(self, order: Sequence[int]) -> list[list[float | None]]:
        """How probable it is that the row's bot is the better one; None where not compared."""
        some = self.differences[np.ix_(order, order)]
        known = ~np.isnan(some)
        shares = np.round(chance_above(np.nan_to_num(some), np.ones_like(some), self.free), 4)
        return [
            [share if flag else None for share, flag in zip(row, flags, strict=True)]
            for row, flags in zip(shares.tolist(), known.tolist(), strict=True)
        ]

    def told_apart(self, among: Sequence[int]) -> Flags:
        """Whether the row's bot is better than the column's, all statements at a risk of 5 %."""
        some = self.differences[np.ix_(among, among)]
        pairs = int((~np.isnan(some)).sum()) // 2
        found: Flags = some > quantile(self.free, RISK / max(pairs, 1))
        return found


def rate(seen: Sequence[Observed], entrants: int, *, adjusted: bool = False) -> Ratings:
    """Rate the entrants of a section.

    Args:
        seen: the blocks.
        entrants: how many there are.
        adjusted: whether luck is taken out before a block is decided.
    """
    found = matchups(seen, entrants, adjusted=adjusted)
    # many small systems: on several cores at once they take longer
    with _threads().limit(limits=1, user_api="blas"):
        return _ratings(found, entrants, estimated(found))


@cache
def _threads() -> ThreadpoolController:
    """NumPy's and SciPy's; to find them takes longer than to rate a small section."""
    return ThreadpoolController()


class Estimated(Struct, frozen=True):
    """Strengths in natural units, by bot in `Matchups.bots`.

    Attributes:
        covariance: of the strengths less the mean of their group, bots x bots.
        scatter: how far results scatter.
        linked: equal where a chain of results links two bots.
    """

    strengths: Floats
    covariance: Floats
    scatter: Dispersion
    linked: Ints


def estimated(found: Matchups) -> Estimated:
    """Estimate strengths, and how certain they are.

    The precision of the prior, in units of a block, is the dispersion over the variance of the
    strengths; both follow from the fit, which is made again until they stay.
    """
    linked = linked_groups(found.opponents, len(found.bots))
    groups = len(distinct(linked))
    strengths, model = np.zeros(len(found.bots)), Model(found)
    field, tried = 1.0, _Secant(math.log(_THOUGHT_VARIANCE))
    for _ in range(_MOST_ROUNDS):
        variance = math.exp(tried.at)
        made = model.fit(field / variance, strengths)
        strengths = made.strengths
        covariance = _centred(made.covariance, linked)
        scatter = dispersion(found, made, covariance)
        spread = _spread(made, covariance * field, groups)
        change = abs(scatter.field / field - 1) + abs(spread / variance - 1)
        field = scatter.field
        if change < _CLOSE:
            break
        tried.add(math.log(spread))
    wide = np.sqrt(scatter.bots)
    strengths = model.charged(strengths, field / variance)
    return Estimated(strengths, covariance * np.outer(wide, wide), scatter, linked)


class _Secant:
    """Looks for the point that a slowly varying function leaves where it is."""

    def __init__(self, start: float) -> None:
        self.at = start
        self._before: tuple[float, float] | None = None

    def add(self, value: float) -> None:
        """Takes in the function's value at `at`, and goes on to where the secant meets it."""
        off = value - self.at
        next_at = value
        if self._before is not None:
            at, off_at = self._before
            slope = (off - off_at) / (self.at - at) if self.at != at else -1.0
            if slope < -_LEAST_SLOPE:
                next_at = self.at - off / slope
        self._before = (self.at, off)
        self.at = min(max(next_at, self.at - 1), self.at + 1)


def _spread(made: Fit, covariance: Floats, groups: int) -> float:
    """The mean variance of the strengths of a field, what is not known of them included.

    It has a scaled inverse chi-squared distribution, and so many degrees of freedom as there are
    bots beyond the mean of their group; its mean has two less.
    """
    squares = float((made.strengths**2).sum() + np.trace(covariance))
    free = _THOUGHT_BOTS + len(made.strengths) - groups
    return (_THOUGHT_BOTS * _THOUGHT_VARIANCE + squares) / (free - 2)


def _centred(covariance: Floats, group: Ints) -> Floats:
    """The covariance of strengths less the mean of their group."""
    for number in distinct(group).tolist():
        some = group == number
        covariance[some] -= covariance[some].mean(axis=0)
        covariance[:, some] -= covariance[:, some].mean(axis=1, keepdims=True)
    return covariance


def _ratings(found: Matchups, entrants: int, made: Estimated) -> Ratings:
    scatter = made.scatter
    halves = quantile(scatter.free) * np.sqrt(np.maximum(np.diag(made.covariance), 0))
    ratings: list[Estimate | None] = [None] * entrants
    lives = np.zeros(entrants, np.int64)
    lives[found.bots] = scatter.lives
    for bot, value, half in zip(found.bots.tolist(), made.strengths, halves, strict=True):
        ends = (_elo(value - half), _elo(value + half)) if math.isfinite(half) else (None, None)
        ratings[bot] = Estimate(_elo(value), *ends)
    groups = np.full(entrants, -1)
    groups[found.bots] = found.bots[made.linked]
    differences = np.full((entrants, entrants), np.nan)
    differences[np.ix_(found.bots, found.bots)] = _differences(made)
    return Ratings(
        tuple(ratings),
        groups,
        differences,
        scatter.free,
        tuple(lives.tolist()),
        None if scatter.misfit is None else round(scatter.misfit, 4),
        scatter.unordered,
    )


def _differences(made: Estimated) -> Floats:
    """Differences of strengths in standard errors; nan where bots are not compared."""
    own = np.diag(made.covariance)
    errors = np.sqrt(np.maximum(own[:, None] + own - 2 * made.covariance, 0))
    apart = made.strengths[:, None] - made.strengths
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(errors > 0, apart / errors, 0.0)
    found[made.linked[:, None] != made.linked] = np.nan
    np.fill_diagonal(found, np.nan)
    return np.asarray(found, np.float64)


def _elo(natural: float) -> float:
    return round(float(natural) * ELO, 1) + 0.0
