"""What stands under a table, in words: rounds, faults, and the rules behind places. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from ladder.scoreboard import BotLine, FaultLine, Row, Standings, TableLine
from ladder.show.wording import signed
from referee.wording import plural

LEGEND: Final = (
    "±: 95 % interval; points: a block won 1, level 1/2; rating: Elo-like, mean 0",
    "at tables of three and more, points are the share of opponents that a bot is ahead of",
)
"""What the numbers of a table are; the second line is for tables of three and more."""


def alone_line(section: Standings) -> str:
    """The rule for faulty blocks at larger tables, where it was needed; else ""."""
    if not section.alone:
        return ""
    return (
        "at tables of three and more a block with a fault counts for the bot at fault only: "
        f"{section.alone:,} of {plural(section.blocks, 'block')}"
    )


def places_line(section: Standings) -> str:
    """Where places come from, if not from the rating; else ""."""
    if not section.by_format:
        return ""
    told = "places are those of the format"
    told += "" if section.finished else ", as far as rounds are finished"
    if any(row.match_points is not None for row in section.rows):
        told += (
            ": by match points (2 for an opponent beaten over a round, 1 for a level one; a bye "
            "counts as a win), then by deal value"
        )
    return told


def round_lines(section: Standings) -> Iterator[str]:
    """A line for each table of each round, and one for those who rested.

    Who only waits while others meet again has no bye that anybody would look for.
    """
    before: set[frozenset[str]] = set()
    for played in section.rounds:
        met = {frozenset(bot.name for bot in table.bots) for table in played.tables}
        again, before = met <= before, met
        for table in played.tables:
            lacking = played.blocks - table.blocks
            less = f", {table.blocks} of {plural(played.blocks, 'block')}" if lacking else ""
            yield f"{played.label}: {_met(table)}{less}{' (given up)' * table.given_up}"
        if played.byes and not again:
            yield f"{played.label}: {'byes' if len(played.byes) > 1 else 'bye'}: " + ", ".join(
                played.byes
            )


def _met(table: TableLine) -> str:
    """Two bots as greedy 7-3 random (+12.4), the blocks level told of; more by their means."""
    if len(table.bots) > 2:
        return _many(table.bots)
    one, other = table.bots
    if one.mean is None:
        return f"{one.name} - {other.name}"
    level = f", {one.level} level" if one.level else ""
    return f"{one.name} {one.won}-{one.lost} {other.name}{level} ({signed(one.mean)})"


def _many(bots: Sequence[BotLine]) -> str:
    sides: dict[int, list[BotLine]] = {}
    for bot in sorted(bots, key=lambda bot: (bot.mean is None, -(bot.mean or 0))):
        sides.setdefault(bot.side, []).append(bot)
    return ", ".join(
        " & ".join(
            bot.name if bot.mean is None else f"{bot.name} {signed(bot.mean)}" for bot in side
        )
        for side in sides.values()
    )


def fault_line(found: FaultLine) -> str:
    """Faults that are alike: greedy, round 1: late: no answer x6."""
    times = f" x{found.times}" if found.times > 1 else ""
    where = f", {found.round}" if found.round else ""
    return f"{found.name}{where}: {found.code}: {found.detail}{times}"


def more_faults(section: Standings, shown: int) -> int:
    """How many faults there are beyond those in so many lines."""
    told = sum(found.times for found in section.faults[:shown])
    return max(sum(row.faults for row in section.rows) - told, 0)


def given_up_line(row: Row) -> str:
    """What became of a bot that had too many faults to be asked any further; else ""."""
    if not row.unplayed:
        return ""
    return (
        f"{row.name}: {plural(row.faults, 'fault')}, then given up: "
        f"{row.faulty:,} of {plural(row.seated, 'block')} count as faulty"
    )
