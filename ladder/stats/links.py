"""Which bots results link: what two groups without a common table say of each other. Pure."""

import numpy as np

from ladder.stats.arrays import Ints


def linked_groups(pairs: Ints, bots: int) -> Ints:
    """Return a number for each bot, equal where a chain of results leads from one to the other.

    Args:
        pairs: bots that were compared, one pair a row.
        bots: how many there are.

    Returns:
        The lowest number of a bot in the same group, by bot.
    """
    group = np.arange(bots)
    while len(pairs):
        lowest = group.copy()
        for one, other in (pairs.T, pairs.T[::-1]):
            np.minimum.at(lowest, one, group[other])
        lowest = lowest[lowest]
        if (lowest == group).all():
            break
        group = lowest
    return group
