"""Blocks as choices: what a rating has to explain. Pure.

The order of a table's sides in a block, the best first, is a row of choices: the first out of all,
the second out of the others, and so on down to two (Luce 1959, Plackett 1975). Between sides that
are level all orders count, each by an equal part, which for two sides is half a win each. What
matters for a fit is then how often each set of sides was chosen from, and how often each side was
chosen; both are counted by unit of the bootstrap, that is by block index.

There is one more side, the reference, which nobody holds and which is as strong as the bots in the
mean. Each has half a win and half a loss against it, which keeps those finite that have won or lost
everything; they
are units of their own and drawn with the others, as in the posterior bootstrap (Fong, Lyddon and
Holmes, ICML 2019), so that a bot without a loss has an interval too. And a block with a fault at a
table of three and more, which counts for the bot at fault only (DESIGN 6), is one in which it comes
last at a table of reference bots.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np
from msgspec import Struct
from scipy.sparse import csr_array
from scipy.special import comb

from ladder.bootstrap import bundles, seed_of
from ladder.numbering import Flags, Floats, Ints, distinct, numbered

REFERENCE: Final = 0
"""The code, and the number, of the side that nobody holds."""
PRIOR: Final = 2
"""Units that stand for what is known without any block: a win and a loss, half of each counts."""

_NOTHING: Final = np.zeros(0, np.int64)

Counts = csr_array[Any, tuple[int, int]]
"""Things by unit: mostly noughts."""


class Bag(Struct, frozen=True):
    """Choices out of equally many sides.

    Attributes:
        members: the sides that there were to choose from, one set a row; one can be in it twice.
        counts: how often it was chosen from each set, sets x units.
    """

    members: Ints
    counts: Counts


class Choices(Struct, frozen=True):
    """What was chosen, from what.

    Attributes:
        bots: the entrants that were seen, rising.
        partners: which of them hold a side, sides x bots, ones and noughts.
        bags: what was chosen from.
        chosen: how often each side was chosen, sides x units.
        units: in how many units each bot was at a table.
        drawn: how many units there are; the prior's come after them.
        seed: for the dice.
    """

    bots: Ints
    partners: Counts
    bags: tuple[Bag, ...]
    chosen: Counts
    units: Ints
    drawn: int
    seed: bytes


class Orders(Struct, frozen=True):
    """Tables with equally many sides, one block a row.

    Attributes:
        block: its index.
        bots: who holds each side, blocks x sides x most partners; -1 where there are fewer; a side
            of nobody is the reference.
        scores: what puts the sides in order, the larger the better, blocks x sides.
    """

    block: Ints
    bots: Ints
    scores: Ints


def choices(orders: Sequence[Orders], bots: int) -> Choices:
    """Takes blocks apart.

    Args:
        orders: the blocks.
        bots: how many entrants there are.
    """
    base = bots + 1
    seats = np.zeros(base, np.int64)
    for each in orders:
        seats += np.bincount(each.bots.ravel() + 1, minlength=base)
    present = np.flatnonzero(seats[1:])
    held = [np.sort(each.bots + 1, axis=2) @ _powers(base, each.bots.shape[2]) for each in orders]
    codes = distinct(np.concatenate([[REFERENCE], present + 1, *map(distinct, held)]))
    index = distinct(np.concatenate([_NOTHING, *(each.block for each in orders)]))
    which = bundles(len(index))
    counted = _Counted(len(codes), int(which.max(initial=-1)) + 1)
    at_table = np.zeros((base, counted.units), np.bool_)
    for each, sides in zip(orders, held, strict=True):
        unit = which[np.searchsorted(index, each.block)]
        counted.add(unit, np.searchsorted(codes, sides), each.scores)
        at_table[each.bots + 1, unit[:, None, None]] = True
    counted.add_prior(np.searchsorted(codes, present + 1))
    return Choices(
        bots=present,
        partners=_partners(codes, present, base),
        bags=counted.bags(),
        chosen=counted.chosen(),
        units=at_table[present + 1].sum(axis=1),
        drawn=counted.units,
        seed=seed_of(_canonical(orders)),
    )


def _powers(base: int, count: int) -> Ints:
    """What makes one number of several, the last one first."""
    return base ** np.arange(count, dtype=np.int64)


def _canonical(orders: Sequence[Orders]) -> Iterator[Ints]:
    """The data in an order of their own, whoever has which number."""
    for each in sorted(orders, key=lambda one: one.bots.shape[1:]):
        rows = np.column_stack((each.block, np.sort(each.scores, axis=1)))
        in_order = (np.diff(each.block) > 0).all()
        yield rows if in_order else rows[np.lexsort(rows.T[::-1])]


def _partners(codes: Ints, present: Ints, base: int) -> Counts:
    """Sides x bots."""
    left, rows, columns = codes, [], []
    while left.any():
        left, member = np.divmod(left, base)
        row = np.flatnonzero(member)
        rows.append(row)
        columns.append(np.searchsorted(present, member[row] - 1))
    return _counts(rows, columns, None, (len(codes), len(present)))


def _counts(
    rows: list[Ints], columns: list[Ints], parts: list[Floats] | None, shape: tuple[int, int]
) -> Counts:
    """Adds up parts, or ones, by row and column."""
    row, column = (np.concatenate([*each, _NOTHING]) for each in (rows, columns))
    data = np.ones(len(row)) if parts is None else np.concatenate([*parts, np.zeros(0)])
    return csr_array((data, (row, column)), shape=shape)


class _Counted:
    """Adds choices up; sides and units are numbers by now."""

    def __init__(self, sides: int, units: int) -> None:
        self.units = units
        self._sides = sides
        self._from: dict[int, list[tuple[Ints, Ints, Floats]]] = {}
        self._first: list[tuple[Ints, Ints, Floats]] = []

    def add(self, unit: Ints, sides: Ints, scores: Ints) -> None:
        """Adds orders, which a score decides, the larger the better."""
        places = sides.shape[1]
        for size in range(1, places + 1):
            for some in combinations(range(places), size):
                part = _part(scores, some)
                if size == 1:
                    self._first.append((sides[:, some[0]], unit, 1 - part))
                else:
                    kept = part > 0
                    members = np.sort(sides[kept][:, some], axis=1)
                    self._from.setdefault(size, []).append((members, unit[kept], part[kept]))

    def add_prior(self, bots: Ints) -> None:
        """Adds a win and a loss of each bot against the reference."""
        reference, one = np.full_like(bots, REFERENCE), np.ones(len(bots))
        pairs = np.column_stack((reference, bots))
        for step, winner in enumerate((bots, reference)):
            unit = np.full_like(bots, self.units + step)
            self._from.setdefault(2, []).append((pairs, unit, one))
            self._first.append((winner, unit, one))

    def bags(self) -> tuple[Bag, ...]:
        """What was chosen from, by how many there were."""
        found = []
        for _, added in sorted(self._from.items()):
            members, units, parts = (np.concatenate(each) for each in zip(*added, strict=True))
            alike, inverse = numbered(members, self._sides)
            shape = (len(alike), self.units + PRIOR)
            found.append(Bag(alike, _counts([inverse], [units], [parts], shape)))
        return tuple(found)

    def chosen(self) -> Counts:
        """How often each side was."""
        sides, units, parts = map(list, zip(*self._first, strict=True))
        return _counts(sides, units, parts, (self._sides, self.units + PRIOR))


def _part(scores: Ints, some: tuple[int, ...]) -> Floats:
    """In what part of the orders that scores allow, `some` are those that are left at some time.

    They are if they are all that are worse than the best of them, and some of those as good as it:
    of g that are level, each s are left together in one of (g over s) cases.
    """
    inside = scores[:, some]
    best = inside.max(axis=1, keepdims=True)
    rest = [place for place in range(scores.shape[1]) if place not in some]
    whole = _count(scores[:, rest] < best) == 0
    level, chosen = (_count(each == best) for each in (scores, inside))
    part: Floats = whole / _orders(scores.shape[1])[level, chosen]
    return part


def _count(flags: Flags) -> Ints:
    """How many are set in each row; a sum over columns, which for few of them is much faster."""
    found = np.zeros(len(flags), np.int64)
    for column in flags.T:
        found += column
    return found


def _orders(most: int) -> Floats:
    """How many ways there are to take some of so many, by both numbers."""
    every, some = np.indices((most + 1, most + 1))
    return np.asarray(comb(every, some), np.float64)
