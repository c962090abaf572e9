"""The page of two bots: their blocks on the same decks, and the worst ones for the first bot."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct

from ladder.core.facts import Match, Pool
from ladder.core.roster import Roster
from ladder.stats.estimates import Estimate, rounded
from ladder.stats.observations import against
from ladder.stats.student import means
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.pages.bots import bot_of
from ladder.web.pages.game import pool_of
from referee.text import plural

MATCHES_READ = 400
"""So many of their matches are read, the newest."""

WORST_SHOWN = 10


class PairBlock(Struct, frozen=True):
    """A block of both; for `difference` see `PairJson`."""

    match: int
    block: int
    deals: int
    values: tuple[int, int]
    difference: float
    faulty: bool


class PairJson(Struct, frozen=True, kw_only=True):
    """Two bots in a game.

    Attributes:
        all_versions: whether matches of older versions count, too; else those of the versions that
            play, or would.
        matches: how many of theirs are counted here: the newest, 400 at most.
        difference: what the cross-table has: the first bot's deal value, a deal; where a table has
            more than two sides, less the other's. Its interval counts matches; null without any.
        worst: the blocks that were worst for the first bot, the worst one first.
        blocks: all that are counted, the newest match first.
    """

    game: str
    bots: tuple[str, str]
    all_versions: bool
    matches: int
    won: int
    level: int
    lost: int
    difference: Estimate | None
    worst: tuple[PairBlock, ...]
    blocks: tuple[PairBlock, ...]


def _make(store: Store, asked: Asked) -> Content:
    one, other = (bot_of(store, asked.path[name]) for name in ("one", "other"))
    roster = store.roster
    pool = _pool(store, asked.query.get("game"))
    if one == other:
        raise Missing("These are versions of one bot, which does not play against itself.")
    everything = asked.query.get("all") == "1"
    sides = [_versions(roster, bot, everything=everything) for bot in (one, other)]
    found = store.meetings(pool.pool, sides[0], sides[1], MATCHES_READ)
    rows = [list(_blocks(number, match, sides, pool)) for number, match in found]
    rows = [row for row in rows if row]
    blocks = tuple(chain.from_iterable(rows))
    labels = roster.labels(versions=not everything)
    names = (labels[roster.chosen(one)], labels[roster.chosen(other)])
    value = PairJson(
        game=pool.label,
        bots=names,
        all_versions=everything,
        matches=len(rows),
        won=sum(block.difference > 0 for block in blocks),
        level=sum(block.difference == 0 for block in blocks),
        lost=sum(block.difference < 0 for block in blocks),
        difference=_estimate(rows),
        worst=tuple(sorted(blocks, key=lambda block: block.difference)[:WORST_SHOWN]),
        blocks=blocks,
    )
    return Content(
        title=f"{names[0]} - {names[1]}: {pool.label}",
        description=f"{names[0]} against {names[1]} in {pool.label}: "
        f"{plural(len(blocks), 'block')} on the same decks.",
        template="pair.html",
        value=value,
        shown={
            "one": one,
            "other": other,
            "pool": pool,
            "pools": roster.open_pools,
            "two_sided": against(pool.places, pool.sides)[1],
            "is_part": len(found) == MATCHES_READ,
        },
    )


def _versions(roster: Roster, bot: int, *, everything: bool) -> set[int]:
    """Return the versions of a bot that are meant: all, or the one that plays, or would."""
    if everything:
        return {each.entrant for each in roster.versions(bot)}
    return {roster.chosen(bot)}


def _pool(store: Store, number: str | None) -> Pool:
    """Return the game that is meant; the first one where none is.

    Raises:
        Missing: there is none.
    """
    if number is not None:
        return pool_of(store, number)
    if not store.roster.open_pools:
        raise Missing("This ladder has no game.")
    return store.roster.open_pools[0]


def _blocks(
    number: int, match: Match, sides: Sequence[set[int]], pool: Pool
) -> Iterable[PairBlock]:
    """Yield the blocks of a match, unless both were on one side."""
    entrants = match.job.entrants
    places = [next(at for at, who in enumerate(entrants) if who in side) for side in sides]
    if any(set(places) <= set(side) for side in pool.sides):
        return
    _, two_sided = against(pool.places, pool.sides)
    for block in match.outcome.blocks:
        values = (block.values[places[0]], block.values[places[1]])
        yield PairBlock(
            match=number,
            block=block.block,
            deals=block.deals,
            values=values,
            difference=round((values[0] - (0 if two_sided else values[1])) / block.deals, 4),
            faulty=any(block.at_fault),
        )


def _estimate(rows: Sequence[Sequence[PairBlock]]) -> Estimate | None:
    """Return the mean difference a deal; what is counted as independent is a match."""
    values = np.array([block.difference for row in rows for block in row], np.float64)
    if not values.size:
        return None
    life = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    found = means(values, np.zeros(len(values), np.int64), 1, (life,))
    low, high = found.interval(0) or (None, None)
    return Estimate(
        rounded(found.value[0], 2),
        None if low is None else rounded(low, 2),
        None if high is None else rounded(high, 2),
    )


PAIR = Page(
    name="pair",
    path="/pairs/{one}/{other}",
    about="The blocks that two bots played against each other, by the numbers of any versions; "
    "those of the versions that play.",
    type=PairJson,
    make=_make,
    query={
        "game": "The number of the game; by default the ladder's first one.",
        "all": "1: matches of older versions, too.",
    },
    alone=frozenset({"all"}),
)
