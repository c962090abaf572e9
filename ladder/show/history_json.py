"""A bot's rating over time as one JSON object."""

from typing import Any

from ladder.standings.history import History, Point

Json = dict[str, Any]


def history_json(found: History) -> Json:
    """The object, its keys in a fixed order."""
    return {
        "pool": found.pool,
        "bot": found.name,
        "matches": found.matches,
        "lowest": found.low,
        "highest": found.high,
        "versions": [
            {"version": one.version, "match": one.match, "at_ms": one.at_ms}
            for one in found.versions
        ],
        "points": [_point(one) for one in found.points],
    }


def _point(point: Point) -> Json:
    return {
        "match": point.match,
        "at_ms": point.at_ms,
        "version": point.version,
        "rating": point.rating.value,
        "low": point.rating.low,
        "high": point.rating.high,
    }
