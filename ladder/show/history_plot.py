"""A bot's rating over time as a picture: where everything of it stands."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from ladder.show import number_text
from ladder.show.axis import Scale
from ladder.show.history_axes import ends, scale_over, shares
from ladder.standings.history import History
from referee.text import plural

HEIGHT: Final = 150
_WIDTH: Final = 1000
"""Of the box in its own unit."""


class Level(Struct, frozen=True):
    """A line of the grid: its height, what stands at it, its class."""

    y: float
    label: str
    kind: str


class Line(Struct, frozen=True):
    """A version's line, and the edge of the band under it, as points of SVG."""

    edge: str
    middle: str


class VersionMark(Struct, frozen=True):
    """Where a later version begins, in percent."""

    x: str
    number: int


class HistoryPlot(Struct, frozen=True):
    """The picture of a bot.

    Attributes:
        pool: what people call the pool.
        matches: how many the bot has played there.
        told: beside its name.
        first, last: what stands at both ends of the axis of time.
    """

    pool: str
    name: str
    matches: int
    told: str
    ticks: tuple[Level, ...]
    lines: tuple[Line, ...]
    versions: tuple[VersionMark, ...]
    first: str
    last: str
    height: int = HEIGHT
    width: int = _WIDTH


def history_plots(found: Sequence[History]) -> tuple[HistoryPlot, ...]:
    """A picture for each bot that played, all on one scale."""
    drawn = [one for one in found if one.points]
    scale = scale_over([point for one in drawn for point in one.points]) if drawn else None
    return tuple(_plot(one, scale) for one in drawn if scale is not None)


def _plot(found: History, scale: Scale) -> HistoryPlot:
    now = number_text.give_or_take(found.points[-1].rating, 0)
    told = f"{now} after {plural(found.matches, 'match', 'matches')}"
    versions = len({point.version for point in found.versions})  # one may play again
    told += f", {versions} versions" if versions > 1 else ""
    ticks = tuple(
        Level(
            _y(scale, value),
            number_text.signed(value, scale.digits),
            "grid" if value else "zero",
        )
        for value in scale.ticks()
    )
    first, last = ends(found.points)
    return HistoryPlot(
        pool=found.pool,
        name=found.name,
        matches=found.matches,
        told=told,
        ticks=ticks,
        lines=tuple(_lines(found, scale)),
        versions=tuple(_versions(found)),
        first=first,
        last=last,
    )


def _y(scale: Scale, value: float) -> float:
    return round(min(max(1 - scale.share(value), 0.0), 1.0) * HEIGHT, 1)


def _lines(found: History, scale: Scale) -> Iterator[Line]:
    """The band under the line; a rating holds until the next match, and versions are apart."""
    place = [round(share * _WIDTH, 1) for share in shares(found.points)]
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
        yield Line(_joined(edge), _joined(middle))


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _versions(found: History) -> Iterator[VersionMark]:
    """Where later versions begin."""
    place = dict(zip(found.points, shares(found.points), strict=True))
    for point in found.versions[1:]:
        yield VersionMark(f"{100 * place[point]:.2f}%", point.version)
