"""The pages of events: all of them, and one with its tables, its rounds and a page for a wall."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.event.check import Finding
from ladder.show.as_json import StandingsJson
from ladder.show.as_json import as_json as standings_json
from ladder.show.page import page_section
from ladder.standings.heading import Heading
from ladder.standings.table import RoundEntry, Standings
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.events import Events, EventSoFar
from referee.errors import RefereeError
from referee.text import plural

MOST_ON_A_WALL: Final = 20
"""Bots that can be read from afar; those of the first places, where there are more."""

MOST_OF_A_ROUND: Final = 10
"""Tables of the last round on a wall."""


class EventLine(Struct, frozen=True):
    """An event: its number on this site; its state: "not begun", "under way", "over", "damaged"."""

    event: int
    name: str
    state: str
    games: tuple[str, ...]
    bots: int


class EventsJson(Struct, frozen=True):
    """The events of a site, in the organiser's order."""

    events: tuple[EventLine, ...]


class EventPageJson(Struct, frozen=True):
    """An event so far: its tables, and what its log says of who has chosen its decks."""

    standings: StandingsJson
    findings: tuple[Finding, ...]


def event_pages(events: Events) -> tuple[Page, ...]:
    """Return the pages; none where the site shows no event."""
    if not events.logs:
        return ()

    def make_all(store: Store, _: Asked) -> Content:
        found = tuple(_line(events, number) for number in range(1, len(events.logs) + 1))
        return Content(
            title="Events",
            description=f"Events of {store.opened.name}: {', '.join(one.name for one in found)}.",
            template="events.html",
            value=EventsJson(found),
        )

    def make(_: Store, asked: Asked) -> Content:
        number = int(asked.path["event"])
        if number > len(events.logs):
            raise Missing(f"This site has no event {number}.")
        found = events.so_far(number)
        if found is None:
            return _not_begun(events.name(number))
        wall = asked.query.get("wall")
        return _content(found) if wall is None else _on_a_wall(found, int(wall))

    return (
        Page(
            name="events",
            path="/events",
            about="The events that the site shows.",
            type=EventsJson,
            make=make_all,
            reads=False,
        ),
        Page(
            name="event",
            path="/events/{event}",
            about="What an event has come to so far, by its number on this site.",
            type=EventPageJson,
            make=make,
            reads=False,
            query={"wall": "the number of one of its games, for a page to be read from afar."},
            alone=frozenset({"wall"}),
        ),
    )


def _line(events: Events, number: int) -> EventLine:
    try:
        found = events.so_far(number)
    except RefereeError:  # the page of the event tells the organiser
        return EventLine(number, events.name(number), "damaged", (), 0)
    if found is None:
        return EventLine(number, events.name(number), "not begun", (), 0)
    games = tuple(one.title for one in found.standings)
    return EventLine(number, found.plan.name, _state(found), games, len(found.plan.entrants))


def _state(found: EventSoFar) -> str:
    return "over" if found.is_over else "under way"


def _not_begun(name: str) -> Content:
    return Content(
        title=name,
        description="This event has not begun.",
        template="event.html",
        value=EventPageJson(standings_json(Heading(name=name), []), ()),
        shown={"sections": (), "heading": Heading(name=name)},
    )


def _value(found: EventSoFar) -> EventPageJson:
    return EventPageJson(standings_json(found.heading, found.standings), found.findings)


def _about(found: EventSoFar) -> str:
    games = ", ".join(section.title for section in found.standings)
    bots = plural(len(found.plan.entrants), "bot")
    return f"{found.heading.name} ({_state(found)}): {games}; {bots}."


def _content(found: EventSoFar) -> Content:
    sections = (page_section(one, ()) for one in found.standings)
    return Content(
        title=found.heading.name,
        description=_about(found),
        template="event.html",
        value=_value(found),
        shown={
            "heading": found.heading,
            "sections": tuple(replace(one, rounds=()) for one in sections),
            "findings": found.findings,
        },
    )


def _on_a_wall(found: EventSoFar, game: int) -> Content:
    """Return the page for a wall of one game.

    Raises:
        Missing: the event has no such game.
    """
    if game > len(found.standings):
        raise Missing(f"This event has no game {game}.")
    section = found.standings[game - 1]
    return Content(
        title=f"{found.heading.name}: {section.title}",
        description=_about(found),
        template="wall.html",
        value=_value(found),
        shown={
            "heading": found.heading,
            "section": section,
            "rows": section.rows[:MOST_ON_A_WALL],
            "more": max(len(section.rows) - MOST_ON_A_WALL, 0),
            "last": _last_round(section),
        },
    )


def _last_round(section: Standings) -> RoundEntry | None:
    if not section.rounds:
        return None
    last = section.rounds[-1]
    return replace(last, tables=last.tables[:MOST_OF_A_ROUND])
