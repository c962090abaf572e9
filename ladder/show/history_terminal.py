"""A bot's rating over time on a terminal, or in a pipe as plain text."""

from typing import Final

from rich.console import Console
from rich.text import Text

from ladder.show import number_text
from ladder.show.axis import Scale
from ladder.show.history_axes import ends, scale_over, shares
from ladder.show.text_table import said
from ladder.standings.history import BAND, History
from ladder.stats.estimates import Estimate
from referee.text import plural

ROWS: Final = 12
WIDEST: Final = 100
"""Columns of a chart on a wide terminal, and in a pipe."""
_LEAST: Final = 20
_LINE, _BAND, _BORDER = "●", "░", "│"

LEGEND: Final = (
    f"{_LINE} rating after a match, {_BAND} give or take {BAND} sigma: the online rating that "
    "tables are made by, on the scale of Elo; a new version begins at 0"
)


def print_history(to: Console, found: History) -> None:
    """Prints a chart and what stands beside it.

    Args:
        to: `referee.terminal.console.console()`; the chart is as wide as a terminal, but not wider
            than 100.
        found: the history.
    """
    to.print(said(found.name, "bold") + said(f"  {found.pool}"))
    to.print(said(plural(found.matches, "match", "matches"), "dim"))
    if not found.points or found.low is None or found.high is None:
        to.print(said("no matches yet: there is no rating to draw"))
        return
    to.print()
    for line in _chart(found, min(to.width, WIDEST)):
        to.print(said(line), soft_wrap=True)
    to.print()
    now = number_text.give_or_take(found.points[-1].rating, 0)
    low, high = (number_text.signed(value, 0) for value in (found.low, found.high))
    to.print(said(f"now {now}; lowest {low}, highest {high}"))
    if len(found.versions) > 1:
        (first, last), times = ends(found.versions), found.versions
        told = f"{len(times)} versions: v{times[0].version} {first} to v{times[-1].version} {last}"
        to.print(said(told))
    to.print(Text(LEGEND, "dim"))


def _chart(found: History, width: int) -> list[str]:
    """Lines with an axis on the left and one below."""
    scale = scale_over(found.points)
    labels = {_row(scale, tick): number_text.signed(tick, 0) for tick in scale.ticks()}
    margin = max(map(len, labels.values()), default=0)
    columns = max(width - margin - 2, _LEAST)
    grid = _drawn(scale, found, columns)
    lines = [
        f"{labels.get(row, ''):>{margin}} {'┤' if row in labels else _BORDER}{''.join(cells)}"
        for row, cells in enumerate(grid)
    ]
    first, last = ends(found.points)
    under = f"{first}{last:>{max(columns - len(first), len(last) + 1)}}"
    versions = _versions(found, columns)
    return [
        *(line.rstrip() for line in lines),
        f"{'':>{margin}} └{'─' * columns}",
        *([f"{'':>{margin}}  {versions}"] if versions else []),
        f"{'':>{margin}}  {under}",
    ]


def _row(scale: Scale, value: float) -> int:
    """Which line of the chart a value is on, the top one being 0."""
    return min(max(round((1 - scale.share(value)) * (ROWS - 1)), 0), ROWS - 1)


def _drawn(scale: Scale, found: History, columns: int) -> list[list[str]]:
    """The band, and the line over it; a column without a point is like the one before."""
    by_column: dict[int, list[Estimate]] = {}
    for point, share in zip(found.points, shares(found.points), strict=True):
        by_column.setdefault(round(share * (columns - 1)), []).append(point.rating)
    grid = [[" "] * columns for _ in range(ROWS)]
    here: list[Estimate] = []
    for column in range(columns):
        fresh = column in by_column
        here = by_column[column] if fresh else here[-1:]
        for rating in here[-1:]:
            for row in range(_row(scale, rating.high or 0), _row(scale, rating.low or 0) + 1):
                grid[row][column] = _BAND
        for rating in here:
            grid[_row(scale, rating.value)][column] = _LINE if fresh else "─"
    return grid


def _versions(found: History, columns: int) -> str:
    """Where versions begin, under the axis; those that have no room are left out."""
    if len(found.versions) < 2:
        return ""
    place = dict(zip(found.points, shares(found.points), strict=True))
    line = ""
    for point in found.versions:
        at, label = round(place[point] * (columns - 1)), f"v{point.version}"
        at = min(at, columns - len(label))
        if at > len(line) or not line:
            line = line.ljust(at) + label
    return line
