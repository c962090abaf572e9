"""The tables of a page: standings, cross-table, and who is better than whom. Pure."""

from collections.abc import Sequence
from typing import Final

from ladder.show import number_text
from ladder.show.html_tags import Markup, number, tag
from ladder.standings.table import Cell, Row, Standings
from ladder.stats.estimates import Estimate

MOST_CROSSED_ON_PAGE: Final = 40
"""More bots than that have no cross-table on a page."""
_DASH: Final = "\N{EN DASH}"


def standings_table(section: Standings) -> Markup:
    """A row a bot, by place."""
    lucky = any(row.luck is not None for row in section.rows)
    void = any(row.voids for row in section.rows)
    matched = any(row.match_points is not None for row in section.rows)
    heads = (
        *(("match points",) if matched else ()),
        *(
            "points",
            "blocks",
            "matches",
            "deal value",
            *(("luck", "adjusted") if lucky else ()),
            "rating",
        ),
        *("faults", *(("voids",) if void else ()), "ms an act"),
    )
    head = tag(
        "tr",
        tag("th", "place", scope="col", class_="name"),
        tag("th", "bot", scope="col", class_="name"),
        *(tag("th", text, scope="col") for text in heads),
    )
    rows = (_row(row, lucky=lucky, void=void) for row in section.rows)
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return _scrolling(table, f"{section.title}: standings")


def _row(row: Row, *, lucky: bool, void: bool) -> Markup:
    luck = (tag("td", number(number_text.signed(row.luck))), _estimate(row.adjusted, 1))
    faults = tag(
        "td",
        str(row.faults),
        _small(number_text.by_code(row)),
        class_="bad" if row.faults else None,
    )
    return tag(
        "tr",
        tag("td", number_text.place(row, _DASH), class_="place"),
        tag("th", row.name, _small(_version(row)), scope="row", title=row.name),
        *((tag("td", str(row.match_points)),) if row.match_points is not None else ()),
        tag("td", number_text.points(row.points)),
        tag("td", f"{row.blocks:,}"),
        tag("td", f"{row.parts:,}"),
        _estimate(row.mean, 1),
        *(luck if lucky else ()),
        _estimate(row.rating, 0),
        faults,
        *((tag("td", str(row.voids)),) if void else ()),
        tag("td", number_text.an_act(row)),
        class_=_kind(row),
    )


def _version(row: Row) -> str:
    """In a ladder, whose bot it is and which version."""
    return f"{row.author}, v{row.version}" if row.version else ""


def _kind(row: Row) -> str | None:
    kinds = [*(["first"] if row.place == 1 else []), *(["out"] if row.benched else [])]
    return " ".join(kinds) or None


def _estimate(found: Estimate | None, digits: int) -> Markup:
    shown = number_text.UNKNOWN if found is None else number_text.signed(found.value, digits)
    return tag("td", number(shown), _small(number(number_text.from_to(found, digits))))


def _small(text: str) -> Markup:
    return tag("small", text) if text else Markup()


def cross_table(section: Standings) -> Markup:
    """Bots against bots: differences as heat, with blocks won, level and lost."""
    cells = [cell for row in section.cross for cell in row if cell is not None]
    most = max((abs(cell.difference) for cell in cells), default=0.0) or 1.0
    digits = number_text.decimals(cell.difference for cell in cells)
    caption = f"{number_text.measured(section).capitalize()}; blocks won{_DASH}level{_DASH}lost."
    return _heat(
        section, caption, [[_met(cell, most, digits) for cell in row] for row in section.cross]
    )


def _met(cell: Cell | None, most: float, digits: int) -> Markup:
    if cell is None:
        return tag("td", number_text.UNKNOWN)
    shown = number(number_text.signed(cell.difference, digits))
    tally = number_text.tally(cell).replace("-", _DASH)
    return _warm(cell.difference / most, shown, _small(tally))


def better_table(section: Standings) -> Markup:
    """How probable it is that the bot of a row is better than that of a column."""
    caption = "How probable it is, in percent and each by itself, that the row's bot is better."
    return _heat(section, caption, [[_chance(chance) for chance in row] for row in section.better])


def _chance(chance: float | None) -> Markup:
    if chance is None:
        return tag("td", number_text.UNKNOWN)
    return _warm(2 * chance - 1, number_text.percent(chance))


def _warm(degree: float, *inner: str) -> Markup:
    """A cell that is warmer the further `degree` is from 0; it lies between -1 and 1."""
    shade = f"{abs(degree):.2f}"
    if shade == "0.00":
        return tag("td", *inner)
    return tag("td", *inner, class_="b" if degree > 0 else "w", style=f"--a:{shade}")


def _heat(section: Standings, caption: str, cells: Sequence[Sequence[Markup]]) -> Markup:
    heads = (
        tag("th", str(at), scope="col", title=row.name) for at, row in enumerate(section.rows, 1)
    )
    head = tag("tr", tag("td"), *heads)
    rows = (
        tag("tr", tag("th", f"{at} {row.name}", scope="row", title=row.name), *line)
        for at, (row, line) in enumerate(zip(section.rows, cells, strict=True), 1)
    )
    inside = (tag("caption", caption), tag("thead", head), tag("tbody", *rows))
    return _scrolling(tag("table", *inside, class_="heat"), caption)


def _scrolling(table: Markup, label: str) -> Markup:
    """A table that scrolls by itself where it is wider than a phone."""
    return tag("div", table, class_="wide", role="region", aria_label=label, tabindex=0)
