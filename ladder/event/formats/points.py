"""What blocks say about the bots of a table, as exact numbers. Pure."""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from referee.match.outcome import BlockResult


class Sum(Struct, frozen=True):
    """Deal values of a bot, added up, and over how many deals."""

    value: int = 0
    deals: int = 0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(self.value + other.value, self.deals + other.deals)

    @property
    def mean(self) -> Fraction:
        """The mean deal value; of nothing it is 0, which is what all bots together have."""
        return Fraction(self.value, self.deals or 1)


def sums(blocks: Iterable[BlockResult], places: int) -> tuple[Sum, ...]:
    """What the blocks of a table brought, by place: every block counts for every bot."""
    found = [Sum()] * places
    for block in blocks:
        for place in range(places):
            found[place] += Sum(block.values[place], block.deals)
    return tuple(found)
