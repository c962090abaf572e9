"""The pages of events: all of them, and one with its tables, its rounds and a page for a wall."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.event.conductor import Played
from ladder.event.publish import standings_of
from ladder.show.as_json import StandingsJson
from ladder.show.as_json import as_json as standings_json
from ladder.show.page import page_section
from ladder.standings.heading import Heading
from ladder.standings.table import RoundEntry, Standings
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.events import Events
from referee.text import plural

MOST_ON_A_WALL: Final = 20
"""Bots that can be read from afar; those of the first places, where there are more."""

MOST_OF_A_ROUND: Final = 10
"""Tables of the last round on a wall."""


class EventLine(Struct, frozen=True):
    """An event: its number on this site, and whether it is "not begun", "under way" or "over"."""

    event: int
    name: str
    state: str
    games: tuple[str, ...]
    bots: int


class EventsJson(Struct, frozen=True):
    """The events of a site, in the organiser's order."""

    events: tuple[EventLine, ...]


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
        played = events.played(number)
        wall = asked.query.get("wall")
        return _not_begun(events, number) if played is None else _content(played, wall)

    return (
        Page(
            name="events",
            path="/events",
            about="The events that the site shows.",
            type=EventsJson,
            make=make_all,
        ),
        Page(
            name="event",
            path="/events/{event}",
            about="What an event has come to so far, by its number on this site.",
            type=StandingsJson,
            make=make,
            query={"wall": "the number of one of its games, for a page to be read from afar."},
        ),
    )


def _line(events: Events, number: int) -> EventLine:
    played = events.played(number)
    if played is None:
        return EventLine(number, _name_of(events, number), "not begun", (), 0)
    plan = played.plan
    state = "over" if played.key else "under way"
    games = tuple(one.name for one in plan.sections)
    return EventLine(number, plan.name, state, games, len(plan.entrants))


def _name_of(events: Events, number: int) -> str:
    """Return what an event is called before its log says so."""
    return events.logs[number - 1].parent.name


def _not_begun(events: Events, number: int) -> Content:
    name = _name_of(events, number)
    return Content(
        title=name,
        description="This event has not begun.",
        template="event.html",
        value=standings_json(Heading(name=name), []),
        shown={"sections": (), "heading": Heading(name=name), "number": number},
    )


def _content(played: Played, wall: str | None) -> Content:
    heading, found = standings_of(played.plan, played.sections, played.key)
    state = "over" if played.key else "under way"
    games = ", ".join(section.title for section in found)
    value = standings_json(heading, found)
    about = f"{heading.name} ({state}): {games}; {plural(len(played.plan.entrants), 'bot')}."
    if wall is not None:
        return _on_a_wall(heading, found, int(wall), about, value)
    return Content(
        title=heading.name,
        description=about,
        template="event.html",
        value=value,
        shown={
            "heading": heading,
            "sections": tuple(replace(page_section(one, ()), rounds=()) for one in found),
            "over": bool(played.key),
        },
    )


def _on_a_wall(
    heading: Heading, found: tuple[Standings, ...], game: int, about: str, value: StandingsJson
) -> Content:
    """Return the page for a wall of one game.

    Raises:
        Missing: the event has no such game.
    """
    if game > len(found):
        raise Missing(f"This event has no game {game}.")
    section = found[game - 1]
    return Content(
        title=f"{heading.name}: {section.title}",
        description=about,
        template="wall.html",
        value=value,
        shown={
            "heading": heading,
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
