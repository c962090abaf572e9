"""Estimates with their intervals as a picture: one line a bot, inline SVG. Pure.

Widths are percentages and heights pixels, so that text keeps its size on a phone.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ladder.show import number_text
from ladder.show.axis import Scale, scale_of
from ladder.show.html_tags import Markup, join, number, tag
from ladder.stats.estimates import Estimate

_ROW: Final = 42
_AXIS: Final = 26
_LEFT, _RIGHT = 2.0, 98.0
_NAME_SHOWN: Final = 36


class Mark(Struct, frozen=True):
    """A bot in a plot: its estimate, and a second one that is drawn under it."""

    label: str
    main: Estimate | None
    other: Estimate | None = None


def plot(marks: Sequence[Mark], *, about: str, digits: int) -> Markup:
    """The picture.

    Args:
        marks: in the order in which they stand under each other.
        about: what it shows, for those who do not see it.
        digits: how many decimals its numbers have.
    """
    found = [each for mark in marks for each in (mark.main, mark.other) if each is not None]
    scale = scale_of(found)
    height = _ROW * len(marks)
    grid = [_tick(scale, value, height) for value in scale.ticks()]
    rows = [_row(scale, mark, _ROW * at, digits) for at, mark in enumerate(marks)]
    inside = (tag("title", about), *grid, *rows)
    return tag("svg", *inside, class_="plot", width="100%", height=height + _AXIS, role="img")


def _at(scale: Scale, value: float) -> str:
    return f"{_LEFT + scale.share(value) * (_RIGHT - _LEFT):.2f}%"


def _tick(scale: Scale, value: float, height: int) -> Markup:
    x = _at(scale, value)
    label = number(number_text.signed(value, scale.digits))
    zero = "zero" if not value else None
    return join(
        tag("line", x1=x, x2=x, y1=0, y2=height, class_=zero or "grid"),
        tag("text", label, x=x, y=height + 18, class_="tick"),
    )


def _row(scale: Scale, mark: Mark, top: int, digits: int) -> Markup:
    label = mark.label
    if len(label) > _NAME_SHOWN:
        label = label[: _NAME_SHOWN - 1] + "…"
    told = "no blocks" if mark.main is None else number_text.signed(mark.main.value, digits)
    span = number_text.from_to(mark.main, digits)
    whole = number(f"{told}{f' ({span})' if span else ''}")
    return tag(
        "g",
        tag("title", f"{mark.label}: {whole}"),  # a minus in a name stays as it is
        tag("text", label, x="0", y=top + 15, class_="name"),
        tag("text", number(told), x="100%", y=top + 15, class_="value"),
        *_bar(scale, mark.main, top + 26, "main"),
        *_bar(scale, mark.other, top + 34, "other"),
    )


def _bar(scale: Scale, found: Estimate | None, y: int, kind: str) -> list[Markup]:
    if found is None:
        return []
    parts = []
    if found.low is not None and found.high is not None:
        low, high = _at(scale, found.low), _at(scale, found.high)
        parts.append(tag("line", x1=low, x2=high, y1=y, y2=y, class_=f"bar {kind}"))
        ends = (low, high) if kind == "main" else ()
        parts += [tag("line", x1=x, x2=x, y1=y - 4, y2=y + 4, class_="bar main") for x in ends]
    radius = 4.5 if kind == "main" else 3
    return [*parts, tag("circle", cx=_at(scale, found.value), cy=y, r=radius, class_=f"dot {kind}")]
