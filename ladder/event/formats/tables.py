"""Tables at which everybody sits with everybody equally often, or nearly so. Pure.

Where all tables together are few, a turn has all of them. Else a turn is one table and its
rotations: entrant 0 becomes 1, 1 becomes 2, and so on round (a cyclic design), so that in each turn
everybody plays equally often and holds every place once. How often two entrants meet is then a
matter of the distance between their numbers alone, and each turn's table is chosen so that the
distances, of partners and of opponents, are met as evenly as can be.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb, factorial, prod
from typing import Final

from referee.rules.game import Sides

Seats = tuple[int, ...]
"""Entrants at a table, by place."""

MOST_TABLES: Final = 120
"""So many tables at most are all played in one turn."""


def balanced(entrants: int, size: int, sides: Sides, turn: int) -> tuple[Seats, ...]:
    """The tables of a turn.

    Args:
        entrants: how many; they are numbered from 0.
        size: how many sit at a table.
        sides: the places that score together; each by itself where there are no partners.
        turn: which turn, from 0; a later one makes up for what an earlier one left uneven.

    Returns:
        Each table once. Where not all tables are played, two turns or more leave the counts of
        how often two entrants were partners, or opponents, at most 3 apart.
    """
    return _design(entrants, size, sides).turn(turn)


def tables_a_turn(entrants: int, size: int, sides: Sides) -> int:
    """How many tables a turn has; at times it is fewer, where rotations repeat each other."""
    every = comb(entrants, size) * splits(sides)
    return every if every <= MOST_TABLES else entrants


def splits(sides: Sides) -> int:
    """In how many ways the same bots can be shared out to sides."""
    sizes = Counter(map(len, sides))
    alike = prod(map(factorial, sizes.values()))
    inside = prod(factorial(len(side)) for side in sides)
    return factorial(sum(map(len, sides))) // alike // inside


def shared_out(bots: Seats, sides: Sides) -> Iterator[Seats]:
    """Every way to share out bots, given in rising order, to sides; by place."""
    for found in _shared(bots, sides, {}):
        yield tuple(found[place] for place in range(len(bots)))


def _shared(bots: Seats, sides: Sides, least: dict[int, int]) -> Iterator[dict[int, int]]:
    """`least` has, by size, the first bot of the last side; equal sides have theirs in order."""
    if not sides:
        yield {}
        return
    first, *others = sides
    for chosen in combinations(bots, len(first)):
        if chosen[0] < least.get(len(first), chosen[0]):
            continue
        rest = tuple(bot for bot in bots if bot not in chosen)
        seated = dict(zip(first, chosen, strict=True))
        for more in _shared(rest, tuple(others), {**least, len(first): chosen[0]}):
            yield {**more, **seated}


@lru_cache(maxsize=64)
def _design(entrants: int, size: int, sides: Sides) -> "_Design":
    return _Design(entrants, size, sides)


class _Design:
    """The turns of a field, found one after the other and kept."""

    def __init__(self, entrants: int, size: int, sides: Sides) -> None:
        self._entrants, self._size, self._sides = entrants, size, sides
        self._turns: list[tuple[Seats, ...]] = []
        self._met: Counter[tuple[bool, int]] = Counter()
        """How often a pair met so far: by whether they were partners, and by distance."""
        side_of = {place: side for side in sides for place in side}
        self._pairs = [
            (one, other, side_of[one] is side_of[other])
            for one in range(size)
            for other in range(size)
            if one != other
        ]
        every = comb(entrants, size) * splits(sides)
        self._all = self._every_table() if every <= MOST_TABLES else ()

    def turn(self, number: int) -> tuple[Seats, ...]:
        if self._all:
            return self._all
        while len(self._turns) <= number:
            table = self._improved(self._begun())
            orbit = self._orbit(table)
            for pair, count in self._meetings(table).items():
                self._met[pair] += count * len(orbit) // self._entrants
            self._turns.append(orbit)
        return self._turns[number]

    def _meetings(self, table: Seats) -> Counter[tuple[bool, int]]:
        """How often the rotations of a table, whole or begun, bring two together."""
        placed = len(table)
        return Counter(
            (partners, (table[other] - table[one]) % self._entrants)
            for one, other, partners in self._pairs
            if one < placed and other < placed
        )

    def _cost(self, table: Seats) -> int:
        """What a table adds to the sum of squares of how often pairs meet."""
        meetings = self._meetings(table).items()
        return sum(count * (2 * self._met[pair] + count) for pair, count in meetings)

    def _begun(self) -> Seats:
        """A table filled place by place, each time with the one that is best so far."""
        table: Seats = ()
        while len(table) < self._size:
            others = (bot for bot in range(self._entrants) if bot not in table)
            table = min(((*table, bot) for bot in others), key=self._cost)
        return table

    def _improved(self, table: Seats) -> Seats:
        """The same after exchanges, as long as one helps; each lowers a sum of whole numbers."""
        while True:
            best = min(self._exchanges(table), key=self._cost)
            if self._cost(best) >= self._cost(table):
                return table
            table = best

    def _exchanges(self, table: Seats) -> Iterator[Seats]:
        for old in table:
            for new in range(self._entrants):
                exchanged = {old: new, new: old}
                yield tuple(exchanged.get(bot, bot) for bot in table)

    def _orbit(self, table: Seats) -> tuple[Seats, ...]:
        """The rotations of a table, those left out that repeat another one."""
        found: dict[frozenset[frozenset[int]], Seats] = {}
        for step in range(self._entrants):
            rotated = tuple((bot + step) % self._entrants for bot in table)
            found.setdefault(self._key(rotated), rotated)
        return tuple(found.values())

    def _key(self, table: Seats) -> frozenset[frozenset[int]]:
        return frozenset(frozenset(table[place] for place in side) for side in self._sides)

    def _every_table(self) -> tuple[Seats, ...]:
        """All tables; each has its rotations behind it, so that a part is balanced too."""
        seen: set[frozenset[frozenset[int]]] = set()
        found: list[Seats] = []
        for bots in combinations(range(self._entrants), self._size):
            for table in shared_out(bots, self._sides):
                if self._key(table) not in seen:
                    orbit = self._orbit(table)
                    seen.update(map(self._key, orbit))
                    found += orbit
        return tuple(found)
