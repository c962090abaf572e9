"""What a section of an event comes to: from finished rounds to places, points and tables. Pure.

A section is one game of an event. A bot's mean is over blocks; what counts as independent is the
life of the processes that played them, and the deck.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ladder.results import RoundResult
from ladder.standings.rounds import label_of, listed_faults, listed_rounds
from ladder.standings.rows import accounts, mean_values, rows
from ladder.standings.table import Cell, Missing, Standings
from ladder.stats.arrays import distinct
from ladder.stats.estimates import MOST_CROSSED, rounded
from ladder.stats.means import Cross, cross
from ladder.stats.observations import observed
from ladder.stats.places import rank

FAULTS_SHOWN: Final = 50
"""So many kinds of faults are told one by one; all are counted."""


class Benched(Struct, frozen=True):
    """An entrant that plays no more, and why."""

    bot: int
    reason: str


class Section(Struct, frozen=True, kw_only=True):
    """One game of an event, as far as it has been played.

    Attributes:
        game: the id of the game.
        options: its options as a person would type them, in one line; "" for none.
        format: what people call the format: "round-robin, 3 rounds".
        names: of the entrants, by number, told apart where two were the same.
        sides: the places of a table whose bots score together, where single bots have partners:
            ((0, 2), (1, 3)); empty where every bot at a table scores for itself.
        rounds: the finished rounds, in the order of the schedule.
        finished: whether all that was planned has been played.
        order: who came where by the format, as far as rounds are finished; those who share a place
            stand together. Empty where the rating decides.
        match_points: by entrant, what a Swiss event has that order from; empty in other formats.
        adjusted: whether the event said beforehand that blocks are decided with luck taken out.
        title: what the event calls the section; the game's id where it is "".
    """

    game: str
    options: str = ""
    format: str = ""
    names: tuple[str, ...]
    sides: tuple[tuple[int, ...], ...] = ()
    rounds: tuple[RoundResult, ...]
    benched: tuple[Benched, ...] = ()
    finished: bool = True
    order: tuple[tuple[int, ...], ...] = ()
    match_points: tuple[int, ...] = ()
    adjusted: bool = False
    title: str = ""


def standings(section: Section) -> Standings:
    """Adds up a section.

    It depends on nothing but the blocks, faults and order of the rounds; what depends on time
    goes into `time` and `wall_us` alone.
    """
    seen, bots = observed(section.rounds, section.sides), len(section.names)
    adjusted = section.adjusted
    compared = cross(seen, bots, adjusted=adjusted)
    ranking = rank(seen, bots, compared.points.tolist(), order=section.order, adjusted=adjusted)
    tables = [table for played in section.rounds for table in played.tables]
    blocks = [block for table in tables for block in table.blocks]
    found = mean_values(seen, bots)
    return Standings(
        title=section.title or section.game,
        game=section.game,
        options=section.options,
        format=section.format,
        finished=section.finished,
        by_adjusted=adjusted,
        by_format=bool(section.order),
        two_sided=all(part.two_sided for part in seen),
        rows=rows(
            section.names,
            {one.bot: one.reason for one in section.benched},
            ranking,
            found=found,
            points=compared.points,
            match_points=section.match_points,
            played=accounts(tables, bots),
        ),
        cross=cells(compared, ranking.order),
        better=ranking.better,
        gain=found.overall,
        rounds=listed_rounds(section.rounds, section.names, section.sides, adjusted=adjusted),
        blocks=len(blocks),
        parts=sum(len(distinct(part.life)) for part in seen),
        unlinked=tuple(tuple(section.names[bot] for bot in group) for group in ranking.unlinked),
        misfit=ranking.misfit,
        unordered=ranking.unordered,
        deals=sum(block.deals for block in blocks),
        faults=listed_faults(section.rounds, section.names)[:FAULTS_SHOWN],
        missing=tuple(_missing(section)),
        champion=_champion(section),
        wall_us=sum(table.wall_us for table in tables),
    )


def cells(compared: Cross, order: Sequence[int]) -> tuple[tuple[Cell | None, ...], ...]:
    """Bot against bot, in that order; nothing above `MOST_CROSSED` bots."""
    if len(order) > MOST_CROSSED:
        return ()
    some = np.array(order, np.int64)
    which = np.ix_(some, some)
    counts = np.stack((compared.won, compared.level, compared.lost), axis=2)[which].tolist()
    return tuple(
        tuple(
            Cell(rounded(difference, 3), *blocks) if any(blocks) else None
            for difference, blocks in zip(*row, strict=True)
        )
        for row in zip(compared.difference[which].tolist(), counts, strict=True)
    )


def _missing(section: Section) -> Iterator[Missing]:
    for number, played in enumerate(section.rounds, 1):
        for table in played.tables:
            lacking = played.round.blocks - len(table.blocks)
            if table.given_up:
                names = tuple(section.names[bot] for bot in table.table.bots)
                yield Missing(label_of(number, played), names, lacking, table.given_up)


def _champion(section: Section) -> str:
    knocked_out = section.order and not section.match_points
    if not knocked_out or not section.finished or len(section.order[0]) != 1:
        return ""
    return section.names[section.order[0][0]]
