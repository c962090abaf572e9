"""Routes for people who play against a bot of the ladder in their browser."""

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from ladder.core.facts import Pool
from ladder.core.tokens import Scope
from ladder.store.store import Store
from ladder.submissions.frozen_bots import BOTS
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.content import NUMBER, Content, Forbidden, Missing, Refused
from ladder.web.guard import guarded, part
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE
from ladder.web.page_stream import main_of, told
from ladder.web.sign_in import author_of
from ladder.web.site_state import Site
from ladder.web.table import Kept, Table
from ladder.web.table_process import TableOrder
from ladder.web.table_words import words_for
from ladder.web.tables import Tables
from referee.match.chance import KEY_BITS
from referee.match.seating import Seating
from referee.sandbox.names import SandboxName

MOST_DEALS: Final = 10
_SOON_S: Final = 3.0
"""So long an answer waits for the bots, so that a page without script has their cards, too."""

_MOST_FOLLOWERS: Final = 5
_SEE_OTHER: Final = 303
_Endpoint = Callable[[Site, Tables[Table], Request], Awaitable[Response]]


class Wish(Struct, frozen=True):
    """What is to be played: against which entrant, which game, how many decks."""

    bot: int
    pool: int
    deals: int


def table_routes(site: Site, tables: Tables[Table], sandbox: SandboxName) -> list[Route]:
    """Return the routes.

    Args:
        site: what all routes share.
        tables: at which people play.
        sandbox: where bots run.
    """

    def route(path: str, endpoint: _Endpoint, method: str) -> Route:
        name = "play" + path.rpartition("/")[2].replace("{table}", "_table").replace("play", "")
        return Route(path, guarded(site, name, partial(endpoint, site, tables)), methods=[method])

    return [
        route("/play", partial(_open, sandbox), "POST"),
        route("/play/{table}", _table, "GET"),
        route("/play/{table}/live", _live, "GET"),
        route("/play/{table}/film.json", _film, "GET"),
        route("/play/{table}/record", _record, "GET"),
        route("/play/{table}/act", _act, "POST"),
        route("/play/{table}/leave", _leave, "POST"),
    ]


async def _open(
    sandbox: SandboxName, site: Site, tables: Tables[Table], request: Request
) -> Response:
    """Lay a table against the bot that a form names, and send the browser there."""
    token = await author_of(site, request, Scope.PLAY)
    mine = tables.of(token.author)
    if mine is None:
        async with request.form(max_files=0, max_fields=4, max_part_size=64) as form:
            wish = Wish(*(_number(form, name) for name in Wish.__struct_fields__))
        if wish.deals > MOST_DEALS:
            raise Refused(f"'deals' is {MOST_DEALS} at most.")
        order = await site.library.ask(partial(order_of, sandbox, token.author, wish))
        order = replace(order, terms=replace(order.terms, seating=Seating.ONE))
        mine = tables.open(token.author, order)
        await author_of(site, request, Scope.PLAY, "play")  # it is written down
        with trio.move_on_after(_SOON_S):
            await _turn(mine)
        return _there(mine)
    return RedirectResponse(f"/play/{mine.id}?still", _SEE_OTHER, headers=PRIVATE)


