"""Matches in a row: who played, and what it brought."""

from collections.abc import Iterable

from msgspec import Struct

from ladder.core.facts import Match
from ladder.core.roster import Roster
from ladder.show.match_json import values_of
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page

SHOWN = 50


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


class MatchesJson(Struct, frozen=True):
    """Matches, the newest first; `before` asks for those before the last of them."""

    matches: tuple[MatchLine, ...]
    before: int | None


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


def _make(store: Store, asked: Asked) -> Content:
    before = asked.query.get("before")
    below = int(before) if before else None
    roster = store.refresh()
    lines = match_lines(roster, store.newest_matches(SHOWN, below))
    more = lines[-1].match if lines and lines[-1].match > 1 else None
    return Content(
        title="Matches",
        description=f"The last matches of {store.opened.name}.",
        template="matches.html",
        value=MatchesJson(lines, more),
    )


MATCHES = Page(
    name="matches",
    path="/matches",
    about="The matches that were played, the newest first.",
    type=MatchesJson,
    make=_make,
    query={"before": "Only matches before the one with this number."},
)
