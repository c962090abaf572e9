"""Block points, the cross-table, means and variances of what was observed. Pure."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ladder.bootstrap import bundles
from ladder.numbering import Flags, Floats, Ints, distinct
from ladder.observed import Observed


class Cross(Struct, frozen=True):
    """Bots against bots, by entrant; the row's point of view.

    Bots are compared in blocks that count for both, so that a pair's two cells say the same; points
    are from all that count for the bot.

    Attributes:
        difference: the mean over blocks, n x n: of the deal value where there are two sides, of
            the difference of the deal values where there are more. 0 where nothing was played.
        won: blocks, n x n.
        level: blocks, n x n.
        lost: blocks, n x n.
        points: block points, n: the share of its opponents that a bot is ahead of, block by
            block; level counts half.
    """

    difference: Floats
    won: Ints
    level: Ints
    lost: Ints
    points: Floats


def cross(seen: Sequence[Observed], bots: int, *, adjusted: bool = False) -> Cross:
    """Compares every bot with every other.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        adjusted: whether luck is taken out before blocks are decided.
    """
    size = bots * bots
    total = np.zeros(size)
    decided = np.zeros((3, size), np.int64)
    points, whole = np.zeros(bots), common(seen)
    for part in seen:
        scored = part.scored(adjusted=adjusted)
        for one, other in part.pairs():
            counts = part.counts[:, one]
            ahead = scored[:, one] - scored[:, other]
            share = (np.sign(ahead[counts]) + 1) / (2 * len(part.opposed[one]))
            points += np.bincount(part.bots[counts, one], share, bots)
            both = counts & part.counts[:, other]
            at = part.bots[both, one] * bots + part.bots[both, other]
            value = (scored[:, one] if part.two_sided else ahead)[both]
            total += np.bincount(at, value * (whole // part.deals[both]), size)
            for way, sign in enumerate((1, 0, -1)):
                decided[way] += np.bincount(at[np.sign(ahead[both]) == sign], minlength=size)
    blocks = np.maximum(decided.sum(axis=0), 1)
    won, level, lost = decided.reshape(3, bots, bots)
    return Cross((total / (1000 * whole * blocks)).reshape(bots, bots), won, level, lost, points)


class Clusters(Struct, frozen=True):
    """Sums by block, or bundle of blocks, and entrant: what a bootstrap over blocks draws from.

    All tables play the same decks, so what happens in one block is drawn or left out together.

    Attributes:
        count: observations, blocks x bots.
        value: sum of the deal values a deal, blocks x bots.
        luck: sum of the luck a deal, blocks x bots.
        deals: how many deals there were in all, by bot.
    """

    count: Floats
    value: Floats
    luck: Floats
    deals: Ints


def clusters(seen: Sequence[Observed], bots: int, *, bundled: bool = False) -> Clusters:
    """Adds up what counts.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        bundled: whether to add up by what is drawn together, not by block.
    """
    index = distinct(np.concatenate([np.zeros(0, np.int64), *(part.block for part in seen)]))
    unit = bundles(len(index)) if bundled else np.arange(len(index))
    units = int(unit.max(initial=-1)) + 1
    size = units * bots
    whole = common(seen)
    count, value, luck = np.zeros(size), np.zeros(size), np.zeros(size)
    deals = np.zeros(bots, np.int64)
    for part in seen:
        where = unit[np.searchsorted(index, part.block)][:, None] * bots + part.bots
        at = where[part.counts]
        count += np.bincount(at, minlength=size)
        times = whole // part.deals[:, None]
        value += np.bincount(at, (part.values * times)[part.counts], size)
        luck += np.bincount(at, (part.luck * times)[part.counts], size)
        every = np.broadcast_to(part.deals[:, None], part.bots.shape)[part.counts]
        deals += np.bincount(part.bots[part.counts], every, bots).astype(np.int64)
    shape = (units, bots)
    return Clusters(
        count.reshape(shape),
        value.reshape(shape) / whole,
        luck.reshape(shape) / (1000 * whole),
        deals,
    )


def common(seen: Sequence[Observed]) -> int:
    """A number of deals that those of all blocks divide.

    Means over it are whole numbers, so that sums are exact, and equal in whatever order.
    """
    deals = np.concatenate([np.ones(1, np.int64), *(distinct(part.deals) for part in seen)])
    return int(np.lcm.reduce(deals))


class Spread(Struct, frozen=True):
    """Squared distances from the mean of each line-up, summed by bot.

    Attributes:
        raw: of the deal value a deal, n.
        adjusted: of that with luck taken out, n.
        free: how many of them are free: blocks less line-ups, n.
    """

    raw: Floats
    adjusted: Floats
    free: Ints


def spread(seen: Sequence[Observed], bots: int) -> Spread:
    """How far blocks scatter, the strength of opponents aside."""
    raw, adjusted, free = np.zeros(bots), np.zeros(bots), np.zeros(bots, np.int64)
    for part in seen:
        for place in range(part.bots.shape[1]):
            counts = part.counts[:, place]
            group, who = part.lineup[counts], part.bots[counts, place]
            value = part.means[counts, place]
            less = value - part.mean_luck[counts, place]
            raw += np.bincount(who, _squares(value, group), bots)
            adjusted += np.bincount(who, _squares(less, group), bots)
            holder = np.full(int(group.max(initial=-1)) + 1, -1)
            holder[group] = who
            groups = np.bincount(holder[holder >= 0], minlength=bots)
            free += np.bincount(who, minlength=bots) - groups
    return Spread(raw, adjusted, free)


def _squares(values: Floats, group: Ints) -> Floats:
    """The squared distance of each value from the mean of its group."""
    mean = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    squares: Floats = (values - mean[group]) ** 2
    return squares


def lucky(seen: Sequence[Observed], bots: int) -> Flags:
    """Whose luck was counted in all blocks that count for it, n."""
    missing = np.zeros(bots)
    for part in seen:
        missing += np.bincount(part.bots[part.counts & ~part.lucky[:, None]], minlength=bots)
    counted: Flags = missing == 0
    return counted
