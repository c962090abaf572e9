"""How much better or worse than par a person plays: an own rating, apart from that of bots. Pure.

Par is what a bot of ours gets with the same cards, against the same opponents, so luck and the
strength of opponents fall out of the difference. Each deal has cards of its own; all that is
assumed beside that is that a person plays equally well throughout. A person looks at it after every
match and stops when they like, so the interval is one that holds all the time
(`ladder.stats.confidence_sequence`).

A deal counts once it is dealt: where the person leaves in its midst, that bot plays it to its end.
From there on it differs from par by nothing that the person could choose, so that leaving what goes
badly gains nothing.
"""

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from ladder.stats.confidence_sequence import interval


class AbovePar(Struct, frozen=True):
    """What a person's deals of a game say.

    Attributes:
        deals: how many.
        mean: of deal value less par's.
        low: where the 95 % interval of the true mean begins.
        high: where it ends.
    """

    deals: int
    mean: float
    low: float
    high: float


def above_par(deals: Mapping[int, int], bound: int) -> AbovePar:
    """Return what deals say; none say nothing.

    Args:
        deals: how many differed by how much from par; their order does not matter.
        bound: by how much a deal can differ at most.

    Raises:
        ValueError: one differs by more.
    """
    values = np.repeat(list(deals), list(deals.values())) if deals else np.zeros(0)
    low, high = interval(values, bound)
    mean = float(values.mean()) if len(values) else 0.0
    return AbovePar(len(values), mean, low, high)
