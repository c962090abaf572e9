"""How far results scatter round what strengths explain, in multiples of independent blocks. Pure.

Blocks that were played by the same processes hang together: a bot may be in a mood for as long as
it lives, or be benched for the rest of a match. What is counted is therefore the life, that is, a
match part: the square of the sum of its residuals. Where tables share their decks, so do results of
one deck, and what those have in common is added. Each bot has a dispersion of its own where its
results scatter more than the field's; where few of them are known, the field's stands in (as in
Smyth, Linear models and empirical Bayes methods, SAGMB 3, 2004).

One life more is thought added whose blocks hang together wholly, and results scatter no less than
those of independent blocks: so a few that happen to be alike do not pass for certainty.

Strengths cannot explain every field: in one of rock, paper and scissors each beats one and loses to
another. What pairs have beyond their strengths is compared with what scatters within them (an F
test); where it is far too much, line-ups take the place of lives, and intervals say how a bot does
against other opponents than those it happened to meet.
"""

from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import fdtrc

from ladder.stats.arrays import Floats, Ints, distinct
from ladder.stats.bradley_terry import Fit
from ladder.stats.matchups import Matchups, Tables

MISFIT: Final = 0.001
"""The risk to call a field unordered that strengths explain."""

_OWN: Final = 4.0
"""How many lives of a bot weigh as much as all that is known of the field."""
_MOST_LEVERAGE: Final = 0.999
_LEAST_DECIDED: Final = 1e-3
"""What part of comparisons is taken not to be level, where all are."""


class Dispersion(Struct, frozen=True):
    """The variance of results, in multiples of that of independent blocks.

    Attributes:
        field: of all bots together.
        bots: of each bot; nowhere less than the field's.
        lives: how many lives each bot has, by bot.
        free: degrees of freedom of the field's.
        misfit: how probable it is that strengths alone leave so much unexplained; None if that
            cannot be told.
    """

    field: float
    bots: Floats
    lives: Ints
    free: float
    misfit: float | None

    @property
    def unordered(self) -> bool:
        """Whether one number a bot does not order this field."""
        return self.misfit is not None and self.misfit < MISFIT


class Residuals(Struct, frozen=True):
    """What strengths leave unexplained at tables of one size.

    Attributes:
        table: the blocks.
        rest: what each bot won beyond expectation, blocks x places.
        usual: its variance, were all comparisons independent, blocks x places.
        leverage: what part of a block's residuals the fit has taken, by block.
    """

    table: Tables
    rest: Floats
    usual: Floats
    leverage: Floats


def dispersion(found: Matchups, fit: Fit, covariance: Floats) -> Dispersion:
    """Measure how far results scatter.

    Args:
        found: the comparisons.
        fit: the strengths.
        covariance: of the strengths, were all comparisons independent, bots x bots.
    """
    certain = _certainties(found, covariance)
    parts = [_residuals(table, fit, certain) for table in found.tables]
    misfit = _misfit(found, fit, certain)
    whole_lineups = misfit is not None and misfit < MISFIT
    clusters = [part.table.seen.lineup if whole_lineups else part.table.seen.life for part in parts]
    bots = len(found.bots)
    added = _Added(bots)
    for part, cluster in zip(parts, clusters, strict=True):
        added.add(part, cluster)
    deck, decks = _deck_effects(parts, bots)
    return added.dispersion(deck, decks, misfit)


def _certainties(found: Matchups, covariance: Floats) -> Floats:
    """The variance of the difference of the two sides of each pair, by pair."""
    size = len(covariance)
    padded = np.zeros((size + 1, size + 1))
    padded[:-1, :-1] = covariance
    columns = found.members.reshape(-1, 2 * found.members.shape[2]).T
    signs = np.repeat([1.0, -1.0], found.members.shape[2])
    total = np.zeros(len(found.members))
    for sign, column in zip(signs, columns, strict=True):
        for other_sign, other in zip(signs, columns, strict=True):
            total += sign * other_sign * padded[column, other]
    return total


def _residuals(table: Tables, fit: Fit, certain: Floats) -> Residuals:
    rest, usual = (np.zeros(table.bots.shape) for _ in range(2))
    leverage = np.zeros(len(table.bots))
    for met in table.meetings:
        chance = fit.chance[met.pair]
        expected = np.where(met.turned > 0, chance, 1 - chance)
        beyond = table.weight * ((met.ahead + 1) / 2 - expected)
        variance = table.weight * chance * (1 - chance)
        for sign, side in ((1, met.one), (-1, met.other)):
            for place in side:
                rest[:, place] += sign * beyond
                usual[:, place] += variance
        leverage += variance * certain[met.pair] / (table.sides - 1)
    return Residuals(table, rest, usual, leverage)


