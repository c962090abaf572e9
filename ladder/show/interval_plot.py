"""Estimates with their intervals as a picture: where everything of it stands. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ladder.show import number_text
from ladder.show.axis import Scale, scale_of
from ladder.stats.estimates import Estimate

_ROW: Final = 42
_LEFT, _RIGHT = 2.0, 98.0
_NAME_SHOWN: Final = 36


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
    """An estimate by its places in percent; an empty interval has no ends."""

    value: str
    low: str = ""
    high: str = ""


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
    scale = scale_of(found)
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


def _at(scale: Scale, value: float) -> str:
    return f"{_LEFT + scale.share(value) * (_RIGHT - _LEFT):.2f}%"


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
    value = _at(scale, found.value)
    if found.low is None or found.high is None:
        return Bar(value)
    return Bar(value, _at(scale, found.low), _at(scale, found.high))
