"""Columns that fit a terminal: narrow gaps, cut names and left-out columns before broken lines."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from referee.text import printable

LEAST_NAME: Final = 8
"""Names are not cut below that."""


class Column(Struct, frozen=True):
    """A column of a grid.

    Attributes:
        name: whether it holds names, which are cut where the line is too long.
        spare: if not 0, it is left out where the line is too long; the largest number first.
    """

    title: str
    name: bool = False
    spare: int = 0


Line = Sequence[Text]


def said(text: str, style: str = "") -> Text:
    """Text with nothing in it that a terminal would act upon."""
    return Text(printable(text), style=style)


def print_grid(to: Console, columns: Sequence[Column], lines: Sequence[Line]) -> None:
    """Prints lines under headings; names are on the left of their column, all else on the right."""
    titles = [Text(column.title, style="dim") for column in columns]
    grid = [titles, *lines]
    kept = list(range(len(columns)))
    widths = [max(cell_len(line[at].plain) for line in grid) for at in kept]
    least = [
        min(width, LEAST_NAME) if column.name else width
        for width, column in zip(widths, columns, strict=True)
    ]
    while _total(least, kept, 1) > to.width and any(columns[at].spare for at in kept):
        kept.remove(max(kept, key=lambda at: columns[at].spare))
    gap = 2 if _total(widths, kept, 2) <= to.width else 1
    for at in kept:
        if columns[at].name:
            over = _total(widths, kept, gap) - to.width
            widths[at] = max(least[at], widths[at] - max(over, 0))
    whole = Text()
    for line in grid:
        shown = Text()
        for at in kept:
            _append(shown, line[at], widths[at], left=columns[at].name)
            shown.append(" " * gap)
        shown.rstrip()
        whole.append_text(shown.append("\n"))
    to.print(whole, soft_wrap=True, end="")


def fits(to: Console, columns: int, name: int, cell: int) -> bool:
    """Whether so many cells of a width fit beside a name that may be cut."""
    return min(name, LEAST_NAME) + columns * (cell + 1) <= to.width


def _total(widths: Sequence[int], kept: Sequence[int], gap: int) -> int:
    return sum(widths[at] for at in kept) + gap * (len(kept) - 1)


def _append(shown: Text, text: Text, width: int, *, left: bool) -> None:
    """Appends a cell of a width."""
    lacking = width - cell_len(text.plain)
    if lacking < 0:
        shown.append(set_cell_size(text.plain, width - 1) + "…", style=text.style)
    elif left:
        shown.append_text(text).append(" " * lacking)
    else:
        shown.append(" " * lacking).append_text(text)