def order_of(sandbox: SandboxName, person: str, wish: Wish, store: Store) -> TableOrder:
    """Return what is to be played.

    Args:
        sandbox: where bots run.
        person: what the record calls who plays against the bot.
        wish: names the rest.
        store: of the ladder.

    Raises:
        Missing: there is no such bot that plays, or no such game.
    """
    roster = store.refresh()
    pool: Pool | None = roster.pools.get(wish.pool)
    if pool is None or wish.bot not in roster.entrants or not roster.plays(pool.pool, wish.bot):
        raise Missing("There is no such bot, or it does not play that game.")
    entrant = roster.entrants[wish.bot]
    return TableOrder(
        terms=pool.terms,
        seats=pool.seats,
        bot=str(store.files / BOTS / entrant.hash),
        called=entrant.name,
        deals=wish.deals,
        key=secrets.token_hex(KEY_BITS // 8),
        socket="",
        record="",
        person=person,
        sandbox=sandbox,
    )


def _number(form: FormData, name: str) -> int:
    """Return a number of a form.

    Raises:
        Refused: it is none.
    """
    text = str(form.get(name, ""))
    if re.fullmatch(NUMBER, text, re.ASCII) is None:
        raise Refused(f"{name!r} has to be a number, from 1 on.")
    return int(text)


async def _turn(table: Table) -> None:
    """Wait until the person is asked, or the match is over."""
    while table.seen.asked is None and not table.seen.over:
        await table.change()


def _there(table: Table) -> Response:
    return RedirectResponse(f"/play/{table.id}", _SEE_OTHER, headers=PRIVATE)


async def _mine(site: Site, tables: Tables[Table], request: Request) -> Table:
    """Return the table of an address, if it is the visitor's."""
    token = await author_of(site, request, Scope.PLAY)
    return tables.find(token.author, part(request, "table"))


async def _table(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with what the person sees."""
    table = await _mine(site, tables, request)
    return private(_page(site, table, request))


def _page(site: Site, table: Table, request: Request) -> bytes:
    seen, words = table.seen, words_for(request.headers.get("accept-language", ""))
    still = "still" in request.query_params  # who wanted to sit down elsewhere is told why not
    content = Content(
        title=words.labels["you_and"].replace("{name}", table.order.called),
        description=f"A match against {table.order.called}.",
        template="table.html",
        value=None,
        shown={
            "table": table,
            "seen": seen,
            "words": words,
            "t": words.labels,
            "still": still and not seen.over,
            "language": words.language,
            "game": table.order.terms.game,
            "trick": list(seen.view.trick) if seen.view else [],
            "points": [
                (table.name(seat), points)
                for seat, points in enumerate(seen.view.points if seen.view else ())
            ],
        },
    )
    here = f"/play/{table.id}"
    more = {"live_from": "" if seen.over else f"{here}/live?{'still&' if still else ''}"}
    return rendering.html(content, site.around, here, extra=more)


async def _act(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Play what a form says; the answer waits a moment for the bots."""
    table = await _mine(site, tables, request)
    async with request.form(max_files=0, max_fields=4, max_part_size=128) as form:
        asked, action = str(form.get("asked", "")), str(form.get("action", ""))
    table.choose(asked, action)
    with trio.move_on_after(_SOON_S):
        await _turn(table)
    return _there(table)


async def _leave(site: Site, tables: Tables[Table], request: Request) -> Response:
    table = await _mine(site, tables, request)
    table.leave()
    return _there(table)


async def _kept(site: Site, tables: Tables[Table], request: Request) -> Kept:
    """Return what there is to look at of a match.

    Raises:
        Missing: it goes on, or has no record.
    """
    kept = (await _mine(site, tables, request)).kept
    if kept is None:
        raise Missing("This match has no record, or not yet.")
    return kept


async def _film(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with the film of a match that is over."""
    kept = await _kept(site, tables, request)
    return Response(kept.film, headers=PRIVATE, media_type="application/json")


async def _record(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with the record of a match that is over."""
    kept = await _kept(site, tables, request)
    named = {"content-disposition": 'attachment; filename="match.jsonl"'}
    return Response(kept.record, headers={**PRIVATE, **named}, media_type="application/jsonl")


async def _live(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with what a table looks like, whenever that is new, for as long as it is played at."""
    table = await _mine(site, tables, request)
    if table.followers >= _MOST_FOLLOWERS:
        raise Forbidden("This table is open in too many windows.")
    headers = {**PRIVATE, "x-accel-buffering": "no"}
    return StreamingResponse(
        _looks(table, partial(_page, site, table, request)),
        media_type="text/event-stream",
        headers=headers,
    )


async def _looks(table: Table, page: Callable[[], bytes]) -> AsyncIterator[bytes]:
    table.followers += 1
    try:
        until = trio.current_time() + LONGEST_S
        yield told(main_of(page()))
        while not table.seen.over and trio.current_time() < until:
            with trio.move_on_after(BEAT_S) as waited:
                await table.change()
            # said out here: a scope must not be open while a generator is left
            yield STILL_HERE if waited.cancelled_caught else told(main_of(page()))
    finally:
        table.followers -= 1
