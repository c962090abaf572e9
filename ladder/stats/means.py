"""Block points, the cross-table and variances of what was observed. Pure."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ladder.stats.arrays import Flags, Floats, Ints, distinct
from ladder.stats.observations import Observed


class Cross(Struct, frozen=True):
    """Bots against bots, by entrant; the row's point of view.

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
    """Compare every bot with every other, as the cards say.

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
        scored = part.by_cards(adjusted=adjusted)
        for one, other in part.pairs():
            ahead = scored[:, one] - scored[:, other]
            share = (np.sign(ahead) + 1) / (2 * len(part.opposed[one]))
            points += np.bincount(part.bots[:, one], share, bots)
            at = part.bots[:, one] * bots + part.bots[:, other]
            value = scored[:, one] if part.two_sided else ahead
            total += np.bincount(at, value * (whole // part.deals), size)
            for way, sign in enumerate((1, 0, -1)):
                decided[way] += np.bincount(at[np.sign(ahead) == sign], minlength=size)
    blocks = np.maximum(decided.sum(axis=0), 1)
    won, level, lost = decided.reshape(3, bots, bots)
    return Cross((total / (1000 * whole * blocks)).reshape(bots, bots), won, level, lost, points)


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
            group, who = part.lineup, part.bots[:, place]
            value = part.means[:, place]
            less = value - part.mean_luck[:, place]
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
    """Whose luck was counted in all its blocks, n."""
    missing = np.zeros(bots)
    for part in seen:
        missing += np.bincount(part.bots[~part.lucky].ravel(), minlength=bots)
    counted: Flags = missing == 0
    return counted
