"""Two bots and the match parts that they played: by how much one is better, and how sure. Pure.

What is counted is the life of processes, a match part, with the mean of its blocks; intervals are
Student's over parts. They hold for a number of parts that was fixed beforehand; where the parts
themselves decided when to stop, the mean is further from 0 than it should be, and only the interval
of `ladder.stats.confidence_sequence` holds.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from ladder.stats.arrays import Floats, Ints
from ladder.stats.estimates import Estimate, rounded
from ladder.stats.observations import Observed, against
from ladder.stats.ratings import rate
from ladder.stats.student import chance_above, means
from referee.match.outcome import BlockResult

Part = Sequence[BlockResult]
"""The blocks that one set of processes played."""


class Versus(Struct, frozen=True):
    """A against B.

    Attributes:
        parts: match parts.
        unplayed: deals charged to either that were not played.
        mean: A's mean deal value a deal: by how many card points it is ahead.
        luck: what of the mean chance alone brought; None where that was not counted.
        adjusted: the mean with luck taken out.
        gain: the variance of blocks with luck taken out, as a part of what it was; None where luck
            was not counted, or where all blocks are alike.
        won: blocks with A ahead.
        level: blocks with neither ahead.
        lost: blocks with B ahead.
        elo: A's rating less B's, by blocks won, level and lost.
        los: the likelihood of superiority: how probable it is that A's true mean is above 0;
            None after a single part.
    """

    parts: int
    blocks: int
    deals: int
    unplayed: tuple[int, int]
    mean: Estimate
    luck: float | None
    adjusted: Estimate | None
    gain: float | None
    won: int
    level: int
    lost: int
    elo: Estimate
    los: float | None


def lead(part: Part) -> float:
    """Return by how much A was ahead in a match part: its mean deal value.

    Deal values of two sides add up to 0 unless a partner of a bot at fault plays on; half the
    difference is A's value then too.
    """
    return sum(one.values[0] - one.values[1] for one in part) / sum(2 * one.deals for one in part)


def observed_in(parts: Sequence[Part]) -> Observed:
    """The blocks of parts that are equally long, of which there is at least one, as arrays."""
    blocks = _ordered(parts)
    count, zeros = len(blocks), (0, 0)
    opposed, two_sided = against(2, ())
    return Observed(
        bots=np.tile(np.array([0, 1]), (count, 1)),
        lineup=np.zeros(count, np.int64),
        block=np.arange(count),
        life=np.arange(count) // len(parts[0]),
        begun=np.zeros(count, np.int64),
        deals=np.array([one.deals for one in blocks]),
        values=np.array([one.values for one in blocks]),
        luck=np.array([one.luck or zeros for one in blocks]),
        lucky=np.array([bool(one.luck) for one in blocks], np.bool_),
        at_fault=np.array([one.at_fault for one in blocks], np.bool_),
        met=np.array([one.meetings or (zeros, zeros) for one in blocks]),
        known=np.array([bool(one.meetings) for one in blocks], np.bool_),
        opposed=opposed,
        two_sided=two_sided,
    )


def _ordered(parts: Sequence[Part]) -> list[BlockResult]:
    return sorted((block for part in parts for block in part), key=lambda one: one.block)


def versus(parts: Sequence[Part]) -> Versus:
    """Compare two bots by the parts that they played, of which there is at least one."""
    ordered, seen = _ordered(parts), observed_in(parts)
    length, life = len(parts[0]), seen.life
    raw, chance = _leads(ordered), _luck(ordered)
    adjusted = None if chance is None else raw - chance
    won, level, lost = (int((np.sign(raw) == sign).sum()) for sign in (1, 0, -1))
    return Versus(
        parts=len(parts),
        blocks=len(ordered),
        deals=sum(one.deals for one in ordered),
        unplayed=_unplayed(ordered),
        mean=_mean(raw, life),
        luck=None if chance is None else rounded(chance.mean(), 3),
        adjusted=None if adjusted is None else _mean(adjusted, life),
        gain=None if adjusted is None else _gain(raw, adjusted),
        won=won,
        level=level,
        lost=lost,
        elo=_elo(seen),
        los=_superiority(raw, life, ordered[0].deals * length),
    )


def _leads(blocks: Part) -> Floats:
    return np.array([lead([one]) for one in blocks])


def _luck(blocks: Part) -> Floats | None:
    """What of leads chance alone brought; None unless it was counted in all blocks."""
    if not all(one.luck for one in blocks):
        return None
    return np.array([(one.luck[0] - one.luck[1]) / (2000 * one.deals) for one in blocks])


def _unplayed(blocks: Part) -> tuple[int, int]:
    one, other = (sum(block.unplayed[at] for block in blocks if block.unplayed) for at in (0, 1))
    return one, other


def _mean(values: Floats, life: Ints) -> Estimate:
    found = means(values, np.zeros(len(values), np.int64), 1, (life,))
    low, high = found.interval(0) or (None, None)
    ends = (None if end is None else rounded(end, 3) for end in (low, high))
    return Estimate(rounded(found.value[0], 3), *ends)


def _elo(seen: Observed) -> Estimate:
    """The difference of the ratings of the two, which have the mean 0."""
    found = rate([seen], 2).strengths[0]
    assert found is not None  # noqa: S101  # both have played
    low, high = (None if end is None else rounded(2 * end, 1) for end in (found.low, found.high))
    return Estimate(rounded(2 * found.value, 1), low, high)


def _gain(raw: Floats, adjusted: Floats) -> float | None:
    variance = raw.var()
    return round(float(adjusted.var() / variance), 3) if variance else None


def _superiority(raw: Floats, life: Ints, deals: int) -> float | None:
    """Return how much of Student's distribution is above 0: what the parts leave, no more known.

    A value is counted in steps, and is taken to be spread over one: else parts that are all alike
    would leave no doubt.

    Args:
        raw: A's mean deal value in each block.
        life: the part of each block; all parts are equally long.
        deals: how many deals a part has.
    """
    count = int(life[-1]) + 1
    if count == 1:
        return None
    parts = np.bincount(life, raw) / np.bincount(life)
    step = 1 / (2 * deals)
    error = np.sqrt((parts.var(ddof=1) + step**2 / 12) / count)
    return round(float(chance_above(np.asarray(parts.mean()), error, count - 1)), 4)
