"""What a person has played at the site's tables, for them alone: as a page and for programs."""

from functools import partial
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from ladder.core.facts import Pool
from ladder.core.tokens import Scope
from ladder.show.play_json import PlayedJson, PlayJson
from ladder.stats.above_par import above_par
from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.content import Content
from ladder.web.openapi import Operation
from ladder.web.person import Said
from ladder.web.sign_in import author_of
from ladder.web.site_state import Site
from ladder.web.table import Table
from ladder.web.tables import Tables
from referee.games import find
from referee.rules.game import best_value

OWN_PLAY: Final = Operation(
    name="own_play",
    method="GET",
    path="/api/play",
    about="What the person who asks has played at tables, beside par.",
    type=PlayJson,
)


async def own_play(site: Site, request: Request) -> Response:
    """Answer with what a person has played, as JSON."""
    token = await author_of(site, request, Scope.PLAY)
    found = await site.library.ask(partial(_played, token.author))
    encoded = msgspec.json.encode(found) + b"\n"
    return Response(encoded, headers=PRIVATE, media_type="application/json")


async def own_play_page(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with what a person can play and has played, as a page."""
    token = await author_of(site, request, Scope.PLAY)
    found = await site.library.ask(partial(_played, token.author))
    seats = [(one, one.person_of(token.author)) for one in tables.all()]
    content = Content(
        title="Play",
        description="With bots of this ladder, and with other people.",
        template="own_play.html",
        value=None,
        shown={
            "author": token.author,
            "games": found.games,
            "open": await site.library.ask(_opponents),
            "tables": [
                (table, table.others(person), table.result(person))
                for table, person in seats
                if person is not None
            ],
        },
    )
    return private(rendering.html(content, site.around, "/play"))


async def scored(site: Site, author: str, pool: int, above: int | None) -> Said | None:
    """Write down how a person has played a deal, and say how they stand.

    Args:
        site: of the ladder.
        author: the person.
        pool: the game.
        above: by how much its value was above par; None for the worst that can be.
    """

    def add(store: Store) -> None:
        least = -_bound(store.refresh().pools[pool])
        store.people.add(author, pool, least if above is None else max(above, least))

    await site.library.ask(add)
    found = await site.library.ask(partial(_played, author))
    return next((_said(one) for one in found.games if one.pool == pool), None)


def _said(played: PlayedJson) -> Said:
    """Return in words how well a person plays a game."""
    parts = {
        name: f"{value:+.1f}"
        for name, value in (
            ("above", played.above_par),
            ("low", played.low),
            ("high", played.high),
        )
    }
    return Said("score", {"game": played.game, "deals": str(played.deals), **parts})


def _opponents(store: Store) -> list[tuple[Pool, list[tuple[int, str]]]]:
    """Return the open games, and which bots play each: their entrants, and what to call them."""
    roster = store.refresh()
    labels = roster.labels()
    return [
        (pool, [(one.entrant, labels[one.entrant]) for one in roster.playing(pool.pool)])
        for pool in roster.open_pools
    ]


def _bound(pool: Pool) -> int:
    """Return by how much two deals of a game can differ at most."""
    rules = find(pool.terms.game).rules_of(pool.terms.options)[0].game
    return best_value(rules) - rules.stakes.worst_value


def _played(author: str, store: Store) -> PlayJson:
    pools = store.refresh().pools
    games = []
    for pool, deals in store.people.of(author).items():
        said = above_par(deals, _bound(pools[pool]))
        name = pools[pool].label
        games.append(PlayedJson(pool, name, said.deals, said.mean, said.low, said.high))
    return PlayJson(author, tuple(games))
