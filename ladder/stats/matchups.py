"""Blocks as comparisons of two sides each: what a rating has to explain. Pure.

In a block with k sides every side is compared with every other one; ahead counts 1, level 1/2.
Each comparison weighs 2/k, so that a block tells as much of a bot whatever the size of its table.
In the model of Plackett and Luce any two sides of a table compare as in that of Bradley and Terry,
so one fit of pairs serves tables of all sizes; what the comparisons of one block have in common is
seen to by the dispersion, which counts lives of processes, not comparisons.

At a table of three and more the cards decide also where a bot was at fault and the referee's
stand-in played on for it: so a fault takes nothing from the others and gives them nothing. What it
costs its bot is counted apart.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from msgspec import Struct

from ladder.stats.arrays import Floats, Ints, distinct, numbered
from ladder.stats.observations import Observed

_NOTHING: Final = np.zeros(0, np.int64)


class Meeting(Struct, frozen=True):
    """Two sides of the tables of one size, block by block.

    Attributes:
        one: the places of the first side.
        other: those of the second side.
        pair: the pair of sides in `Matchups.members`, by block.
        turned: -1 where that pair has the two sides the other way round, else 1, by block.
        ahead: 1, 0 or -1: whether the first side is ahead, by block.
    """

    one: tuple[int, ...]
    other: tuple[int, ...]
    pair: Ints
    turned: Ints
    ahead: Ints


class Tables(Struct, frozen=True):
    """The blocks at tables of one size.

    Attributes:
        seen: the blocks.
        bots: who sat where, as positions in `Matchups.bots`, blocks x places.
        weight: of a comparison of two sides.
        meetings: every two sides.
    """

    seen: Observed
    bots: Ints
    weight: float
    meetings: tuple[Meeting, ...]

    @property
    def sides(self) -> int:
        """How many sides a table has."""
        return round(2 / self.weight)


class Matchups(Struct, frozen=True):
    """What sides have against each other.

    Attributes:
        bots: the entrants that were seen, rising.
        members: who holds the two sides, pairs x 2 x most partners; -1 where there are fewer.
        weight: how much was compared, by pair.
        won: how much of it the first side has won, a level comparison being half, by pair.
        charged: by bot, what its faults at tables of three and more weigh: as much as if it had
            lost every comparison of each such block once more.
        tables: the blocks, by size of table.
    """

    bots: Ints
    members: Ints
    weight: Floats
    won: Floats
    charged: Floats
    tables: tuple[Tables, ...]

    @property
    def opponents(self) -> Ints:
        """Bots that sat on different sides, as positions in `bots`; two a row."""
        found = [
            np.stack([self.members[:, 0, one], self.members[:, 1, other]], axis=1)
            for one in range(self.members.shape[2])
            for other in range(self.members.shape[2])
        ]
        rows = np.concatenate(found)
        return rows[(rows >= 0).all(axis=1)]


def matchups(seen: Sequence[Observed], entrants: int, *, adjusted: bool = False) -> Matchups:
    """Compare the sides of all blocks.

    Args:
        seen: the blocks.
        entrants: how many there are.
        adjusted: whether luck is taken out before a block is decided.

    Raises:
        ValueError: a table has sides of different sizes.
    """
    present = np.zeros(entrants, np.bool_)
    for part in seen:
        present[distinct(part.bots)] = True
    bots = np.flatnonzero(present)
    position = np.cumsum(present) - 1
    at_table = [position[part.bots] for part in seen]
    sides = [_sides(part) for part in seen]
    most = max([1, *(len(each[0]) for each in sides)])
    held = [
        [_held(where, side, most) for side in each]
        for where, each in zip(at_table, sides, strict=True)
    ]
    holders, numbers = _numbered_sides(held, len(bots))
    drafts = [
        list(_drafts(part, each, which, adjusted=adjusted))
        for part, each, which in zip(seen, sides, numbers, strict=True)
    ]
    codes = [[one.low * len(holders) + one.high for one in each] for each in drafts]
    every = distinct(np.concatenate([_NOTHING, *(code for each in codes for code in each)]))
    tables = tuple(
        Tables(
            part,
            where,
            2 / len(each),
            tuple(
                Meeting(one.one, one.other, np.searchsorted(every, code), one.turned, one.ahead)
                for one, code in zip(drawn, of, strict=True)
            ),
        )
        for part, where, each, drawn, of in zip(seen, at_table, sides, drafts, codes, strict=True)
    )
    low, high = np.divmod(every, max(len(holders), 1))
    weight, won = _totals(tables, len(every))
    members = np.stack((holders[low], holders[high]), axis=1)
    return Matchups(bots, members, weight, won, _charged(tables, len(bots)), tables)


class _Draft(Struct, frozen=True):
    """A meeting whose pair has two numbers of sides yet."""

    one: tuple[int, ...]
    other: tuple[int, ...]
    low: Ints
    high: Ints
    turned: Ints
    ahead: Ints


def _sides(part: Observed) -> tuple[tuple[int, ...], ...]:
    """Return the places of each side."""
    if len({len(side) for side in part.sides}) != 1:
        raise ValueError(f"sides of different sizes: {part.sides}")
    return part.sides


def _held(where: Ints, side: tuple[int, ...], most: int) -> Ints:
    """Return who holds a side, rising, blocks x most; those that are missing come first, as -1."""
    found = np.full((len(where), most), -1)
    found[:, most - len(side) :] = np.sort(where[:, list(side)], axis=1)
    return found


def _numbered_sides(held: Sequence[Sequence[Ints]], bots: int) -> tuple[Ints, list[list[Ints]]]:
    """Return the different sides, and which of them each block's are."""
    flat = [each for sides in held for each in sides]
    if not flat:
        return np.zeros((0, 1), np.int64), []
    alike, code = numbered(np.concatenate(flat) + 1, bots + 1)
    ends = np.cumsum([len(each) for each in flat])[:-1]
    numbers = iter(np.split(code, ends))
    return alike - 1, [[next(numbers) for _ in sides] for sides in held]


def _drafts(
    part: Observed, sides: Sequence[tuple[int, ...]], numbers: Sequence[Ints], *, adjusted: bool
) -> Iterator[_Draft]:
    """Yield every two sides."""
    scored = part.by_cards(adjusted=adjusted)
    totals = [scored[:, side].sum(axis=1) for side in sides]
    for one, other in combinations(range(len(sides)), 2):
        low, high = (f(numbers[one], numbers[other]) for f in (np.minimum, np.maximum))
        turned = np.where(low == numbers[one], 1, -1)
        ahead = np.sign(totals[one] - totals[other])
        yield _Draft(sides[one], sides[other], low, high, turned, ahead)


def _totals(tables: Sequence[Tables], pairs: int) -> tuple[Floats, Floats]:
    """Return how much was compared, and won by the first side: sums of integers, in any order."""
    weight, won = np.zeros(pairs), np.zeros(pairs)
    for table in tables:
        for met in table.meetings:
            twice = met.turned * met.ahead + 1
            weight += table.weight * np.bincount(met.pair, minlength=pairs)
            won += table.weight / 2 * np.bincount(met.pair, twice, pairs)
    return weight, won


def _charged(tables: Sequence[Tables], bots: int) -> Floats:
    """Return by bot what faults weigh; at tables of two they have decided the deal."""
    found = np.zeros(bots)
    for table in tables:
        if table.bots.shape[1] > 2:
            each = table.weight * (table.sides - 1)
            found += each * np.bincount(table.bots[table.seen.at_fault], minlength=bots)
    return found