class _Added:
    """Adds lives up by bot, and those of the field."""

    def __init__(self, bots: int) -> None:
        self._bots = bots
        self._squares, self._usual, self._free = (np.zeros(bots) for _ in range(3))
        self._lives = np.zeros(bots, np.int64)
        self._weights: list[Floats] = []
        """By life, how far it is expected to scatter."""
        self._alike = 0.0
        """How far lives would scatter whose blocks hang together wholly."""
        self._least = 0.0
        """How far they would scatter if blocks were independent."""

    def add(self, part: Residuals, cluster: Ints) -> None:
        """Adds the blocks at tables of one size, clustered so."""
        life = np.unique(cluster, return_inverse=True)[1]
        count = int(life.max(initial=-1)) + 1
        left = 1 - np.minimum(np.bincount(life, part.leverage, count), _MOST_LEVERAGE)
        blocks = np.bincount(life, minlength=count)
        weights = np.zeros(count)
        self._least += float((part.usual * (_single_block(part.table) * left[life])[:, None]).sum())
        for place in range(part.rest.shape[1]):
            who = np.zeros(count, np.int64)
            who[life] = part.table.bots[:, place]
            squares = np.bincount(life, part.rest[:, place], count) ** 2
            usual = np.bincount(life, part.usual[:, place], count)
            self._squares += np.bincount(who, squares, self._bots)
            self._usual += np.bincount(who, usual * left, self._bots)
            self._free += np.bincount(who, left, self._bots)
            self._alike += float((usual * blocks).sum())
            weights += usual
        self._weights.append(weights)
        first = np.unique(part.table.seen.life, return_index=True)[1]  # whatever is clustered
        self._lives += np.bincount(part.table.bots[first].ravel(), minlength=self._bots)

    def dispersion(self, deck: Floats, decks: float, misfit: float | None) -> Dispersion:
        """The dispersion, from lives and from what decks have in common.

        Args:
            deck: products of residuals at different tables of a deck, by bot.
            decks: their degrees of freedom; infinite where tables do not share decks.
            misfit: see `Dispersion`.
        """
        weights = np.concatenate([np.zeros(0), *self._weights])
        usual = float(self._usual.sum())
        if not usual:
            return Dispersion(1.0, np.ones(self._bots), self._lives, 0.0, misfit)
        count = len(weights)
        squares = float(self._squares.sum()) + max(float(deck.sum()), 0.0)
        field = (squares + self._alike / count) / (usual + usual / count)
        field = max(field, self._least / usual)
        with np.errstate(invalid="ignore", divide="ignore"):
            single = np.where(self._usual > 0, (self._squares + deck) / self._usual, field)
        own = (_OWN * field + self._free * single) / (_OWN + self._free)
        equal = float(weights.sum() ** 2 / (weights**2).sum())  # so many lives of equal length
        left = usual / float(weights.sum())
        free = min(equal * left, decks)
        return Dispersion(float(field), np.maximum(field, own), self._lives, free, misfit)


def _single_block(table: Tables) -> float:
    """The dispersion of a single block: less than 1 where comparisons can be level.

    In a block with k sides two comparisons of a bot have a covariance of one twelfth, if all are
    equally strong; one has a variance of a quarter.
    """
    level = np.mean([met.ahead == 0 for met in table.meetings])
    return float(table.weight * (1 + (table.sides - 2) / 3) * max(1 - level, _LEAST_DECIDED))


def _deck_effects(parts: list[Residuals], bots: int) -> tuple[Floats, float]:
    """Return products of a bot's residuals at different tables of a deck, and degrees of freedom.

    Bots are pooled, so these are those of an interaction: decks less one times bots less one. Where
    no two tables share a deck there are no products, and their freedom has no bound.
    """
    index = np.concatenate([np.zeros(0, np.int64), *(part.table.seen.block for part in parts)])
    decks = distinct(index)
    if len(decks) == len(index):
        return np.zeros(bots), float("inf")
    summed, squares = np.zeros(len(decks) * bots), np.zeros(bots)
    for part in parts:
        deck = np.searchsorted(decks, part.table.seen.block)
        for place in range(part.rest.shape[1]):
            who, rest = part.table.bots[:, place], part.rest[:, place]
            summed += np.bincount(deck * bots + who, rest, len(summed))
            squares += np.bincount(who, rest**2, bots)
    products = (summed.reshape(len(decks), bots) ** 2).sum(axis=0) - squares
    free = len(decks) - 1
    return products * (len(decks) / max(free, 1)), float(free * (bots - 1))


def _misfit(found: Matchups, fit: Fit, certain: Floats) -> float | None:
    """How probable so much between pairs is, by what scatters within them; None: unknown."""
    rest = found.won - found.weight * fit.chance
    usual = found.weight * fit.chance * (1 - fit.chance)
    left = 1 - np.minimum(usual * certain, _MOST_LEVERAGE)
    free_between = float(left.sum()) if len(left) > 1 else 0.0
    within, free_within = 0.0, -len(left)
    for table in found.tables:
        life = np.unique(table.seen.life, return_inverse=True)[1]
        count = int(life.max(initial=-1)) + 1
        for met in table.meetings:
            chance = fit.chance[met.pair]
            ahead = (met.turned * met.ahead + 1) / 2
            pair = np.zeros(count, np.int64)
            pair[life] = met.pair
            beyond = np.bincount(life, table.weight * (ahead - chance), count)
            weight = np.bincount(life, table.weight * chance * (1 - chance), count)
            within += float(((beyond - weight * rest[pair] / usual[pair]) ** 2 / weight).sum())
            free_within += count
    if free_between < 1 or free_within < 1:
        return None
    between = float((rest**2 / usual).sum())
    least = min(map(_single_block, found.tables))  # alike as they may be, results are of chance
    ratio = between / free_between / max(within / free_within, least)
    return float(fdtrc(free_between, free_within, ratio))
