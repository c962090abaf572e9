"""Standings as one HTML page that needs nothing else: no network, no script."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ladder.files.head_text import head_line
from ladder.show import number_text, sentences
from ladder.show.history_plot import HistoryPlot, history_plots
from ladder.show.html_templates import rendered
from ladder.show.interval_plot import IntervalPlot, Mark, interval_plot
from ladder.standings.heading import Heading
from ladder.standings.history import History
from ladder.standings.table import Standings
from referee.text import plural

MOST_PLOTTED: Final = 64
"""Bots in a plot; the best ones, where there are more."""

MOST_CROSSED_ON_PAGE: Final = 40
"""More bots than that have no cross-table on a page."""


class PageSection(Struct, frozen=True):
    """A section of the page: its standings, and what is told beside them.

    Attributes:
        rules: how the table came about.
        rounds: a line each; empty where the format says no order.
        is_crossed: whether it has a table of bots against bots.
        most: the largest difference in it, by which its cells are warm.
        digits: how many decimals they have.
        tells_better: whether it is known of any two who is better.
        remarks: lists by title, some empty.
    """

    standings: Standings
    about: str
    rules: tuple[str, ...]
    figures: tuple[IntervalPlot, ...]
    histories: tuple[HistoryPlot, ...]
    rounds: tuple[str, ...]
    is_crossed: bool
    most: float
    digits: int
    tells_better: bool
    remarks: dict[str, list[str]]


def page(
    heading: Heading,
    sections: Sequence[Standings],
    histories: Sequence[Sequence[History]] = (),
) -> str:
    """The page; the same standings give the same bytes.

    Args:
        heading: the event, or the ladder.
        sections: its sections, in the event's order, or its pools.
        histories: of each pool's best bots over time, in the order of the pools; empty for none.
    """
    over_time = histories or [()] * len(sections)
    amounts = (
        plural(len(sections), "game"),
        plural(sum(section.blocks for section in sections), "block"),
        plural(sum(section.deals for section in sections), "deal"),
    )
    return rendered(
        "page.html",
        heading=heading,
        played=", ".join(amounts),
        sections=[page_section(*pair) for pair in zip(sections, over_time, strict=True)],
        proofs={
            "Key": heading.key,
            "Commitment": heading.commitment,
            "Game digest": heading.digest,
            "Head": "" if heading.head is None else head_line(heading.head),
            "Referee": heading.version and f"briscola-referee {heading.version}",
        },
    )


def page_section(section: Standings, found: Sequence[History]) -> PageSection:
    """Return what stands on a page of a section, with the histories of its best bots."""
    about = (section.options, section.format, number_text.amounts(section))
    met = [cell.difference for row in section.cross for cell in row if cell is not None]
    return PageSection(
        standings=section,
        about=" · ".join(filter(None, about)),
        rules=_rules(section),
        figures=_figures(section),
        histories=history_plots(found),
        rounds=tuple(sentences.round_lines(section)) if section.by_format else (),
        is_crossed=1 < len(section.rows) <= MOST_CROSSED_ON_PAGE,
        most=max(map(abs, met), default=0.0) or 1.0,
        digits=number_text.decimals(met),
        tells_better=any(chance is not None for row in section.better for chance in row),
        remarks=_remarks(section),
    )


def _rules(section: Standings) -> tuple[str, ...]:
    luck = number_text.luck_line(section)
    decided = "luck-adjusted" if section.by_adjusted else "raw"
    lines = (*sentences.rules_lines(section), f"{luck}. Points and rating are {decided}")
    return tuple(f"{line[0].upper()}{line[1:]}." for line in lines)


def _figures(section: Standings) -> tuple[IntervalPlot, ...]:
    rows = section.rows[:MOST_PLOTTED]
    lucky = any(row.luck is not None for row in rows)
    second = "; under it, lighter, with luck taken out" if lucky else ""
    values = [Mark(row.name, row.mean, row.adjusted) for row in rows]
    ratings = [Mark(row.name, row.rating) for row in rows]
    drawn = (
        ("Deal value", f"Mean over blocks, with its 95 % interval{second}.", values, 1),
        ("Rating", "On the scale of Elo, the field's mean at 0.", ratings, 0),
    )
    return tuple(
        interval_plot(title, told, marks, digits=digits)
        for title, told, marks, digits in drawn
        if any(mark.main for mark in marks)
    )


def _remarks(section: Standings) -> dict[str, list[str]]:
    faults = [line for line in map(sentences.given_up_line, section.rows) if line]
    faults += map(sentences.fault_line, section.faults)
    if more := sentences.more_faults(section, len(section.faults)):
        faults.append(f"and {more:,} more")
    return {
        "Benched": [f"{row.name}: {row.benched}" for row in section.rows if row.benched],
        "Faults": faults,
        "Left out": [
            f"{plural(one.blocks, 'block')} of {', '.join(one.names)} ({one.round}): {one.why}"
            for one in section.missing
        ],
    }
