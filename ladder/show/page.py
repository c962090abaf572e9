"""Standings as one HTML page that needs nothing else: no network, no script."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ladder.files.head_text import head_line
from ladder.show import number_text, sentences
from ladder.show.history_plot import histories_plot
from ladder.show.html_tables import MOST_CROSSED_ON_PAGE, better_table, cross_table, standings_table
from ladder.show.html_tags import Markup, join, tag
from ladder.show.interval_plot import Mark, plot
from ladder.standings.heading import Heading
from ladder.standings.history import History
from ladder.standings.table import Standings
from referee.text import plural

MOST_PLOTTED: Final = 64
"""Bots in a plot; the best ones, where there are more."""

_STYLE: Final = Path(__file__).with_name("page.css")
_NOTES: Final = (
    "A block is one deck in all its seatings; counted as independent is a match: blocks that the "
    "same processes played. Intervals are 95 %; bots that cannot be told apart share places. "
    "Points: a block won is 1, a level one a half; at tables of many, the share of the others that "
    "a bot is ahead of. Rating: Elo-like, fitted to all blocks at once, the field's mean at 0."
)


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
    drawn = [
        _section(at, section, found)
        for at, (section, found) in enumerate(zip(sections, over_time, strict=True), 1)
    ]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{heading.name}: standings"),
        tag("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    )
    body = tag(
        "body",
        _header(heading, sections),
        tag("main", *drawn),
        _footer(heading),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _header(heading: Heading, sections: Sequence[Standings]) -> Markup:
    played = ", ".join(
        (
            plural(len(sections), "game"),
            plural(sum(section.blocks for section in sections), "block"),
            plural(sum(section.deals for section in sections), "deal"),
        )
    )
    links = (tag("a", section.title, href=f"#game-{at}") for at, section in enumerate(sections, 1))
    return tag(
        "header",
        tag("p", "Standings", class_="kicker"),
        tag("h1", heading.name),
        tag("p", played, class_="quiet"),
        tag("nav", *links, aria_label="games") if len(sections) > 1 else "",
    )


def _section(at: int, section: Standings, found: Sequence[History]) -> Markup:
    about = " · ".join(
        text for text in (section.options, section.format, number_text.amounts(section)) if text
    )
    crossed = 1 < len(section.rows) <= MOST_CROSSED_ON_PAGE
    told = any(chance is not None for row in section.better for chance in row)
    return tag(
        "section",
        tag("h2", section.title),
        tag("p", about, class_="quiet"),
        "" if section.finished else tag("p", "Not finished: this is how it stands.", class_="open"),
        _champion(section),
        standings_table(section),
        *(tag("p", line, class_="quiet") for line in _rules(section)),
        _plots(section),
        histories_plot(found),
        _rounds(section),
        join(tag("h3", "Bot against bot"), cross_table(section)) if crossed else "",
        join(tag("h3", "Who is better"), better_table(section)) if crossed and told else "",
        _remarks(section),
        id=f"game-{at}",
    )


def _champion(section: Standings) -> str:
    if not section.champion:
        return ""
    return tag("p", "Champion: ", tag("strong", section.champion), class_="champion")


def _rules(section: Standings) -> list[str]:
    """How the table came about."""
    lines = sentences.rules_lines(section)
    return [*(f"{line[0].upper()}{line[1:]}." for line in lines), _decided(section)]


def _rounds(section: Standings) -> Markup:
    if not section.by_format or not section.rounds:
        return Markup()
    lines = (tag("li", line) for line in sentences.round_lines(section))
    return join(tag("h3", "Rounds"), tag("ul", *lines))


def _decided(section: Standings) -> str:
    line = number_text.luck_line(section)
    decided = "luck-adjusted" if section.by_adjusted else "raw"
    return f"{line[0].upper()}{line[1:]}. Points and rating are {decided}."


def _plots(section: Standings) -> Markup:
    rows = section.rows[:MOST_PLOTTED]
    lucky = any(row.luck is not None for row in rows)
    values = [Mark(row.name, row.mean, row.adjusted) for row in rows]
    ratings = [Mark(row.name, row.rating) for row in rows]
    second = "; under it, lighter, with luck taken out" if lucky else ""
    figures = [
        _figure("Deal value", f"Mean over blocks, with its 95 % interval{second}.", values, 1),
        _figure("Rating", "On the scale of Elo, the field's mean at 0.", ratings, 0),
    ]
    return tag("div", *figures, class_="plots")


def _figure(title: str, told: str, marks: Sequence[Mark], digits: int) -> Markup:
    if not any(mark.main for mark in marks):
        return Markup()
    caption = tag("figcaption", tag("strong", title), told)
    return tag("figure", caption, plot(marks, about=f"{title} by bot", digits=digits))


def _remarks(section: Standings) -> Markup:
    faults = [line for line in map(sentences.given_up_line, section.rows) if line]
    faults += map(sentences.fault_line, section.faults)
    if more := sentences.more_faults(section, len(section.faults)):
        faults.append(f"and {more:,} more")
    lists = {
        "Benched": [f"{row.name}: {row.benched}" for row in section.rows if row.benched],
        "Faults": faults,
        "Left out": [
            f"{plural(one.blocks, 'block')} of {', '.join(one.names)} ({one.round}): {one.why}"
            for one in section.missing
        ],
    }
    return join(
        *(
            join(tag("h3", title), tag("ul", *(tag("li", line) for line in lines)))
            for title, lines in lists.items()
            if lines
        )
    )


def _footer(heading: Heading) -> Markup:
    called = heading.kind.capitalize()
    told = {
        called: heading.name,
        "Key": heading.key,
        "Commitment": heading.commitment,
        "Game digest": heading.digest,
        "Head": "" if heading.head is None else head_line(heading.head),
        "Referee": heading.version and f"briscola-referee {heading.version}",
    }
    pairs = (
        join(tag("dt", what), tag("dd", tag("code", value) if what != called else value))
        for what, value in told.items()
        if value
    )
    return tag("footer", tag("div", tag("p", _NOTES), tag("dl", *pairs)))
