"""The axes of a rating over time: moments as people read them, all UTC, and ratings."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from ladder.show.axis import Scale, scale_of
from ladder.standings.history import Point
from ladder.stats.estimates import Estimate

_DAY_MS: Final = 86_400_000


def moment(at_ms: int, span_ms: int) -> str:
    """A date, or a date and a time where all that is shown lies within two days."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC)
    return at.strftime("%Y-%m-%d" if span_ms > 2 * _DAY_MS else "%Y-%m-%d %H:%M")


def shares(points: Sequence[Point]) -> list[float]:
    """Where points lie between the first (0) and the last (1), by time; a clock may go back."""
    if not points:
        return []
    first, last = points[0].at_ms, points[-1].at_ms
    if last <= first:
        return [at / max(len(points) - 1, 1) for at in range(len(points))]
    return [min(max((point.at_ms - first) / (last - first), 0.0), 1.0) for point in points]


def ends(points: Sequence[Point]) -> tuple[str, str]:
    """What stands at both ends of the axis."""
    first, last = points[0].at_ms, points[-1].at_ms
    span = max(last - first, 0)
    return moment(first, span), moment(last, span)


def scale_over(points: Sequence[Point]) -> Scale:
    """As wide as all ratings, and the bands of that half of the points that are surest.

    A new version begins with a band that is ten times as wide as the line will ever need.
    """
    ratings = sorted((point.rating for point in points), key=_width)
    sure = ratings[: (len(ratings) + 1) // 2]
    others = (Estimate(rating.value, None, None) for rating in ratings)
    return scale_of([*sure, *others], ticks=4)


def _width(rating: Estimate) -> float:
    return 0.0 if rating.low is None or rating.high is None else rating.high - rating.low
