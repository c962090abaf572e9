"""The rows of standings: a bot's means, luck, faults and time, by place. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from ladder.results import TableResult
from ladder.standings.table import Again, Row, Time
from ladder.stats.arrays import Floats, Ints, distinct
from ladder.stats.estimates import Estimate, Gain, rounded
from ladder.stats.means import Spread, lucky, spread
from ladder.stats.meetings import meetings
from ladder.stats.observations import Observed
from ladder.stats.places import Ranking
from ladder.stats.student import Means, means


class BotUsage(Struct, frozen=True):
    """What a bot has to its account, whatever was observed at tables.

    Attributes:
        faults: how many.
        codes: by code, of those that are known one by one.
        unplayed: deals charged to it that it did not play, after so many faults.
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


def accounts(tables: Iterable[TableResult], bots: int) -> tuple[BotUsage, ...]:
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
        BotUsage(
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


class MeanValues(Struct, frozen=True):
    """By entrant: the mean deal value, what of it was luck, and the rest; None where unknown.

    Attributes:
        gain: what taking luck out does to the blocks of each.
        overall: what it does to all blocks; None where luck was not counted in all of them.
        again: what later meetings of a deck brought each more than first ones.
    """

    blocks: tuple[int, ...]
    deals: tuple[int, ...]
    raw: tuple[Estimate | None, ...]
    luck: tuple[float | None, ...]
    adjusted: tuple[Estimate | None, ...]
    gain: tuple[Gain | None, ...]
    overall: Gain | None
    again: tuple[Again | None, ...]


def mean_values(seen: Sequence[Observed], bots: int) -> MeanValues:
    """Return means over blocks, with intervals that count lives of processes, and decks.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
    """
    blocks = _Blocks(seen)
    count = np.bincount(blocks.bot, minlength=bots)
    known, squares = lucky(seen, bots), spread(seen, bots)
    raw = _estimates(blocks.value, blocks, bots)
    less = _estimates(blocks.value - blocks.luck, blocks, bots)
    luck = np.bincount(blocks.bot, blocks.luck, bots) / np.maximum(count, 1)
    return MeanValues(
        tuple(count.tolist()),
        tuple(np.bincount(blocks.bot, blocks.deals, bots).astype(np.int64).tolist()),
        raw,
        tuple(rounded(luck[bot], 3) if raw[bot] and known[bot] else None for bot in range(bots)),
        tuple(less[bot] if known[bot] else None for bot in range(bots)),
        tuple(_gain(squares, [bot]) if known[bot] else None for bot in range(bots)),
        _gain(squares, list(range(bots))) if known.all() else None,
        again(seen, bots),
    )


class _Blocks:
    """Blocks from the point of view of each bot at their tables, one after the other."""

    def __init__(self, seen: Sequence[Observed]) -> None:
        none = np.zeros(0)
        places = [part.bots.shape[1] for part in seen]
        self.bot = _joined([part.bots.ravel() for part in seen])
        self.deck = _joined(
            [np.repeat(part.block, size) for part, size in zip(seen, places, strict=True)]
        )
        ends = np.cumsum([0, *(int(part.life.max(initial=-1)) + 1 for part in seen)])
        self.life = _joined(
            [
                np.repeat(part.life + first, size)
                for part, size, first in zip(seen, places, ends, strict=False)
            ]
        )
        self.deals = _joined(
            [np.repeat(part.deals, size) for part, size in zip(seen, places, strict=True)]
        )
        self.value = np.concatenate([none, *(part.means.ravel() for part in seen)])
        self.luck = np.concatenate([none, *(part.mean_luck.ravel() for part in seen)])
        self.shared = any(
            len(distinct(part.block)) < len(part.block) or len(seen) > 1 for part in seen
        )
        """Whether tables played the same decks."""


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _estimates(values: Floats, blocks: _Blocks, bots: int) -> tuple[Estimate | None, ...]:
    clusterings = (blocks.life, blocks.deck) if blocks.shared else (blocks.life,)
    found = means(values, blocks.bot, bots, clusterings)
    return tuple(_estimate(found, bot) for bot in range(bots))


def _estimate(found: Means, bot: int) -> Estimate | None:
    value = float(found.value[bot])
    low, high = found.interval(bot) or (None, None)
    ends = (None if end is None else rounded(end, 3) for end in (low, high))
    return None if np.isnan(value) else Estimate(rounded(value, 3), *ends)


def again(seen: Sequence[Observed], bots: int) -> tuple[Again | None, ...]:
    """By entrant, what later meetings of a deck brought more than first ones; None: not known."""
    found = meetings(seen, bots)
    every = (_estimate(found.all, bot) for bot in range(bots))
    return tuple(
        None
        if whole is None
        else Again(
            whole,
            None if found.first is None else _estimate(found.first, bot),
            None if found.tables is None else _estimate(found.tables, bot),
            int(found.blocks[bot]),
            bool(found.beyond[bot]),
        )
        for bot, whole in enumerate(every)
    )


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
    found: MeanValues,
    points: Floats,
    match_points: Sequence[int],
    played: Sequence[BotUsage],
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
            parts=ranking.parts[bot],
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
            again=found.again[bot],
            author=known[bot][1],
            version=known[bot][2],
        )
        for bot in ranking.order
    )
