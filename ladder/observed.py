"""Blocks as arrays: what was observed of whom, and what of it counts. Pure."""

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from ladder.numbering import Flags, Floats, Ints, numbered
from ladder.results import RoundResult, TableResult


class Observed(Struct, frozen=True):
    """All finished blocks at tables of one size: `b` blocks, `n` places.

    Attributes:
        bots: entrants, b x n.
        lineup: a number for who sat at the table, equal where the same bots sat alike, b.
        block: the index of each block, b.
        deals: how many deals each had, b.
        values: deal values summed over the deals, b x n.
        luck: the part of them that was luck, in thousandths, b x n; zeros where not counted.
        lucky: whether luck was counted, b.
        counts: whether the block counts for the bot at a place, b x n.
        opposed: the places whose bots are compared, by place.
        two_sided: whether there are two sides, so that a value is a difference already.
    """

    bots: Ints
    lineup: Ints
    block: Ints
    deals: Ints
    values: Ints
    luck: Ints
    lucky: Flags
    counts: Flags
    opposed: tuple[tuple[int, ...], ...]
    two_sided: bool

    @property
    def means(self) -> Floats:
        """Deal values a deal, b x n."""
        return self.values / self.deals[:, None]

    @property
    def mean_luck(self) -> Floats:
        """Luck a deal in units of the deal value, b x n."""
        return self.luck / (1000 * self.deals[:, None])

    @property
    def whole(self) -> Flags:
        """Whether the block counts for everybody at its table, b."""
        everybody: Flags = np.logical_and.reduce(self.counts, axis=1)
        return everybody

    def scored(self, *, adjusted: bool) -> Ints:
        """What blocks are decided by, in thousandths, b x n: deal values, or those less luck."""
        return self.values * 1000 - (self.luck if adjusted else 0)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Places whose bots are compared, each pair both ways round."""
        return ((one, other) for one, others in enumerate(self.opposed) for other in others)


def observed(
    rounds: Iterable[RoundResult], sides: tuple[tuple[int, ...], ...]
) -> tuple[Observed, ...]:
    """What finished rounds have shown, by size of table.

    Args:
        rounds: the rounds.
        sides: the places that score together; empty where each scores for itself.
    """
    by_size: dict[int, list[TableResult]] = {}
    for played in rounds:
        for table in played.tables:
            if table.blocks:
                by_size.setdefault(len(table.table.bots), []).append(table)
    return tuple(_stacked(by_size[size], size, sides) for size in sorted(by_size))


def _stacked(tables: list[TableResult], size: int, sides: tuple[tuple[int, ...], ...]) -> Observed:
    blocks = [block for table in tables for block in table.blocks]
    zeros = (0,) * size
    faults = np.array([block.faults for block in blocks], np.int64)
    unplayed = np.array([block.unplayed or zeros for block in blocks], np.int64)
    at_fault = (faults > 0) | (unplayed > 0)
    lengths = [len(table.blocks) for table in tables]
    known: dict[tuple[int, ...], int] = {}
    lineups = [known.setdefault(table.table.bots, len(known)) for table in tables]
    opposed, two_sided = against(size, sides)
    return Observed(
        bots=np.repeat(np.array([one.table.bots for one in tables], np.int64), lengths, axis=0),
        lineup=np.repeat(np.array(lineups, np.int64), lengths),
        block=np.array([block.block for block in blocks], np.int64),
        deals=np.array([block.deals for block in blocks], np.int64),
        values=np.array([block.values for block in blocks], np.int64),
        luck=np.array([block.luck or zeros for block in blocks], np.int64),
        lucky=np.array([bool(block.luck) for block in blocks], np.bool_),
        counts=counting(at_fault),
        opposed=opposed,
        two_sided=two_sided,
    )


def counting(at_fault: Flags) -> Flags:
    """Whether blocks count for the bots at their places, by whether each is at fault, b x n."""
    size = at_fault.shape[1]
    anybody = np.logical_or.reduce(at_fault, axis=1, keepdims=True)
    found: Flags = at_fault | ~anybody | (size == 2)
    return found


def against(
    size: int, sides: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """The places that each place is compared with, and whether there are two sides.

    Args:
        size: how many places a table has.
        sides: the places that score together; empty where each scores for itself.
    """
    side_of = {place: at for at, side in enumerate(sides) for place in side}
    opposed = tuple(
        tuple(
            other
            for other in range(size)
            if other != place and side_of.get(other, other) != side_of.get(place, place)
        )
        for place in range(size)
    )
    return opposed, size == 2 or len(sides) == 2


def lineups(seated: Ints, below: int) -> Ints:
    """A number for each row that is equal where the same bots sit alike.

    Args:
        seated: bots by place, tables x places.
        below: what all their numbers are below.
    """
    return numbered(seated, below)[1]
