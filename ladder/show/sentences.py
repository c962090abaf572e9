"""What stands under a table, in words: rounds, faults, and the rules behind places. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from ladder.core.tallies import FaultKind
from ladder.show.number_text import give_or_take, signed
from ladder.standings.favours import Favour, Favours
from ladder.standings.table import Again, BotEntry, Row, Standings, TableLine
from ladder.stats.favours import FEWEST
from referee.text import plural

WARNING: Final = "warning: "
"""Begins lines that say what a table cannot."""

GROUP_SHOWN: Final = 8
"""How many bots of a group that is not linked to others are named."""

_FAVOURS_RISK: Final = "how often that is said of honest bots: docs/results.md, 10"

LEGEND: Final = (
    "±: 95 % interval; points: a block won 1, level 1/2; rating: Elo-like, mean 0; deal value: "
    "against the opponents that a bot had",
    "at tables of three and more, points are the share of opponents that a bot is ahead of",
)
"""What the numbers of a table are; the second line is for tables of three and more."""


def rules_lines(section: Standings) -> Iterator[str]:
    """Lines about where places come from, what they rest on, and what they cannot say."""
    if line := places_line(section):
        yield line
    if not section.by_format and section.blocks:
        matches = plural(section.parts, "match", "matches")
        counted = "line-ups" if section.unordered else f"{matches} (processes of their own)"
        yield (
            "places: that any two bots told apart anywhere here are told apart wrongly has a risk "
            f"of 5 %; counted as independent: {counted}"
        )
    if section.left:
        yield (
            f"left out with their matches: {plural(section.left, 'version')} that no longer "
            f"{'plays' if section.left == 1 else 'play'} and did not in the last half year (--all)"
        )
    if section.unlinked:
        groups = "; ".join(", ".join(_few(group)) for group in section.unlinked)
        yield f"{WARNING}no results link these groups, so they are not compared: {groups}"
    yield from again_lines([(row.name, row.again) for row in section.rows])
    if section.favours is not None:
        yield from favour_lines(section.favours)
    if section.unordered:
        yield (
            f"{WARNING}one number does not order these bots: who beats whom differs from any order "
            "by far more than chance explains; ratings say how a bot does against all"
        )


def again_lines(rows: Sequence[tuple[str, Again | None]]) -> Iterator[str]:
    """Whether any bot is better in later meetings of a deck than in first ones; rows by name."""
    known = [(name, again) for name, again in rows if again is not None]
    named = [(name, again) for name, again in known if again.beyond]
    risk = "that any bot is named which does not remember has a risk of 1 %"
    if known and not named:
        yield f"second meetings of a deck: no bot is better in them beyond chance; {risk}"
    for name, again in named:
        yield (
            f"{WARNING}{name} is better in second meetings of a deck than in first ones, "
            f"beyond chance, {_gains(again)}: does it remember what it saw? ({risk})"
        )


def favour_lines(found: Favours, of: str = "") -> Iterator[str]:
    """Yield a line for each pair of bots or authors that stands out, or one that none does.

    Args:
        found: what a proof has found.
        of: which matches those are; "": those up to some fact.
    """
    of = of or f"as of fact {found.facts:,}"
    matches = plural(found.matches, "match", "matches")
    if not found.pairs:
        yield f"favours, {of}: {matches}: too few, since {FEWEST:.0f} are needed of a pair"
    elif not found.bots and not found.authors:
        yield (
            f"favours, {of}: in {matches} no bot lays more points on another's tricks than its "
            f"play explains, of {plural(found.pairs, 'pair')}"
        )
    for one in (*found.bots, *found.authors):
        yield f"{WARNING}{of}: {_favour(one)} ({_FAVOURS_RISK})"


def _favour(one: Favour) -> str:
    return (
        f"{one.giver} lays {give_or_take(one.points, 2)} card points more on a trick that "
        f"{one.taker} holds than its play explains, in {plural(one.gifts, 'card')} of "
        f"{plural(one.matches, 'match', 'matches')}: do they belong together?"
    )


def _gains(again: Again) -> str:
    """What second meetings brought a bot: by +4.2 ±1.3 a deal in 320 blocks."""
    told = f"by {give_or_take(again.difference)} a deal in {plural(again.blocks, 'block')}"
    if again.first is not None:
        told += f" (at its first table of each deck {give_or_take(again.first)}"
        if again.tables is not None:
            told += f"; at later tables {give_or_take(again.tables)} more than there"
        told += ")"
    return told


def _few(names: Sequence[str]) -> list[str]:
    """The first names of a group."""
    more = len(names) - GROUP_SHOWN
    return [*names[:GROUP_SHOWN], *([f"{more} more"] if more > 0 else [])]


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


def _many(bots: Sequence[BotEntry]) -> str:
    sides: dict[int, list[BotEntry]] = {}
    for bot in sorted(bots, key=lambda bot: (bot.mean is None, -(bot.mean or 0))):
        sides.setdefault(bot.side, []).append(bot)
    return ", ".join(
        " & ".join(
            bot.name if bot.mean is None else f"{bot.name} {signed(bot.mean)}" for bot in side
        )
        for side in sides.values()
    )


def fault_line(found: FaultKind[str]) -> str:
    """Faults that are alike: greedy, round 1: late: no answer x6."""
    times = f" x{found.times}" if found.times > 1 else ""
    where = f"match {found.first}" if isinstance(found.first, int) else found.first
    return f"{found.bot}, {where}: {found.code}: {found.detail}{times}"


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
        f"{plural(row.unplayed, 'deal')} charged unplayed, "
        f"{row.faulty:,} of {plural(row.seated, 'block')} faulty"
    )
