"""Estimates with their intervals as a picture: where everything of it stands. Pure."""

from collections.abc import Sequence
from statistics import quantiles
from typing import Final

from msgspec import Struct

from ladder.show import number_text
from ladder.show.axis import Scale, scale_of
from ladder.stats.estimates import Estimate

_ROW: Final = 42
_LEFT, _RIGHT = 2.0, 98.0
_NAME_SHOWN: Final = 36

_FEWEST: Final = 5
"""Estimates below which none is beyond the axis: which would be the odd one?"""

_FAR: Final = 4.0
"""Times the width of the middle half, from its ends: an estimate further out is beyond the axis."""


class Mark(Struct, frozen=True):
    """A bot in a plot: its estimate, and a second one that is drawn under it."""

    name: str
    main: Estimate | None
    other: Estimate | None = None


class Tick(Struct, frozen=True):
    """A line of the grid: its place in percent, what stands at it, its class."""

    x: str
    label: str
    kind: str


class Bar(Struct, frozen=True):
    """An estimate by its places in percent; an empty interval has no ends.

    Attributes:
        beyond: "left" or "right" where the value lies off the axis, and is drawn at its end.
    """

    value: str
    low: str = ""
    high: str = ""
    beyond: str = ""


class PlotRow(Struct, frozen=True):
    """A line of the picture.

    Attributes:
        label: the name, cut where it is long.
        told: the estimate.
        whole: the same with its interval.
        top: pixels above it.
    """

    name: str
    label: str
    told: str
    whole: str
    top: int
    main: Bar | None
    other: Bar | None


class IntervalPlot(Struct, frozen=True):
    """The picture; `told` stands beside its title, `height` is in pixels, without the axis."""

    title: str
    told: str
    height: int
    ticks: tuple[Tick, ...]
    rows: tuple[PlotRow, ...]


def interval_plot(title: str, told: str, marks: Sequence[Mark], *, digits: int) -> IntervalPlot:
    """The picture of some estimates.

    Args:
        title: what they are of.
        told: about them, in a sentence.
        marks: in the order in which they stand under each other.
        digits: how many decimals its numbers have.
    """
    found = [each for mark in marks for each in (mark.main, mark.other) if each is not None]
    scale = scale_of(_on_axis(found))
    ticks = tuple(
        Tick(
            _at(scale, value),
            number_text.signed(value, scale.digits),
            "grid" if value else "zero",
        )
        for value in scale.ticks()
    )
    rows = tuple(_row(scale, mark, _ROW * at, digits) for at, mark in enumerate(marks))
    return IntervalPlot(title, told, _ROW * len(marks), ticks, rows)


def _on_axis(found: Sequence[Estimate]) -> list[Estimate]:
    """Return the estimates that the axis is made for.

    A few that are far from all others, of broken bots as a rule, would leave these no room: they
    are drawn at its end.
    """
    if len(found) < _FEWEST:
        return list(found)
    low, _, high = quantiles([each.value for each in found], n=4, method="inclusive")
    room = _FAR * (high - low)
    near = [each for each in found if low - room <= each.value <= high + room]
    return near if high > low else list(found)


def _at(scale: Scale, value: float) -> str:
    share = min(max(scale.share(value), 0.0), 1.0)
    return f"{_LEFT + share * (_RIGHT - _LEFT):.2f}%"


def _beyond(scale: Scale, value: float) -> str:
    if scale.low <= value <= scale.high:
        return ""
    return "left" if value < scale.low else "right"


def _row(scale: Scale, mark: Mark, top: int, digits: int) -> PlotRow:
    label = mark.name
    if len(label) > _NAME_SHOWN:
        label = label[: _NAME_SHOWN - 1] + "…"
    told = "no blocks" if mark.main is None else number_text.signed(mark.main.value, digits)
    span = number_text.from_to(mark.main, digits)
    whole = f"{told} ({span})" if span else told
    main, other = _bar(scale, mark.main), _bar(scale, mark.other)
    return PlotRow(mark.name, label, told, whole, top, main, other)


def _bar(scale: Scale, found: Estimate | None) -> Bar | None:
    if found is None:
        return None
    value, beyond = _at(scale, found.value), _beyond(scale, found.value)
    if found.low is None or found.high is None:
        return Bar(value, beyond=beyond)
    return Bar(value, _at(scale, found.low), _at(scale, found.high), beyond)
