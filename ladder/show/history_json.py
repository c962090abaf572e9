"""A bot's rating over time as one value for programs."""

from msgspec import Struct

from ladder.standings.history import History


class VersionJson(Struct, frozen=True):
    """A version of the bot, and its first match."""

    version: int
    match: int
    at_ms: int


class PointJson(Struct, frozen=True):
    """The rating after a match, on the scale of Elo, give or take two sigma."""

    match: int
    at_ms: int
    version: int
    rating: float
    low: float | None
    high: float | None


class HistoryJson(Struct, frozen=True):
    """A bot's rating in one pool; some of its points where there are too many."""

    pool: str
    bot: str
    matches: int
    lowest: float | None
    highest: float | None
    versions: tuple[VersionJson, ...]
    points: tuple[PointJson, ...]


def history_json(found: History) -> HistoryJson:
    """Return a history, for programs."""
    return HistoryJson(
        pool=found.pool,
        bot=found.name,
        matches=found.matches,
        lowest=found.low,
        highest=found.high,
        versions=tuple(VersionJson(one.version, one.match, one.at_ms) for one in found.versions),
        points=tuple(
            PointJson(
                one.match, one.at_ms, one.version, one.rating.value, one.rating.low, one.rating.high
            )
            for one in found.points
        ),
    )
