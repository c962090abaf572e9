"""How much better or worse than par a person plays: an own rating, apart from that of bots. Pure.

Par is what a bot of ours gets with the same cards, against the same opponents, so luck and the
strength of opponents fall out of the difference. Each deal has cards of its own; all that is
assumed beside that is that a person plays equally well throughout. A person looks at it after every
match and stops when they like, so the interval is one that holds all the time
(`ladder.stats.confidence_sequence`).

What counts is a match of a single deal: all processes are new in it, those of par as well, so deals
do not hang together, and between deals there is nothing to choose. It counts once it is dealt:
where the person leaves in its midst, the bot that makes par plays it to its end, and from there on
differs from par by luck alone. So to leave cannot lift anyone above par.
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
    """Return what deals say; none say nothing. One that differs by more counts as the bound.

    Args:
        deals: how many differed by how much from par; their order does not matter.
        bound: by how much a deal can differ at most.
    """
    values = np.repeat(list(deals), list(deals.values())) if deals else np.zeros(0)
    values = np.clip(values, -bound, bound)
    low, high = interval(values, bound)
    mean = float(values.mean()) if len(values) else 0.0
    return AbovePar(len(values), mean, low, high)
