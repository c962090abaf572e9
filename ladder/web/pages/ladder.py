"""The first page: every game of the ladder with its table, and what was played last."""

from ladder.show.as_json import StandingsJson
from ladder.show.as_json import as_json as standings_json
from ladder.standings.from_store import standings_of
from ladder.standings.heading import Heading
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page
from ladder.web.pages.match_list import match_lines
from referee.text import plural
from referee.version import own_version

LAST_SHOWN = 12


def heading_of(store: Store) -> Heading:
    """Return what stands over the tables of a ladder."""
    return Heading(
        name=store.opened.name,
        version=own_version(),
        kind="ladder",
        head=store.head(),
    )


def _make(store: Store, asked: Asked) -> Content:
    roster = store.refresh()
    pools = roster.open_pools
    found = [standings_of(store, pool) for pool in pools]
    counts = store.counts()
    bots = sum(roster.is_current(entrant) for entrant in roster.entrants)
    played = plural(counts.matches, "match", "matches")
    return Content(
        title=store.opened.name,
        description=f"A ladder of {plural(len(pools), 'game')}: {plural(bots, 'bot')}, {played}.",
        template="ladder.html",
        value=standings_json(heading_of(store), found),
        shown={
            "games": list(zip(pools, found, strict=True)),
            "bots": bots,
            "matches": counts.matches,
            "under_way": counts.open,
            "last": match_lines(roster, store.newest_matches(LAST_SHOWN)),
        },
    )


LADDER = Page(
    name="ladder",
    path="/",
    about="Every game of the ladder with its standings.",
    type=StandingsJson,
    make=_make,
)
