"""Estimates with their intervals as a picture: one line a bot, inline SVG. Pure.

Widths are percentages and heights pixels, so that text keeps its size on a phone.
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Final

from msgspec import Struct

from ladder.scoreboard import Estimate
from ladder.show import wording
from ladder.show.markup import Markup, join, number, tag

_ROW: Final = 42
_AXIS: Final = 26
_LEFT, _RIGHT = 2.0, 98.0
_NAME_SHOWN: Final = 36


class Mark(Struct, frozen=True):
    """A bot in a plot: its estimate, and a second one that is drawn under it."""

    label: str
    main: Estimate | None
    other: Estimate | None = None


class _Scale(Struct, frozen=True):
    low: float
    high: float
    step: float

    def at(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return f"{_LEFT + share * (_RIGHT - _LEFT):.2f}%"

    def ticks(self) -> list[float]:
        first, last = ceil(self.low / self.step), floor(self.high / self.step)
        return [self.step * at for at in range(first, last + 1)]


def plot(marks: Sequence[Mark], *, about: str, digits: int) -> Markup:
    """The picture.

    Args:
        marks: in the order in which they stand under each other.
        about: what it shows, for those who do not see it.
        digits: how many decimals its numbers have.
    """
    scale = _scale(marks)
    height = _ROW * len(marks)
    grid = [_tick(scale, value, height) for value in scale.ticks()]
    rows = [_row(scale, mark, _ROW * at, digits) for at, mark in enumerate(marks)]
    inside = (tag("title", about), *grid, *rows)
    return tag("svg", *inside, class_="plot", width="100%", height=height + _AXIS, role="img")


def _scale(marks: Sequence[Mark]) -> _Scale:
    """As wide as the intervals, with some five ticks at round numbers; zero is always in it."""
    found = [each for mark in marks for each in (mark.main, mark.other) if each is not None]
    ends = [end for each in found for end in (each.low, each.high, each.value) if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if high == low:
        low, high = -1.0, 1.0
    pad = (high - low) * 0.03
    low, high = low - pad, high + pad
    rough = (high - low) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    return _Scale(low, high, step)


def _tick(scale: _Scale, value: float, height: int) -> Markup:
    x = scale.at(value)
    digits = max(0, -floor(log10(scale.step)))
    label = number(wording.signed(value, digits))
    zero = "zero" if not value else None
    return join(
        tag("line", x1=x, x2=x, y1=0, y2=height, class_=zero or "grid"),
        tag("text", label, x=x, y=height + 18, class_="tick"),
    )


def _row(scale: _Scale, mark: Mark, top: int, digits: int) -> Markup:
    label = mark.label
    if len(label) > _NAME_SHOWN:
        label = label[: _NAME_SHOWN - 1] + "…"
    told = "no blocks" if mark.main is None else wording.signed(mark.main.value, digits)
    span = wording.from_to(mark.main, digits)
    return tag(
        "g",
        tag("title", number(f"{mark.label}: {told}{f' ({span})' if span else ''}")),
        tag("text", label, x="0", y=top + 15, class_="name"),
        tag("text", number(told), x="100%", y=top + 15, class_="value"),
        *_bar(scale, mark.main, top + 26, "main"),
        *_bar(scale, mark.other, top + 34, "other"),
    )


def _bar(scale: _Scale, found: Estimate | None, y: int, kind: str) -> list[Markup]:
    if found is None:
        return []
    parts = []
    if found.low is not None and found.high is not None:
        low, high = scale.at(found.low), scale.at(found.high)
        parts.append(tag("line", x1=low, x2=high, y1=y, y2=y, class_=f"bar {kind}"))
        ends = (low, high) if kind == "main" else ()
        parts += [tag("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="bar main") for x in ends]
    radius = 4.5 if kind == "main" else 3
    return [*parts, tag("circle", cx=scale.at(found.value), cy=y, r=radius, class_=f"dot {kind}")]
