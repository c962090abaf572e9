"""Ratings of an event, fitted to all its blocks at once, with intervals by a bootstrap. Pure.

Nothing depends on the order in which blocks were played or written down, and numbers are rounded:
whoever has the log gets the same table. What is fitted is said in `ladder.strengths`, what counts
in `ladder.choices`, how blocks are drawn in `ladder.bootstrap`.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import ndtri, stdtr
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has no types

from ladder.bootstrap import LEVEL, REPLICATES, intervals, uniforms, weights
from ladder.choices import PRIOR, Choices, Orders, choices
from ladder.numbering import Flags, Floats, Ints
from ladder.observed import Observed
from ladder.scoreboard import Estimate
from ladder.strengths import Fit

ELO: Final = 400 / math.log(10)
"""Elo in one natural unit: with 400 more a bot wins ten blocks for each that it loses."""

_LEAST: Final = 1e-4
"""The least weight of the prior; with none at all nothing would hold a bot without a loss."""

Better = tuple[tuple[float | None, ...], ...]


class Ratings(Struct, frozen=True):
    """What the blocks say of the entrants, by number.

    Attributes:
        strengths: on the scale of Elo; the mean of those who played is 0, None for who did not.
        better: how probable it is that the row's bot is the better of the two; None on the
            diagonal, and where one did not play.
        places: the first and the last place that each may claim.
    """

    strengths: tuple[Estimate | None, ...]
    better: Better
    places: tuple[tuple[int, int], ...]


_LEVEL_WITHIN: Final = 1e-6
"""Natural units: far more than a fit is wrong by, far less than a replicate moves."""


def rate(
    seen: Sequence[Observed], bots: int, *, adjusted: bool = False, replicates: int = REPLICATES
) -> Ratings:
    """Rates the entrants of a section.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        adjusted: whether luck is taken out before a block is decided.
        replicates: how often blocks are drawn.
    """
    orders = [found for part in seen for found in orders_of(part, adjusted=adjusted)]
    return rate_orders(orders, bots, replicates)


def rate_orders(orders: Sequence[Orders], bots: int, replicates: int = REPLICATES) -> Ratings:
    """As `rate`, for blocks as arrays."""
    taken = choices(orders, bots)
    values, samples = strengths(taken, replicates)
    who = {int(bot): at for at, bot in enumerate(taken.bots)}
    found: list[Estimate | None] = [None] * bots
    ends = intervals(samples, taken.units)
    for bot, at in who.items():
        low, high = ends[:, at].tolist()
        found[bot] = Estimate(_elo(values[at]), _elo(low), _elo(high))
    shares = with_doubt(chances(samples), taken.units)
    better = _by_bot(shares, taken.bots.tolist(), bots)
    return Ratings(tuple(found), better, places(better))


def _by_bot(shares: Floats, present: Sequence[int], bots: int) -> Better:
    """Chances by entrant; None on the diagonal, and where one did not play."""
    found: list[list[float | None]] = [[None] * bots for _ in range(bots)]
    for one, row in zip(present, shares.tolist(), strict=True):
        for other, share in zip(present, row, strict=True):
            found[one][other] = None if one == other else round(share, 4)
    return tuple(map(tuple, found))


def strengths(taken: Choices, replicates: int = REPLICATES) -> tuple[Floats, Floats]:
    """Strengths in natural units, and what they are in each replicate, by bot that was seen."""
    # many small systems: on several cores at once they take five times as long
    with threadpool_limits(limits=1, user_api="blas"):
        return _strengths(taken, replicates)


def _strengths(taken: Choices, replicates: int) -> tuple[Floats, Floats]:
    fit = Fit(taken)
    usual = np.ones((taken.drawn + PRIOR, 1))
    usual[taken.drawn :] = 0.5
    values = fit.strengths(usual)[:, 0]
    # half a win, half a loss: the weights of the blocks are gamma variates of shape 1, these of 1/2
    prior = hashlib.sha256(taken.seed + b"prior").digest()
    drawn = np.concatenate(
        (
            weights(taken.drawn, replicates, taken.seed),
            np.maximum(ndtri(uniforms((PRIOR, replicates), prior)) ** 2 / 2, _LEAST),
        )
    )
    return values, fit.strengths(drawn, values)


def chances(samples: Floats) -> Floats:
    """In what share of the replicates the row's bot is better than the column's; never all.

    What differs by less than a fit is exact is level, which is half a share each.
    """
    ahead: Floats = np.zeros((len(samples), len(samples)))
    for row, one in enumerate(samples):
        apart = one - samples
        ahead[row] = np.where(np.abs(apart) < _LEVEL_WITHIN, 0.0, np.sign(apart)).sum(axis=1)
    ahead /= 2 * (samples.shape[1] + 1)
    return ahead + 0.5


def with_doubt(shares: Floats, units: Ints) -> Floats:
    """Chances that allow for how few blocks there are, as a t-test does; of one, nothing follows.

    Args:
        shares: of the replicates, by pair.
        units: how many blocks, of different decks, each has played.
    """
    blocks = np.minimum.outer(units, units)
    free = np.maximum(blocks - 1, 1)
    doubted = stdtr(free, ndtri(shares) * np.sqrt(free / (free + 2)))
    return np.asarray(np.where(blocks > 1, doubted, 0.5), np.float64)


def places(better: Better) -> tuple[tuple[int, int], ...]:
    """The places that each bot may claim, beginning with 1.

    It stands below those that are better with 97.5 %, and above those that it is better than with
    as much; the places of bots that cannot be told apart overlap. Each comparison stands by itself:
    among many bots some will be told apart by chance.
    """
    sure = 1 - (1 - LEVEL) / 2
    chances = np.array([[chance or 0.0 for chance in row] for row in better])
    ahead = chances.reshape(len(better), len(better)) >= sure
    above, below = ahead.sum(axis=0), ahead.sum(axis=1)
    return tuple(
        (1 + one, len(better) - other)
        for one, other in zip(above.tolist(), below.tolist(), strict=True)
    )


def orders_of(part: Observed, *, adjusted: bool = False) -> Iterator[Orders]:
    """Blocks as orders: of the sides at tables, and of those who were at fault.

    The latter came last at a table of reference bots, since at tables of three and more such a
    block counts for the bot at fault only.
    """
    places = range(len(part.opposed))
    sides = sorted(
        {tuple(set(places).difference(others)) for others in part.opposed}  # partners, and itself
    )
    if len({len(side) for side in sides}) != 1:
        raise ValueError(f"sides of different sizes: {sides}")
    scored = part.scored(adjusted=adjusted)
    whole: Flags = np.logical_and.reduce(part.counts, axis=1)
    if whole.any():
        bots = np.stack([part.bots[whole][:, side] for side in sides], axis=1)
        scores = np.stack([scored[whole][:, side].sum(axis=1) for side in sides], axis=1)
        yield Orders(part.block[whole], bots, scores)
    row, place = np.nonzero(part.counts & ~whole[:, None])
    if len(row):
        bots = np.full((len(row), len(sides), 1), -1)
        bots[:, 0, 0] = part.bots[row, place]
        scores = np.ones((len(row), len(sides)), np.int64)
        scores[:, 0] = 0
        yield Orders(part.block[row], bots, scores)


def _elo(natural: float) -> float:
    return round(float(natural) * ELO, 1) + 0.0
