"""The strengths that explain choices best, for many weightings of the blocks at once. Pure.

The model is that of Plackett and Luce, for two sides that of Bradley and Terry: of the sides that
are left, one is chosen in proportion to exp(strength). The strength of a side is the sum of its
bots' (Huang, Lin and Weng, Ranking individuals by group comparisons, JMLR 9, 2008).

The likelihood has one maximum, which Newton's method finds from anywhere with the step length of
Sun and Tran-Dinh (Generalized self-concordant functions, Mathematical Programming 178, 2019): the
third derivative of a log of sums of exponentials is at most the second, times how far apart the
step takes the sides. `scipy.optimize` fits one weighting at a time; here hundreds share all work
but a small linear system each. A test compares the two. The mean of the strengths is 0, which is
also that of the reference: so who loses to it falls below the others, and does not lift them all.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import combinations, pairwise
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array

from ladder.choices import Bag, Choices, Counts
from ladder.numbering import Floats, Ints

_NEAR: Final = 1e-3
"""A step no longer than this is the last one: what is wrong after it is its square."""
_MOST_STEPS: Final = 100
_WEAKEST: Final = -700.0
"""Natural units: exp of it is still a normal number."""
_MOST_NUMBERS: Final = 4_000_000
"""How many numbers of weightings that are fitted together there may be; they end together."""
_AT_ONCE: Final = 1_000_000
"""How many numbers are worked on at once, which caches should hold."""
_THREADS: Final = 2


class Fit:
    """Fits strengths to choices."""

    def __init__(self, choices: Choices) -> None:
        """Prepares what all weightings share."""
        self._choices = choices
        holders = _holders(choices.partners)
        self._bags = tuple(_prepared(bag, holders) for bag in choices.bags)

    def strengths(self, weights: Floats, start: Floats | None = None) -> Floats:
        """The strengths in natural units, bots x weightings; their mean is that of the reference.

        Args:
            weights: of the units, the prior's last; units x weightings.
            start: where to begin, by bot; the mean is 0.
        """
        bots = len(self._choices.bots)
        if not bots:
            return np.zeros((0, weights.shape[1]))
        begin = np.zeros(bots) if start is None else start
        most = max(bots * bots, *(bag.members.size for bag in self._bags))
        parts = _sliced(weights, max(_MOST_NUMBERS // most, 1))
        slices = max(_AT_ONCE // most, 1)
        if len(parts) == 1:
            return self._some(parts[0], begin, slices)
        with ThreadPoolExecutor(_THREADS) as threads:  # the parts do not depend on each other
            found = threads.map(lambda part: self._some(part, begin, slices), parts)
            return np.concatenate([*found], axis=1)

    def _some(self, weights: Floats, start: Floats, slices: int) -> Floats:
        """As `strengths`, all with equally many steps, `slices` of them worked on at once."""
        parts = [self._begun(part, start) for part in _sliced(weights, slices)]
        for _ in range(_MOST_STEPS):
            if max([self._moved(part) for part in parts]) <= _NEAR:
                return np.concatenate([part.found for part in parts], axis=1)
        raise AssertionError("a fit did not end")  # the method always does

    def _begun(self, weights: Floats, start: Floats) -> "_Part":
        return _Part(
            np.repeat(start[:, None], weights.shape[1], axis=1),
            self._choices.partners.T @ (self._choices.chosen @ weights),
            tuple(bag.counts @ weights for bag in self._bags),
        )

    def _moved(self, part: "_Part") -> float:
        """Makes a step in place; how far apart it takes the sides of one weighting at most."""
        partners = self._choices.partners
        powers, slope = _powers(partners @ part.found), part.won.copy()
        curve = np.zeros((len(slope) ** 2, slope.shape[1]))
        for bag, count in zip(self._bags, part.counts, strict=True):
            bag.add(powers, count, slope, curve)
        step = _step(slope, curve)
        far = np.maximum(np.ptp(partners @ step, axis=0), 1e-300)
        part.found[:] += step * np.log1p(far) / far
        return float(far.max())


class _Part(Struct, frozen=True):
    """Weightings that are worked on at once.

    Attributes:
        found: the strengths, which change in place, bots x weightings.
        won: how often each bot was chosen, bots x weightings.
        counts: by bag, how often each set was chosen from, sets x weightings.
    """

    found: Floats
    won: Floats
    counts: tuple[Floats, ...]


def _sliced(weights: Floats, most: int) -> list[Floats]:
    """So many weightings at most in each."""
    return [weights[:, at : at + most] for at in range(0, weights.shape[1], most)]


def _step(slope: Floats, curve: Floats) -> Floats:
    """Newton's step among strengths with the mean 0, bots x weightings.

    What is added to the curvature does not count among them, but makes the system a good one.
    """
    bots = len(slope)
    system = curve.T.reshape(-1, bots, bots)
    system += np.trace(system, axis1=1, axis2=2)[:, None, None] / bots**2
    sides = np.stack((slope.T, np.ones_like(slope.T)), axis=2)
    free, level = np.linalg.solve(system, sides).transpose(2, 1, 0)
    step: Floats = free - level * (free.sum(axis=0) / level.sum(axis=0))
    return step


class _Prepared(Struct, frozen=True):
    """A bag, and where what follows from it goes.

    Attributes:
        pairs: places of a set, two and two.
        to_bots: by place, from each set to the bots there.
        to_squares: by pair of places, from each set to pairs of bots.
    """

    members: Ints
    counts: Counts
    pairs: tuple[tuple[int, int], ...]
    to_bots: tuple[Counts, ...]
    to_squares: tuple[Counts, ...]

    def add(self, powers: Floats, count: Floats, slope: Floats, curve: Floats) -> None:
        """Takes from the slope what was to be expected, and adds to the curvature.

        The covariance of a choice is the sum over pairs of the product of their shares, times the
        square of the difference of their unit vectors.

        Args:
            powers: exp(strength), times the same for all, sides x weightings.
            count: how often each set was chosen from, sets x weightings.
            slope: first derivatives, bots x weightings.
            curve: second derivatives with the sign changed, pairs of bots x weightings.
        """
        share = _shares([powers[members] for members in self.members.T])
        for each, to_bots in zip(share, self.to_bots, strict=True):
            slope -= to_bots @ (count * each)
        for (one, other), to_squares in zip(self.pairs, self.to_squares, strict=True):
            curve += to_squares @ (count * share[one] * share[other])


def _powers(sides: Floats) -> Floats:
    """exp(strength), of the strongest 1; what would be nought, and so have no share, is not."""
    found: Floats = np.exp(np.maximum(sides - sides.max(axis=0), _WEAKEST))
    return found


def _shares(parts: list[Floats]) -> list[Floats]:
    """Of the sum; one array a place, which is twice as fast as one for all."""
    total = reduce(np.add, parts)
    return [each / total for each in parts]


def _prepared(bag: Bag, holders: Ints) -> _Prepared:
    """Works out where the entries of a bag go; `holders` are the bots of a side, then -1."""
    held = [holders[members] for members in bag.members.T]
    bots = int(holders.max(initial=0)) + 1
    pairs = tuple(combinations(range(len(held)), 2))
    return _Prepared(
        bag.members,
        bag.counts,
        pairs,
        tuple(_spread(one, np.ones(one.shape[1]), bots) for one in held),
        tuple(_squared(held[one], held[other], bots) for one, other in pairs),
    )


def _squared(one: Ints, other: Ints, bots: int) -> Counts:
    """From each set to pairs of bots: the square of one side's unit vector less the other's."""
    both = np.concatenate((one, other), axis=1)
    sign = np.repeat([1.0, -1.0], one.shape[1])
    first, second = both[:, :, None], both[:, None, :]
    squares = np.where((first >= 0) & (second >= 0), first * bots + second, -1)
    return _spread(
        squares.reshape(len(one), sign.size**2), np.outer(sign, sign).ravel(), bots * bots
    )


def _holders(partners: Counts) -> Ints:
    """The bots of each side, sides x most partners; -1 where there are fewer."""
    widest = int(np.diff(partners.indptr).max(initial=1))
    found = np.full((partners.shape[0], widest), -1)
    for side, (begin, end) in enumerate(pairwise(partners.indptr)):
        found[side, : end - begin] = partners.indices[begin:end]
    return found


def _spread(targets: Ints, signs: Floats, size: int) -> Counts:
    """The matrix that adds each column to its targets, with their signs; -1 is no target."""
    source, at = np.nonzero(targets >= 0)
    return csr_array((signs[at], (targets[source, at], source)), shape=(size, len(targets)))
