"""The pages of bots: all of them, and one with all that the ladder knows of it."""

from collections.abc import Container, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.core.tallies import FaultKind
from ladder.show.as_json import RowJson, row_json
from ladder.show.bot_json import BotJson, Seen, bot_json, seen_of
from ladder.show.history_json import HistoryJson, history_json
from ladder.show.history_plot import history_plots
from ladder.standings.from_store import history_of, standings_of
from ladder.standings.history import History
from ladder.standings.table import Cell, Row, Standings
from ladder.store.store import Store
from ladder.submissions.clearing import size_of
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.pages.match_list import MatchLine, match_lines
from referee.text import plural

LAST_SHOWN = 25
FAULTS_SHOWN = 20


class PlaceJson(Struct, frozen=True):
    """The row of a bot in the table of an open game, and how many bots the table has."""

    pool: int
    game: str
    bots: int
    row: RowJson


class BotPageJson(Struct, frozen=True):
    """A bot: its versions, the newest first, its places and ratings by game, its last matches."""

    bot: int
    name: str
    author: str
    versions: tuple[BotJson, ...]
    places: tuple[PlaceJson, ...]
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


class _Played(Struct, frozen=True):
    """What a bot has played of a game.

    Attributes:
        table: with its row alone; None where the game is over, or the bot has no row.
        bots: how many have one.
        against: whom it has met, by place, and what came of it on the same decks.
    """

    pool: Pool
    history: History
    table: Standings | None = None
    bots: int = 0
    against: tuple[tuple[Row, Cell], ...] = ()


def _played(store: Store, bot: int, versions: Container[int]) -> Iterator[_Played]:
    for pool in store.roster.pools.values():
        history = history_of(store, pool, bot)
        if not history.points:
            continue
        found = standings_of(store, pool) if pool in store.roster.open_pools else None
        at = _row_of(found, versions)
        if found is None or at is None:
            yield _Played(pool, history)
            continue
        cells = zip(found.rows, found.cross[at], strict=True) if found.cross else ()
        yield _Played(
            pool,
            history,
            replace(found, rows=(found.rows[at],)),
            len(found.rows),
            tuple((row, cell) for row, cell in cells if cell is not None),
        )


def _row_of(found: Standings | None, versions: Container[int]) -> int | None:
    rows = found.rows if found is not None else ()
    return next((at for at, row in enumerate(rows) if row.bot in versions), None)


def _make_one(store: Store, asked: Asked) -> Content:
    bot = bot_of(store, asked.path["entrant"])
    roster = store.roster
    versions = [one.entrant for one in reversed(roster.versions(bot))]
    pools, open_pools = tuple(roster.pools.values()), roster.open_pools
    faults = [(pool, one) for pool in pools for one in store.faults(pool.pool)]
    seen = seen_bots(store, versions, faults)
    played = list(_played(store, bot, versions))
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
            places=tuple(
                PlaceJson(one.pool.pool, one.pool.label, one.bots, row_json(row))
                for one in played
                if one.table is not None
                for row in one.table.rows
            ),
            ratings=tuple(history_json(one.history) for one in played),
            last_matches=last,
        ),
        shown={
            "now": now,
            "games": [pool for pool in open_pools if roster.plays(pool.pool, now.entrant)],
            "state": roster.state(now.entrant),
            "pools": roster.pools,
            "seen": seen,
            "played": [(one, history_plots([one.history])) for one in played],
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
