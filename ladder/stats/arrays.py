"""Numbers for what is alike, in arrays of a million. Pure.

`numpy.unique` sorts, or hashes, and takes ten times as long where numbers are small.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_DENSE: Final = 1 << 24
"""Codes below that are counted in a table, not sorted."""


def distinct(values: Ints) -> Ints:
    """The different ones, rising."""
    if values.size and values.min() >= 0 and (most := int(values.max())) < _DENSE:
        seen = np.zeros(most + 1, np.bool_)
        seen[values] = True
        return np.flatnonzero(seen)
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    found: Ints = ordered[new]
    return found


def numbered(rows: Ints, below: int) -> tuple[Ints, Ints]:
    """The different rows, rising, and which of them each row is.

    It goes column by column, so nothing overflows.

    Args:
        rows: of numbers from 0, with one column at least.
        below: what all numbers are below.
    """
    code, size = rows[:, 0], below
    for column in rows.T[1:]:
        code, size = _dense(code, size)
        code, size = code * below + column, size * below
    code, size = _dense(code, size)
    sample = np.zeros(size, np.int64)
    sample[code] = np.arange(len(rows))
    return rows[sample], code


def _dense(code: Ints, below: int) -> tuple[Ints, int]:
    """The codes as numbers from 0 without gaps, in the same order, and how many there are."""
    if below <= _DENSE:
        seen = np.zeros(below, np.bool_)
        seen[code] = True
        number = np.cumsum(seen) - 1
        return number[code], int(number[-1]) + 1 if below else 0
    found, code = np.unique(code, return_inverse=True)
    return code, len(found)
