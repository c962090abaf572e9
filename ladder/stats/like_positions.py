"""What is left of gifts when positions of the same kind are compared with each other. Pure.

A giver lays other points where it sees other cards. Positions that are alike in all that bears on
gifts are one kind, if the giver came to enough of them; others are counted with a wider kind, up to
the widest, in which a hand is no more than its number of cards. What is left within a kind that
depends on what the giver saw is taken off by a line in some numbers, by least squares.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ladder.stats.arrays import Floats, Ints
from referee.match.gifts import unpacked

Positions = NDArray[np.bytes_]
"""What givers saw, packed; numpy takes no zeros from the end that were there."""

_ENOUGH: Final = 3
"""So many gifts make a kind, at least: one alone has nothing to be compared with."""

_KNOWN: Final = 1 << 18
"""Positions whose numbers are kept for the next giver."""


class LikePositions:
    """The positions that one giver came to, by kind.

    Attributes:
        spare: the part of what gifts scatter by that `rest` leaves, where nothing explains it: the
            kinds and the line fit some of it.
    """

    def __init__(self, positions: Positions) -> None:
        """Finds the kinds.

        Args:
            positions: what it saw, a gift each.
        """
        different, self._which, times = np.unique(
            positions, return_inverse=True, return_counts=True
        )
        seen = [_seen(bytes(one)) for one in different.tolist()]
        kind = _kinds([kinds for kinds, _ in seen], times)
        self._kind = kind[self._which]
        self._gifts = np.bincount(self._kind)
        every = np.array([numbers for _, numbers in seen])
        sums = np.zeros((len(self._gifts), every.shape[1]))
        np.add.at(sums, kind, every * times[:, None])
        self._numbers = every - sums[kind] / self._gifts[kind, None]
        squares = (self._numbers * times[:, None]).T @ self._numbers
        self._inverse = np.linalg.pinv(squares, hermitian=True)
        fitted = len(np.unique(kind)) + int(np.linalg.matrix_rank(squares, hermitian=True))
        self.spare = max(1 - fitted / len(positions), 0.0)

    def rest(self, values: Floats) -> Floats:
        """Return what neither the kind of position nor a line in its numbers explains.

        Args:
            values: one a gift.
        """
        sums = np.bincount(self._kind, values, len(self._gifts))
        within = values - (sums / np.maximum(self._gifts, 1))[self._kind]
        by_position = np.bincount(self._which, within, len(self._numbers))
        line = self._inverse @ (self._numbers.T @ by_position)
        left: Floats = within - (self._numbers @ line)[self._which]
        return left


@lru_cache(maxsize=_KNOWN)
def _seen(packed: bytes) -> tuple[tuple[bytes, ...], tuple[float, ...]]:
    """Return of what kinds a position is, the widest first, and its numbers."""
    position = unpacked(packed)
    return position.kinds(), position.numbers()


def _kinds(kinds: Sequence[tuple[bytes, ...]], times: Ints) -> Ints:
    """Return a number for the narrowest kind of each position that has enough gifts.

    Args:
        kinds: of each position, the widest first.
        times: how many gifts it has.
    """
    found, numbered = np.zeros(len(kinds), np.int64), 0
    for level in zip(*kinds, strict=True):
        which = np.unique(np.array(level), return_inverse=True)[1]
        enough = np.bincount(which, times)[which] >= _ENOUGH
        found = np.where(enough | (numbered == 0), numbered + which, found)
        numbered += int(which.max()) + 1
    return found
