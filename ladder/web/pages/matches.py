"""The page of all matches, or of those that are looked for: by bot, by game, with a fault."""

from typing import Final

from msgspec import Struct

from ladder.core.roster import Roster
from ladder.store.queries import WantedMatches
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page
from ladder.web.pages.bots import bot_of
from ladder.web.pages.game import pool_of
from ladder.web.pages.match_list import MatchLine, match_lines

SHOWN: Final = 50
MOST_CHOICES: Final = 300
"""Of bots in the form; where more play, one is chosen on its own page."""


class MatchesJson(Struct, frozen=True):
    """Matches, the newest first; `before` asks for those before the last of them."""

    matches: tuple[MatchLine, ...]
    before: int | None


def _make(store: Store, asked: Asked) -> Content:
    roster = store.refresh()
    wanted = _wanted(store, asked)
    found = store.newest_matches(SHOWN + 1, wanted)
    lines = match_lines(roster, found[:SHOWN])
    labels = roster.labels()
    bot = None if wanted.entrants is None else roster.entrants[wanted.entrants[0]].bot
    return Content(
        title="Matches",
        description=f"The last matches of {store.opened.name}.",
        template="matches.html",
        value=MatchesJson(lines, lines[-1].match if len(found) > SHOWN else None),
        shown={
            "bots": _choices(roster, bot),
            "games": list(roster.pools.values()),
            "open_games": roster.open_pools,
            "bot": bot,
            "bot_name": "" if bot is None else labels[bot],
            "game": wanted.pools[0] if wanted.pools else None,
            "faulty": wanted.faulty,
            "filter": "".join(
                f"{name}={value}&" for name, value in asked.query.items() if name != "before"
            ),
        },
    )


def _wanted(store: Store, asked: Asked) -> WantedMatches:
    """Return which matches are meant.

    Raises:
        Missing: the ladder has no such bot, or no such game.
    """
    query = asked.query
    entrants = pools = None
    if "bot" in query:
        versions = store.roster.versions(bot_of(store, query["bot"]))
        entrants = tuple(one.entrant for one in versions)
    if "game" in query:
        pools = (pool_of(store, query["game"]).pool,)
    below = int(query["before"]) if "before" in query else None
    return WantedMatches(below, entrants, pools, query.get("faults") == "1")


def _choices(roster: Roster, chosen: int | None) -> list[tuple[int, str]]:
    """Return the bots that a form has, with what to call them, by name.

    Where there are too many to look through, only the one that was chosen.
    """
    labels = roster.labels()
    bots = [*roster.bots()]
    if len(bots) > MOST_CHOICES:
        bots = [bot for bot in bots if bot == chosen]
    called = {bot: labels[bot] + (" (retired)" if bot in roster.retired else "") for bot in bots}
    return sorted(called.items(), key=lambda one: one[1].casefold())


MATCHES = Page(
    name="matches",
    path="/matches",
    about="The matches that were played, the newest first.",
    type=MatchesJson,
    make=_make,
    query={
        "bot": "Only those of this bot, by the number of any of its versions.",
        "game": "Only those of the game with this number.",
        "faults": "1: only those with a fault; of the bot, where one is named.",
        "before": "Only matches before the one with this number.",
    },
    alone=frozenset({"faults"}),
)
