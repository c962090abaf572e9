"""Who is certainly better than whom in a division, however long it was watched. Pure.

Two bots are compared by the matches in which they sat against each other: a match is one
observation, the mean of its blocks, since its processes live for all of them. The two stay the same
programs, so all that is assumed is that the true mean of these matches is a common one; in games of
three and more, with any others who sit there. Which matches are chosen, how many there are,
and when a season ends may depend on all that was played: the intervals hold all the time
(`ladder.stats.confidence_sequence`), and for all pairs of a division together, since each has an
equal part of the risk (Bonferroni).

What decides is what the cards say: what stand-ins took for bots at fault
(`ladder.stats.observations.by_cards`), luck left in, since values less luck have no bound.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ladder.stats.arrays import Flags, Floats
from ladder.stats.confidence_sequence import ALPHA, interval
from ladder.stats.observations import Observed


def certainly_ahead(seen: Observed, bots: Sequence[int], bound: int, alpha: float = ALPHA) -> Flags:
    """Return who is certainly better than whom, n x n: the row's bot than the column's.

    The chance that any of it is said wrongly, at any time, is `alpha` at most.

    Args:
        seen: the blocks.
        bots: the numbers of the n bots that are compared, as `seen` has them.
        bound: the largest value that a block can have between two bots, and less its smallest.
        alpha: the risk.
    """
    found: Flags = np.zeros((len(bots), len(bots)), np.bool_)
    pairs = len(bots) * (len(bots) - 1) / 2
    for one, other in combinations(range(len(bots)), 2):
        values = leads(seen, bots[one], bots[other])
        low, high = interval(np.clip(values, -bound, bound), bound, alpha / pairs)
        found[one, other], found[other, one] = low > 0, high < 0
    return found


def leads(seen: Observed, one: int, other: int) -> Floats:
    """Return by how much a bot was ahead of another in each match, in deal values a deal."""
    scored = seen.by_cards(adjusted=False) / (1000 * seen.deals[:, None])
    ahead, life = [], []
    for at, against in seen.pairs():
        sat = (seen.bots[:, at] == one) & (seen.bots[:, against] == other)
        value = scored[sat, at]
        ahead.append(value if seen.two_sided else value - scored[sat, against])
        life.append(seen.life[sat])
    _, match = np.unique(np.concatenate(life), return_inverse=True)
    count = np.bincount(match)
    return np.bincount(match, np.concatenate(ahead)) / np.maximum(count, 1)


def movers(ahead: Flags, most: int) -> tuple[list[int], list[int]]:
    """Return who goes up and who goes down.

    Up goes who is certainly among the first `most`: ahead of all others but `most` - 1; down
    likewise. Of a division that is no larger than that, none moves.

    Args:
        ahead: who is certainly better than whom, as `certainly_ahead` has it.
        most: how many may go either way.
    """
    beaten = len(ahead) - most
    if beaten <= 0:
        return [], []
    up = np.flatnonzero(ahead.sum(axis=1) >= beaten)
    down = np.flatnonzero(ahead.sum(axis=0) >= beaten)
    return up.tolist(), down.tolist()
