"""The pages of bots: all of them, and one with all that the ladder knows of it."""

from msgspec import Struct

from ladder.core.facts import Pool
from ladder.core.tallies import FaultKind
from ladder.show.bot_json import BotJson, Seen, bot_json, seen_of
from ladder.show.history_json import HistoryJson, history_json
from ladder.show.history_plot import history_plots
from ladder.standings.from_store import history_of
from ladder.store.store import Store
from ladder.submissions.clearing import size_of
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.pages.match_list import MatchLine, match_lines
from referee.text import plural

LAST_SHOWN = 25
FAULTS_SHOWN = 20


class BotPageJson(Struct, frozen=True):
    """A bot: its versions, the newest first, its rating over time by game, its last matches."""

    bot: int
    name: str
    author: str
    versions: tuple[BotJson, ...]
    ratings: tuple[HistoryJson, ...]
    last_matches: tuple[MatchLine, ...]


def bot_of(store: Store, number: str) -> int:
    """Return the bot of which an entrant is a version.

    Raises:
        Missing: the ladder has no such entrant.
    """
    found = store.refresh().entrants.get(int(number))
    if found is None:
        raise Missing(f"This ladder has no bot {number}.")
    return found.bot


def seen_bots(
    store: Store, entrants: list[int], faults: list[tuple[Pool, FaultKind[int]]]
) -> list[Seen]:
    """Return what the ladder knows of some entrants, and these faults of theirs."""
    standings, roster = store.situation().standings, store.roster
    return [
        seen_of(
            store,
            standings,
            roster.entrants[entrant],
            faults,
            size=size_of(store.files, roster.entrants[entrant].hash),
        )
        for entrant in entrants
    ]


def _make_all(store: Store, asked: Asked) -> Content:
    roster = store.refresh()
    entrants = [one for one in roster.entrants if roster.is_current(one)]
    seen = seen_bots(store, entrants, [])
    return Content(
        title="Bots",
        description=f"{plural(len(seen), 'bot')} of {store.opened.name}.",
        template="bots.html",
        value=tuple(bot_json(roster, one) for one in seen),
        shown={"seen": seen, "games": {pool.pool: pool for pool in roster.open_pools}},
    )


def _make_one(store: Store, asked: Asked) -> Content:
    bot = bot_of(store, asked.path["entrant"])
    roster = store.roster
    versions = [one.entrant for one in reversed(roster.versions(bot))]
    pools = tuple(roster.pools.values())
    faults = [(pool, one) for pool in pools for one in store.faults(pool.pool)]
    seen = seen_bots(store, versions, faults)
    histories = [history_of(store, pool, bot) for pool in pools]
    histories = [one for one in histories if one.points]
    last = match_lines(roster, store.matches_of(versions, LAST_SHOWN))
    now = roster.entrants[roster.chosen(bot)]
    label = roster.labels()[bot]
    return Content(
        title=label,
        description=f"{label} by {now.author} on {store.opened.name}, version {now.version}.",
        template="bot.html",
        value=BotPageJson(
            bot=bot,
            name=now.name,
            author=now.author,
            versions=tuple(bot_json(roster, one) for one in seen),
            ratings=tuple(map(history_json, histories)),
            last_matches=last,
        ),
        shown={
            "now": now,
            "games": [pool for pool in roster.open_pools if roster.plays(pool.pool, now.entrant)],
            "state": roster.state(now.entrant),
            "pools": roster.pools,
            "seen": seen,
            "histories": [(one.pool, history_plots([one])) for one in histories],
            "faults": [(one.entrant, pool, fault) for one in seen for pool, fault in one.faults][
                :FAULTS_SHOWN
            ],
            "last": last,
        },
    )


BOTS = Page(
    name="bots",
    path="/bots",
    about="The bots that play, each with its version in play.",
    type=tuple[BotJson, ...],
    make=_make_all,
)
BOT = Page(
    name="bot",
    path="/bots/{entrant}",
    about="One bot, by the number of any of its versions.",
    type=BotPageJson,
    make=_make_one,
)
