"""The rows of standings: a bot's means, luck, faults and time, by place. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from ladder.bootstrap import ratios
from ladder.numbering import Floats
from ladder.observed import Observed
from ladder.ranking import Ranking
from ladder.results import TableResult
from ladder.scoreboard import Estimate, Gain, Row, Time, rounded
from ladder.scores import Spread, clusters, lucky, spread


class Account(Struct, frozen=True):
    """What a bot has to its account, whatever was observed at tables.

    Attributes:
        faults: how many.
        codes: by code, of those that are known one by one.
        unplayed: deals charged to it that were not played, after so many faults.
        faulty: blocks that are charged to it.
        seated: blocks of its tables.
        voids: deals that were void by its acts.
        time: what its clock was charged.
    """

    faults: int
    codes: tuple[tuple[str, int], ...]
    unplayed: int
    faulty: int
    seated: int
    voids: int
    time: Time


def accounts(tables: Iterable[TableResult], bots: int) -> tuple[Account, ...]:
    """By entrant, over all tables, finished or given up."""
    faults, unplayed, faulty, seated, voids, used_us = ([0] * bots for _ in range(6))
    acts = [0.0] * bots
    codes: list[Counter[str]] = [Counter() for _ in range(bots)]
    for table in tables:
        listed = Counter(found.bot for found in table.fault_list)
        for found in table.fault_list:
            codes[table.table.bots[found.bot]][str(found.code)] += 1
        for place, bot in enumerate(table.table.bots):
            in_blocks = sum(block.faults[place] for block in table.blocks)
            faults[bot] += table.faults[place] if table.faults else max(in_blocks, listed[place])
            unplayed[bot] += sum(block.unplayed[place] for block in table.blocks if block.unplayed)
            faulty[bot] += sum(block.at_fault[place] for block in table.blocks)
            seated[bot] += len(table.blocks)
            voids[bot] += table.voids[place]
            used_us[bot] += table.used_us[place]
            acts[bot] += table.acts / len(table.table.bots)
    return tuple(
        Account(
            faults[bot],
            tuple(sorted(codes[bot].items())),
            unplayed[bot],
            faulty[bot],
            seated[bot],
            voids[bot],
            Time(used_us[bot], rounded(acts[bot], 3)),
        )
        for bot in range(bots)
    )


class Means(Struct, frozen=True):
    """By entrant: the mean deal value, what of it was luck, and the rest; None where unknown.

    Attributes:
        gain: what taking luck out does to the blocks of each.
        overall: what it does to all blocks; None where luck was not counted in all of them.
    """

    blocks: tuple[int, ...]
    deals: tuple[int, ...]
    raw: tuple[Estimate | None, ...]
    luck: tuple[float | None, ...]
    adjusted: tuple[Estimate | None, ...]
    gain: tuple[Gain | None, ...]
    overall: Gain | None


def means(seen: Sequence[Observed], bots: int, *, bundled: bool = False) -> Means:
    """Means over blocks with intervals by a bootstrap over blocks.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        bundled: whether blocks are bundled before anything else, as a million of them must be.
    """
    sums = clusters(seen, bots, bundled=bundled)
    known, squares = lucky(seen, bots), spread(seen, bots)
    raw = _estimates(sums.value, sums.count)
    less = _estimates(sums.value - sums.luck, sums.count)
    luck = sums.luck.sum(axis=0) / np.maximum(sums.count.sum(axis=0), 1)
    return Means(
        tuple(int(count) for count in sums.count.sum(axis=0)),
        tuple(int(count) for count in sums.deals),
        raw,
        tuple(rounded(luck[bot], 3) if raw[bot] and known[bot] else None for bot in range(bots)),
        tuple(less[bot] if known[bot] else None for bot in range(bots)),
        tuple(_gain(squares, [bot]) if known[bot] else None for bot in range(bots)),
        _gain(squares, list(range(bots))) if known.all() else None,
    )


def _estimates(sums: Floats, counts: Floats) -> tuple[Estimate | None, ...]:
    values, lows, highs = ratios(sums, counts)
    found: list[Estimate | None] = []
    for bot, blocks in enumerate((counts > 0).sum(axis=0)):
        low, high = (rounded(one[bot], 3) if blocks > 1 else None for one in (lows, highs))
        found.append(Estimate(rounded(values[bot], 3), low, high) if blocks else None)
    return tuple(found)


def _gain(squares: Spread, bots: list[int]) -> Gain | None:
    free = squares.free[bots].sum()
    if not free:
        return None
    return Gain(*(rounded(of[bots].sum() / free, 3) for of in (squares.raw, squares.adjusted)))


def rows(
    names: Sequence[str],
    out: Mapping[int, str],
    ranking: Ranking,
    *,
    found: Means,
    points: Floats,
    match_points: Sequence[int],
    played: Sequence[Account],
    versions: Sequence[tuple[int, str, int]] = (),
) -> tuple[Row, ...]:
    """The rows by place.

    Args:
        names: of the entrants.
        out: who is benched, and why.
        ranking: how they compare.
        found: their means.
        points: their block points.
        match_points: what a Swiss event orders by; empty in other formats.
        played: their accounts.
        versions: number, author and version of each in a ladder; empty in an event.
    """
    known = versions or [(bot, "", 0) for bot in range(len(names))]
    return tuple(
        Row(
            bot=known[bot][0],
            name=names[bot],
            place=ranking.places[bot][0],
            last=ranking.places[bot][1],
            points=rounded(points[bot], 3),
            blocks=found.blocks[bot],
            deals=found.deals[bot],
            mean=found.raw[bot],
            luck=found.luck[bot],
            adjusted=found.adjusted[bot],
            gain=found.gain[bot],
            rating=ranking.ratings[bot],
            match_points=match_points[bot] if match_points else None,
            faults=played[bot].faults,
            codes=played[bot].codes,
            unplayed=played[bot].unplayed,
            faulty=played[bot].faulty,
            seated=played[bot].seated,
            voids=played[bot].voids,
            benched=out.get(bot, ""),
            time=played[bot].time,
            author=known[bot][1],
            version=known[bot][2],
        )
        for bot in ranking.order
    )
