"""Intervals by a bootstrap over blocks. Pure.

What is drawn is the index of a block. All tables of an event play the same decks: a deck in which
one bot's way of playing happens to pay lifts it at every table at once, and lifts whoever had the
same cards with it. Results with one index are therefore not independent, while those with different
indexes are, since decks are; to draw tables one by one would give intervals that are too narrow (a
test shows by how much). So each index has one weight in a replicate, at all tables of its section.

Weights are exponential, not the counts of draws with replacement (Rubin, The Bayesian bootstrap,
Annals of Statistics 9, 1981; for fits: Newton and Raftery, JRSS B 56, 1994). No block is ever
quite left out, so a fit that the blocks allow is allowed in every replicate, and the share of
replicates in which A is the better one may be read as a probability. With few blocks percentiles
are too narrow; they are widened as Hesterberg does (What teachers should know about the bootstrap,
American Statistician 69, 2015): the levels are those at which a mean has Student's interval.

The dice are seeded by SHA-256 of the data in an order of their own, and made from PCG64's raw
numbers, which numpy promises never to change: whoever has the log gets the same intervals, however
it is ordered, and whatever numbers the bots have.
"""

import hashlib
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from ladder.numbering import Floats, Ints

REPLICATES: Final = 1000
MOST_UNITS: Final = 1000
"""More blocks than these are drawn in as many bundles, one block after another into each."""
LEVEL: Final = 0.95


def seed_of(arrays: Iterable[NDArray[Any]]) -> bytes:
    """What the dice for such data are seeded with; integers and floats, of any shape."""
    found = hashlib.sha256()
    for array in arrays:
        fixed = np.ascontiguousarray(array, "<i8" if array.dtype.kind in "iub" else "<f8")
        found.update(f"{fixed.dtype.str}{fixed.shape}".encode())
        found.update(fixed.tobytes())
    return found.digest()


def uniforms(shape: tuple[int, ...], seed: bytes) -> Floats:
    """Numbers between 0 and 1, both left out."""
    dice = np.random.PCG64(int.from_bytes(seed, "big"))
    raw = dice.random_raw(int(np.prod(shape)))
    return ((raw >> np.uint64(11)).astype(np.float64).reshape(shape) + 0.5) * 2.0**-53


def weights(units: int, replicates: int, seed: bytes) -> Floats:
    """The weight of each unit in each replicate, units x replicates; each is 1 in the mean."""
    found: Floats = -np.log(uniforms((units, replicates), seed))
    return found


def bundles(units: int) -> Ints:
    """Which bundle each unit is drawn in; one each, unless they are too many."""
    return np.arange(units) % MOST_UNITS


def interval(samples: Floats, units: int) -> Floats:
    """The ends of the 95 % interval: the percentiles of samples, wider where there are few units.

    Args:
        samples: statistics by replicate, or several of them, the replicates last.
        units: how many units they were made from.
    """
    free = max(units - 1, 1)
    wide = float(np.sqrt((free + 2) / free) * stdtrit(free, (1 + LEVEL) / 2))
    tail = float(ndtr(-wide))
    return np.quantile(samples, [tail, 1 - tail], axis=-1)


def intervals(samples: Floats, units: Ints) -> Floats:
    """As `interval`, of many at once, 2 x columns.

    Args:
        samples: statistics, columns x replicates.
        units: how many units each was made from, by column.
    """
    found = np.full((2, len(samples)), np.nan)
    for count in np.unique(units).tolist():
        alike = np.flatnonzero(units == count)
        found[:, alike] = interval(samples[alike], count)
    return found


def samples(sums: Floats, counts: Floats, seed: bytes, replicates: int = REPLICATES) -> Floats:
    """What means come to in each replicate, columns x replicates.

    Args:
        sums: what was added up in each unit, units x columns; the units in the order of their
            block indexes.
        counts: of how many things, units x columns.
        seed: for the dice.
        replicates: how often to draw.
    """
    which = bundles(len(sums))
    size = int(which.max(initial=-1)) + 1
    added, counted = (np.zeros((size, sums.shape[1])) for _ in range(2))
    np.add.at(added, which, sums)
    np.add.at(counted, which, counts)
    drawn = weights(size, replicates, seed)
    with np.errstate(invalid="ignore"):
        found: Floats = (added.T @ drawn) / (counted.T @ drawn)
    return found


def ratios(sums: Floats, counts: Floats, replicates: int = REPLICATES) -> Floats:
    """Means over all units, one for each column: its value and interval, 3 x columns.

    A column without any things has nan; the interval of one with a single unit has no width, which
    says nothing. For the arguments see `samples`.
    """
    seed = seed_of((np.sort(sums, axis=1), np.sort(counts, axis=1)))
    drawn = samples(sums, counts, seed, replicates)
    units = np.minimum((counts > 0).sum(axis=0), MOST_UNITS)
    found = np.full((3, sums.shape[1]), np.nan)
    some = np.flatnonzero(units)
    for column in some:
        found[0, column] = sums[:, column].sum() / counts[:, column].sum()
    found[1:, some] = intervals(drawn[some], units[some])
    return found
