"""A bot's rating over time as a picture: a line in its band, inline SVG.

The line is drawn in a box that stretches with the page, its strokes do not, and all text is placed
by percentages, so that it keeps its size on a phone.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from ladder.show import number_text
from ladder.show.axis import Scale
from ladder.show.history_axes import ends, scale_over, shares
from ladder.show.html_tags import Markup, join, number, tag
from ladder.standings.history import BAND, History
from referee.text import plural

HEIGHT: Final = 150
_AXIS: Final = 26
_WIDTH: Final = 1000
"""Of the box in its own unit."""


def histories_plot(found: Sequence[History]) -> Markup:
    """A picture for each bot that played, all on one scale, with a heading; empty without any."""
    drawn = [one for one in found if one.points]
    if not drawn:
        return Markup()
    scale = scale_over([point for one in drawn for point in one.points])
    told = (
        f"The online rating that tables are made by, after each match, give or take {BAND} sigma; "
        "on the scale of Elo, where each version begins at 0."
    )
    return join(
        tag("h3", "Rating over time"),
        tag("p", told, class_="quiet"),
        tag("div", *(_figure(one, scale) for one in drawn), class_="plots"),
    )


def _figure(found: History, scale: Scale) -> Markup:
    now = number(number_text.give_or_take(found.points[-1].rating, 0))
    told = f"{now} after {plural(found.matches, 'match', 'matches')}"
    versions = len(found.versions)
    told += f", {versions} versions" if versions > 1 else ""
    caption = tag("figcaption", tag("strong", found.name), told)
    return tag("figure", caption, history_plot(found, scale))


def history_plot(found: History, scale: Scale) -> Markup:
    """The picture of a bot with one point at least.

    Args:
        found: its history.
        scale: of the ratings, which pictures beside each other share.
    """
    grid = [_tick(scale, value) for value in scale.ticks()]
    first, last = ends(found.points)
    return tag(
        "svg",
        tag("title", f"{found.name}: rating over time"),
        *grid,
        _line(found, scale),
        *_versions(found),
        tag("text", first, x="0", y=HEIGHT + 18, class_="tick first"),
        tag("text", last, x="100%", y=HEIGHT + 18, class_="tick last"),
        class_="plot history",
        width="100%",
        height=HEIGHT + _AXIS,
        role="img",
    )


def _y(scale: Scale, value: float) -> float:
    return round(min(max(1 - scale.share(value), 0.0), 1.0) * HEIGHT, 1)


def _tick(scale: Scale, value: float) -> Markup:
    y = _y(scale, value)
    kind = "grid" if value else "zero"
    label = number(number_text.signed(value, scale.digits))
    return join(
        tag("line", x1="0", x2="100%", y1=y, y2=y, class_=kind),
        tag("text", label, x="0", y=round(y - 3, 1), class_="tick first"),
    )


def _line(found: History, scale: Scale) -> Markup:
    """The band under the line; a rating holds until the next match, and versions are apart."""
    place = [round(share * _WIDTH, 1) for share in shares(found.points)]
    parts: list[Markup] = []
    begins = [at for at, point in enumerate(found.points) if point in found.versions]
    for begin, end in zip(begins, [*begins[1:], len(found.points)], strict=True):
        ratings = [point.rating for point in found.points[begin:end]]
        xs = place[begin:end]
        if len(xs) == 1:  # a line of one point is not drawn
            xs, ratings = [max(xs[0] - 4, 0.0), min(xs[0] + 4, float(_WIDTH))], ratings * 2
        high = [_y(scale, each.value if each.high is None else each.high) for each in ratings]
        low = [_y(scale, each.value if each.low is None else each.low) for each in ratings]
        edge = (*zip(xs, high, strict=True), *zip(xs[::-1], low[::-1], strict=True))
        middle = zip(xs, (_y(scale, each.value) for each in ratings), strict=True)
        parts.append(tag("polygon", points=_joined(edge), class_="band"))
        parts.append(tag("polyline", points=_joined(middle), class_="line"))
    box = f"0 0 {_WIDTH} {HEIGHT}"
    return tag("svg", *parts, viewBox=box, width="100%", height=HEIGHT, preserveAspectRatio="none")


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _versions(found: History) -> list[Markup]:
    """Where later versions begin."""
    place = dict(zip(found.points, shares(found.points), strict=True))
    marks = []
    for point in found.versions[1:]:
        x = f"{100 * place[point]:.2f}%"
        marks.append(tag("line", x1=x, x2=x, y1=0, y2=HEIGHT, class_="version"))
        marks.append(tag("text", f"v{point.version}", x=x, y=12, class_="tick"))
    return marks
