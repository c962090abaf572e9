"""The page of a game of the ladder: its table, its pictures, bot against bot."""

from ladder.core.facts import Pool
from ladder.core.roster import Roster
from ladder.show.as_json import StandingsJson
from ladder.show.as_json import as_json as standings_json
from ladder.show.page import page_section
from ladder.standings.from_store import histories_of, standings_of
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.pages.ladder import heading_of
from referee.match.clock import time_text
from referee.match.terms import unusual_options
from referee.text import plural


def pool_of(store: Store, number: str) -> Pool:
    """Return a game of the ladder, open or of before.

    Raises:
        Missing: it has none of that number.
    """
    pool = store.refresh().pools.get(int(number))
    if pool is None:
        raise Missing(f"This ladder has no game {number}.")
    return pool


def _beside(roster: Roster, pool: Pool) -> list[Pool]:
    """Return the other divisions of a game as they play, and this one's other seasons."""
    divisions = [one for one in roster.open_pools if pool.league and one.league == pool.league]
    seasons = [one for one in roster.pools.values() if one.name == pool.name]
    return list({one.pool: one for one in (*divisions, *seasons) if one != pool}.values())


def _make(store: Store, asked: Asked) -> Content:
    pool = pool_of(store, asked.path["pool"])
    everybody = asked.query.get("all") == "1"
    found = standings_of(store, pool, everybody=everybody)
    shown = page_section(found, histories_of(store, pool, found))
    matches = plural(found.matches or 0, "match", "matches")
    return Content(
        title=f"{pool.label}: standings",
        description=f"{pool.label} on {store.opened.name}: {plural(len(found.rows), 'bot')}, "
        f"{matches}, {plural(found.blocks, 'block')}.",
        template="game.html",
        value=standings_json(heading_of(store), [found]),
        shown={
            "pool": pool,
            "one": shown,
            "section": found,
            "is_open": pool in store.roster.open_pools,
            "beside": _beside(store.roster, pool),
            "options": unusual_options(pool.terms.game, pool.terms.options),
            "clock": time_text(pool.terms.time),
            "everybody": everybody,
        },
    )


GAME = Page(
    name="game",
    path="/games/{pool}",
    about="The standings of one game of the ladder, by its number.",
    type=StandingsJson,
    make=_make,
    query={"all": "1: older versions and retired bots, too."},
    alone=frozenset({"all"}),
)
