"""Two bots and the blocks that they played: by how much one is better, and how sure that is. Pure.

All intervals are those of a bootstrap over blocks (`ladder.bootstrap`). They hold for a number of
blocks that was fixed beforehand; where the blocks themselves decided when to stop, the mean is
further from 0 than it should be, and only the interval of `ladder.sequential` holds.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from scipy.special import stdtr

from ladder.bootstrap import MOST_UNITS, interval, samples, seed_of
from ladder.choices import Orders, choices
from ladder.numbering import Floats
from ladder.rating import ELO, strengths
from ladder.scoreboard import Estimate
from referee.workers.jobs import BlockResult


class Versus(Struct, frozen=True):
    """A against B.

    Attributes:
        mean: A's mean deal value a deal: by how many card points it is ahead.
        luck: what of the mean chance alone brought; None where that was not counted.
        adjusted: the mean with luck taken out.
        gain: the variance of blocks with luck taken out, as a part of what it was; None where luck
            was not counted, or where all blocks are alike.
        won: blocks with A ahead.
        level: blocks with nobody ahead.
        lost: blocks with B ahead.
        elo: A's rating less B's, by blocks won, level and lost.
        los: the likelihood of superiority: how probable it is that A's true mean is above 0;
            None after a single block.
    """

    blocks: int
    deals: int
    mean: Estimate
    luck: float | None
    adjusted: Estimate | None
    gain: float | None
    won: int
    level: int
    lost: int
    elo: Estimate
    los: float | None


def leads(blocks: Sequence[BlockResult]) -> Floats:
    """By how much A was ahead in each block: its mean deal value.

    Deal values of two sides add up to nought unless a partner of who was at fault plays on; half
    the difference is A's value then too.
    """
    return np.array([(one.values[0] - one.values[1]) / (2 * one.deals) for one in blocks])


def luck(blocks: Sequence[BlockResult]) -> Floats | None:
    """What of `leads` chance alone brought; None unless it was counted in all blocks."""
    if not all(one.luck for one in blocks):
        return None
    return np.array([(one.luck[0] - one.luck[1]) / (2000 * one.deals) for one in blocks])


def versus(blocks: Sequence[BlockResult]) -> Versus:
    """Compares two bots by their blocks, of which there is at least one; in any order."""
    ordered = sorted(blocks, key=lambda one: one.block)
    raw, chance = leads(ordered), luck(ordered)
    columns = np.column_stack((raw, raw if chance is None else raw - chance))
    seed = seed_of((np.abs(raw),))
    drawn = samples(columns, np.ones_like(columns), seed)
    middle, adjusted = columns.mean(axis=0).tolist()
    won, level, lost = (int((np.sign(raw) == sign).sum()) for sign in (1, 0, -1))
    return Versus(
        blocks=len(ordered),
        deals=sum(one.deals for one in ordered),
        mean=_measure(middle, drawn[0], len(ordered), 3),
        luck=None if chance is None else round(float(chance.mean()), 3) + 0.0,
        adjusted=None if chance is None else _measure(adjusted, drawn[1], len(ordered), 3),
        gain=None if chance is None else _gain(columns),
        won=won,
        level=level,
        lost=lost,
        elo=_elo(raw),
        los=_superiority(raw, ordered[0].deals),
    )


def _elo(raw: Floats) -> Estimate:
    """The difference of the ratings of the two."""
    count = len(raw)
    bots = np.tile(np.array([0, 1]), (count, 1))[:, :, None]
    ahead = np.sign(raw).astype(np.int64)
    taken = choices([Orders(np.arange(count), bots, np.column_stack((ahead, -ahead)))], 2)
    values, drawn = strengths(taken)
    return _measure((values[0] - values[1]) * ELO, (drawn[0] - drawn[1]) * ELO, count, 1)


def _gain(columns: Floats) -> float | None:
    raw, adjusted = columns.var(axis=0)
    return round(float(adjusted / raw), 3) if raw else None


def _superiority(raw: Floats, deals: int) -> float | None:
    """How much of Student's distribution is above 0: what the blocks leave, nothing else known.

    A value is counted in steps, and is taken to be spread over one: else blocks that are all alike
    would leave no doubt.
    """
    count = len(raw)
    if count == 1:
        return None
    step = 1 / (2 * deals)
    error = np.sqrt((raw.var(ddof=1) + step**2 / 12) / count)
    return round(float(stdtr(count - 1, raw.mean() / error)), 4)


def _measure(value: float, drawn: Floats, blocks: int, digits: int) -> Estimate:
    ends = interval(drawn, min(blocks, MOST_UNITS)).tolist() if blocks > 1 else (None, None)
    low, high = (None if end is None else round(float(end), digits) + 0.0 for end in ends)
    return Estimate(round(float(value), digits) + 0.0, low, high)
