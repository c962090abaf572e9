"""The standings of an event or a ladder on a terminal, or in a pipe as plain text."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from ladder.files.head_text import head_line
from ladder.show import number_text, sentences
from ladder.show.text_table import Column, fits, print_grid, said
from ladder.standings.heading import Heading
from ladder.standings.table import Cell, Standings
from referee.text import plural

MOST_CROSSED_IN_TERMINAL: Final = 12
"""More bots than that have no cross-table on a terminal."""
FAULTS_SHOWN: Final = 10
ROUNDS_SHOWN: Final = 32
"""Lines about rounds; the last ones, where there are more."""
_SURE: Final = 0.975


def print_standings(to: Console, heading: Heading, sections: Sequence[Standings]) -> None:
    """Prints them.

    Args:
        to: `referee.terminal.console.console()`; on a terminal, names are cut to its width.
        heading: the event, or the ladder.
        sections: its sections, in the event's order, or its pools.
    """
    for section in sections:
        _print_section(to, section)
    _print_legend(to, sections)
    for what, where in heading.files:
        to.print(said(f"{what}: {where}"), soft_wrap=True)
    if heading.head is not None:
        to.print(said(f"head: {head_line(heading.head)}", "dim"), soft_wrap=True)
    if heading.digest:
        to.print(said(f"game digest: {heading.digest}"), soft_wrap=True)
    if heading.key:
        told = f"key: {heading.key} (deals the same cards again)"
        to.print(said(told, "dim"), soft_wrap=True)


def _print_section(to: Console, section: Standings) -> None:
    about = ", ".join(text for text in (section.options, section.format) if text)
    to.print(said(section.title, "bold") + said(f"  {about}" if about else ""))
    to.print(said(number_text.amounts(section), "dim"))
    if not section.finished:
        to.print(said("not finished: this is how it stands", "yellow"))
    to.print()
    if not section.rows:
        to.print(said("no bots yet", "dim"))
        to.print()
        return
    _print_rows(to, section)
    for line in sentences.rules_lines(section):
        to.print(said(line, "yellow" if line.startswith(sentences.WARNING) else "dim"))
    _print_rounds(to, section)
    to.print()
    _print_accounts(to, section)
    if len(section.rows) <= MOST_CROSSED_IN_TERMINAL:
        _print_cross(to, section)
        _print_better(to, section)
    else:
        to.print()
        told = f"cross-table: left out of a terminal for {len(section.rows)} bots"
        to.print(said(told, "dim"))
    _print_remarks(to, section)
    to.print()


def _print_rows(to: Console, section: Standings) -> None:
    lucky = any(row.luck is not None for row in section.rows)
    matched = any(row.match_points is not None for row in section.rows)
    versions = any(row.version for row in section.rows)
    columns = [
        Column("place"),
        Column("bot", name=True),
        *((Column("author", name=True, spare=6), Column("v", spare=5)) if versions else ()),
        *((Column("match points"),) if matched else ()),
        Column("points", spare=1 if matched else 0),
        Column("blocks", spare=2),
        Column("deal value"),
        *((Column("luck", spare=4), Column("adjusted", spare=3)) if lucky else ()),
        Column("rating"),
    ]
    lines = []
    for row in section.rows:
        luck = (
            (number_text.signed(row.luck), number_text.give_or_take(row.adjusted)) if lucky else ()
        )
        cells = (
            *((str(row.match_points),) if matched else ()),
            *(number_text.points(row.points), str(row.blocks), number_text.give_or_take(row.mean)),
            *(*luck, number_text.give_or_take(row.rating, 0)),
        )
        name = said(row.name, "dim strike" if row.benched else "bold" if row.place == 1 else "")
        version = (said(row.author, "dim"), Text(str(row.version))) if versions else ()
        lines.append((Text(number_text.place(row)), name, *version, *map(Text, cells)))
    print_grid(to, columns, lines)


def _print_rounds(to: Console, section: Standings) -> None:
    """Who met whom, where that follows from what was played before."""
    lines = list(sentences.round_lines(section)) if section.by_format else []
    if not lines:
        return
    to.print()
    if section.champion:
        to.print(said(f"champion: {section.champion}", "bold"))
    if more := len(lines[:-ROUNDS_SHOWN]):
        told = f"... {plural(more, 'line')} about earlier rounds: left out of a terminal"
        to.print(said(told, "dim"))
    for line in lines[-ROUNDS_SHOWN:]:
        to.print(said(line))


def _print_accounts(to: Console, section: Standings) -> None:
    faulty = any(row.faults or row.unplayed for row in section.rows)
    void = any(row.voids for row in section.rows)
    unplayed = any(row.unplayed for row in section.rows)
    columns = [
        Column("bot", name=True),
        Column("matches"),
        Column("faults"),
        *((Column("unplayed"),) if unplayed else ()),
        *((Column("voids"),) if void else ()),
        Column("time"),
        Column("ms an act"),
        *((Column("of which", name=True),) if faulty else ()),
    ]
    lines = []
    for row in section.rows:
        line = [said(row.name), Text(f"{row.parts:,}")]
        line += [Text(str(row.faults), style="red" if row.faults else "")]
        line += [Text(str(row.unplayed))] if unplayed else []
        line += [Text(str(row.voids))] if void else []
        line += [Text(number_text.duration(row.time.used_us)), Text(number_text.an_act(row))]
        line += [Text(number_text.by_code(row))] if faulty else []
        lines.append(line)
    print_grid(to, columns, lines)


def _numbered(section: Standings) -> list[Text]:
    widest = len(str(len(section.rows)))
    return [said(f"{at:>{widest}} {row.name}") for at, row in enumerate(section.rows, 1)]


def _print_cross(to: Console, section: Standings) -> None:
    """Differences with blocks won, level and lost under them, where there is room for those."""
    cells = [cell for row in section.cross for cell in row if cell is not None]
    if not cells:
        return
    digits, names = number_text.decimals(cell.difference for cell in cells), _numbered(section)
    widest = max(len(number_text.tally(cell)) for cell in cells)
    roomy = fits(to, len(names), max(map(len, names)), widest)
    lines = []
    for name, row in zip(names, section.cross, strict=True):
        lines.append([name, *(_difference(cell, digits) for cell in row)])
        if roomy and any(cell is not None for cell in row):
            under = (Text("" if cell is None else number_text.tally(cell), "dim") for cell in row)
            lines.append([Text(""), *under])
    told = f"{number_text.measured(section)}{'; won-level-lost' if roomy else ''}"
    _print_square(to, told, lines)


def _difference(cell: Cell | None, digits: int) -> Text:
    if cell is None:
        return Text(number_text.UNKNOWN, style="dim")
    style = "green" if cell.difference > 0 else "red" if cell.difference < 0 else ""
    return Text(number_text.signed(cell.difference, digits), style=style)


def _print_better(to: Console, section: Standings) -> None:
    if not any(chance is not None for row in section.better for chance in row):
        return
    lines = [
        [name, *map(_chance, row)]
        for name, row in zip(_numbered(section), section.better, strict=True)
    ]
    _print_square(
        to, "how probable it is, in %, each by itself, that the row's bot is the better one", lines
    )


def _chance(chance: float | None) -> Text:
    if chance is None:
        return Text(number_text.UNKNOWN, style="dim")
    style = "green" if chance >= _SURE else "red" if chance <= 1 - _SURE else ""
    return Text(number_text.percent(chance), style=style)


def _print_square(to: Console, told: str, lines: Sequence[Sequence[Text]]) -> None:
    to.print()
    to.print(said(told, "italic"))
    numbers = (Column(str(at)) for at in range(1, len(lines[0])))
    print_grid(to, [Column("", name=True), *numbers], lines)


def _print_remarks(to: Console, section: Standings) -> None:
    to.print()
    decided = "luck-adjusted" if section.by_adjusted else "raw"
    to.print(said(f"{number_text.luck_line(section)}; points and rating are {decided}"))
    for row in section.rows:
        if row.benched:
            to.print(said(f"benched: {row.name}: {row.benched}", "yellow"))
    for row in section.rows:
        if row.unplayed:
            to.print(said(sentences.given_up_line(row), "red"))
    for one in section.faults[:FAULTS_SHOWN]:
        to.print(said(f"fault: {sentences.fault_line(one)}", "red"))
    if more := sentences.more_faults(section, FAULTS_SHOWN):
        to.print(said(f"... and {plural(more, 'fault')} more", "dim"))
    for lack in section.missing:
        names = " - ".join(lack.names)
        what = f"left out: {plural(lack.blocks, 'block')} of {names}, {lack.round}"
        to.print(said(f"{what}: {lack.why}", "yellow"))


def _print_legend(to: Console, sections: Sequence[Standings]) -> None:
    for line in sentences.LEGEND[: 1 if all(one.two_sided for one in sections) else 2]:
        to.print(said(line, "dim"))
