"""Blocks as arrays: what was observed of whom, and what of it counts. Pure."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from ladder.results import RoundResult, TableResult
from ladder.stats.arrays import Flags, Floats, Ints, numbered


class Observed(Struct, frozen=True):
    """All finished blocks at tables of one size: `b` blocks, `n` places.

    Attributes:
        bots: entrants, b x n.
        lineup: a number for who sat at the table, equal where the same bots sat alike, b.
        block: the index of each block, b.
        life: a number for the match part that a block was played in, and so for the processes that
            played it, b.
        begun: a number for when that part was begun, smaller than those of parts that were begun
            in a later step of the round, or a later round, b.
        deals: how many deals each had, b.
        values: deal values summed over the deals, b x n.
        luck: the part of them that was luck, in thousandths, b x n; zeros where not counted.
        lucky: whether luck was counted, b.
        at_fault: whether something in the block is charged to the bot at a place, b x n.
        met: what the first leg brought, and its turns (`BlockResult.meetings`), b x 2 x n; zeros
            where it is not known.
        known: whether it is, b.
        opposed: the places whose bots are compared, by place.
        two_sided: whether there are two sides, so that a value is a difference already.
    """

    bots: Ints
    lineup: Ints
    block: Ints
    life: Ints
    begun: Ints
    deals: Ints
    values: Ints
    luck: Ints
    lucky: Flags
    at_fault: Flags
    met: Ints
    known: Flags
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

    def scored(self, *, adjusted: bool) -> Ints:
        """What blocks are decided by, in thousandths, b x n: deal values, or those less luck."""
        return self.values * 1000 - (self.luck if adjusted else 0)

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The places that score together, those that score alone included."""
        places = set(range(len(self.opposed)))
        return tuple(sorted({tuple(sorted(places.difference(one))) for one in self.opposed}))

    def by_cards(self, *, adjusted: bool) -> Ints:
        """The same as the cards say, with what stand-ins took for bots at fault, b x n."""
        return by_cards(self.scored(adjusted=adjusted), self.at_fault, self.sides)

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
    by_size: dict[int, list[tuple[int, TableResult]]] = {}
    before = 0
    for played in rounds:
        for table in played.tables:
            if table.blocks:
                by_size.setdefault(len(table.table.bots), []).append((before, table))
        before += 1 + max((step for table in played.tables for step in _steps(table)), default=0)
    return tuple(_stacked(by_size[size], size, sides) for size in sorted(by_size))


def _steps(table: TableResult) -> Sequence[int]:
    """When in its round each match part of a table was begun."""
    return table.begun or range(len(table.parts) or 1)


def _stacked(
    found: list[tuple[int, TableResult]], size: int, sides: tuple[tuple[int, ...], ...]
) -> Observed:
    tables = [table for _, table in found]
    blocks = [block for table in tables for block in table.blocks]
    zeros = (0,) * size
    met = [block.meetings or (zeros, zeros) for block in blocks]
    lengths = [len(table.blocks) for table in tables]
    parts = [table.parts or (len(table.blocks),) for table in tables]
    begun = [before + step for before, table in found for step in _steps(table)]
    known: dict[tuple[int, ...], int] = {}
    lineups = [known.setdefault(table.table.bots, len(known)) for table in tables]
    opposed, two_sided = against(size, sides)
    return Observed(
        bots=np.repeat(np.array([one.table.bots for one in tables], np.int64), lengths, axis=0),
        lineup=np.repeat(np.array(lineups, np.int64), lengths),
        block=np.array([block.block for block in blocks], np.int64),
        life=np.repeat(np.arange(sum(map(len, parts))), [size for each in parts for size in each]),
        begun=np.repeat(np.array(begun, np.int64), [size for each in parts for size in each]),
        deals=np.array([block.deals for block in blocks], np.int64),
        values=np.array([block.values for block in blocks], np.int64),
        luck=np.array([block.luck or zeros for block in blocks], np.int64),
        lucky=np.array([bool(block.luck) for block in blocks], np.bool_),
        at_fault=np.array([block.at_fault for block in blocks], np.bool_),
        met=np.array(met, np.int64),
        known=np.array([bool(block.meetings) for block in blocks], np.bool_),
        opposed=opposed,
        two_sided=two_sided,
    )


def by_cards(scored: Ints, at_fault: Flags, sides: Sequence[tuple[int, ...]]) -> Ints:
    """Return what blocks brought before bots at fault were charged, b x n.

    What a bot at fault has is the least of the scale. What the stand-in took in its place follows
    from the others, since partners have the same, and all sides together have 0; several sides at
    fault share equally what the others lack. In sueca italiana, where values do not add up to 0, it
    is an estimate; what the others have against each other is exact all the same. At a table of two
    a fault has decided the deal.

    Args:
        scored: deal values, or those less luck, after faults were charged, b x n.
        at_fault: whether something in the block is charged to the bot at a place, b x n.
        sides: the places that score together, those that score alone included.
    """
    faulty = np.flatnonzero(np.logical_or.reduce(at_fault, axis=1))
    if scored.shape[1] == 2 or not len(faulty):
        return scored
    least, found, guilty = np.iinfo(np.int64).min, scored.copy(), at_fault[faulty]
    charged = np.where(guilty, least, scored[faulty])
    own = np.stack([charged[:, side].max(axis=1) for side in sides], axis=1)
    lost = own == least
    lacking = -np.where(lost, 0, own).sum(axis=1) // np.maximum(lost.sum(axis=1), 1)
    own = np.where(lost, lacking[:, None], own)
    for at, side in enumerate(sides):
        charged[:, side] = np.where(guilty[:, side], own[:, [at]], charged[:, side])
    found[faulty] = charged
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
