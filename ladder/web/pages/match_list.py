"""Lines of matches, as several pages have them: who played, and what it brought."""

from collections.abc import Iterable

from msgspec import Struct

from ladder.core.facts import Match
from ladder.core.roster import Roster
from ladder.show.match_json import values_of


class SeatLine(Struct, frozen=True):
    """A bot of a match; `value` is what it won or lost over all blocks."""

    entrant: int
    bot: str
    value: int
    faults: int


class MatchLine(Struct, frozen=True):
    """A match of a list; `given_up` says why it was, or is null."""

    match: int
    id: str
    at_ms: int
    pool: int
    game: str
    bots: tuple[SeatLine, ...]
    blocks: int
    given_up: str | None


def match_lines(roster: Roster, found: Iterable[tuple[int, Match]]) -> tuple[MatchLine, ...]:
    """Return a line for each match."""
    labels = roster.labels(versions=True)
    return tuple(_line(roster, labels, number, match) for number, match in found)


def _line(roster: Roster, labels: dict[int, str], number: int, match: Match) -> MatchLine:
    job, outcome = match.job, match.outcome
    seats = zip(job.entrants, values_of(match), outcome.faults, strict=True)
    return MatchLine(
        match=number,
        id=job.name,
        at_ms=match.at_ms,
        pool=job.pool,
        game=roster.pools[job.pool].label,
        bots=tuple(SeatLine(who, labels[who], value, faults) for who, value, faults in seats),
        blocks=len(outcome.blocks),
        given_up=outcome.given_up or None,
    )
