"""Routes for people who play with bots of the ladder in their browser."""

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
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
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.content import NUMBER, Content, Forbidden, Missing, Refused
from ladder.web.forms import sent_form
from ladder.web.guard import guarded
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE, event
from ladder.web.own_play import own_play, own_play_page, scored
from ladder.web.page_stream import digest_of, main_of, told
from ladder.web.person import Person, Said
from ladder.web.sign_in import author_of
from ladder.web.sit_routes import sit_routes, still_there
from ladder.web.site_state import Site
from ladder.web.sitting import sitter_of
from ladder.web.table import Kept, Table
from ladder.web.table_process import TableOrder
from ladder.web.table_words import USUAL, words_for
from ladder.web.tables import Tables
from protocol.messages import View
from referee.match.chance import KEY_BITS
from referee.match.seating import Seating
from referee.sandbox.names import SandboxName

MOST_DEALS: Final = 10
_SOON_S: Final = 3.0
"""So long an answer waits for the bots, so that a page without script has their cards, too."""

_MOST_FOLLOWERS: Final = 5
_SHORT: Final = 100
"""A list of acts with more letters is shown when it is wanted."""

_SEE_OTHER: Final = 303
_Endpoint = Callable[[Site, Tables[Table], Request], Awaitable[Response]]


class Wish(Struct, frozen=True):
    """What is to be played.

    Attributes:
        bot: the entrant that sits in all seats that no person has.
        pool: the game.
        deals: how many decks.
    """

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
        route("/play", own_play_page, "GET"),
        Route("/api/play", guarded(site, "api_play", partial(own_play, site)), methods=["GET"]),
        route("/play", partial(_open, sandbox), "POST"),
        route("/play/{table}", _table, "GET"),
        route("/play/{table}/live", _live, "GET"),
        route("/play/{table}/film.json", _film, "GET"),
        route("/play/{table}/record", _record, "GET"),
        route("/play/{table}/act", _act, "POST"),
        route("/play/{table}/leave", _leave, "POST"),
        *sit_routes(site, tables),
    ]


async def _open(
    sandbox: SandboxName, site: Site, tables: Tables[Table], request: Request
) -> Response:
    """Lay a table with the bot that a form names, and send the browser there."""
    token = await author_of(site, request, Scope.PLAY)
    mine = tables.of(token.author)
    if mine is None:
        async with sent_form(request, fields=5) as form:
            wish = Wish(*(_number(form, name) for name in Wish.__struct_fields__))
            invites = bool(form.get("invites"))
        if wish.deals > MOST_DEALS:
            raise Refused(f"'deals' is {MOST_DEALS} at most.")
        order = await site.library.ask(partial(order_of, sandbox, token.author, wish))
        await bring_bot(site, order)
        own = await site.library.ask(partial(_is_own, token.author, wish))
        order = replace(order, terms=replace(order.terms, seating=Seating.ONE))
        counts = wish.deals == 1 and not own and not invites
        score = partial(scored, site, token.author, wish.pool) if counts else None
        mine = tables.open(Table(token.author, order, invites=invites, score=score))
        await author_of(site, request, Scope.PLAY, "play")  # it is written down
        host = mine.person_of(token.author)
        if host is not None:
            await _answered_soon(mine, host)
        return _there(mine)
    return still_there(mine, token.author)


_BOT_S: Final = 30.0
"""So long a person waits for a bot that has never played on this machine."""


async def bring_bot(site: Site, order: TableOrder) -> None:
    """Have the files of a bot here, where the ladder has them in its store.

    Raises:
        Missing: they are not to be had.
    """
    folder = Path(order.bot)
    files = folder.parents[1]
    await site.fetching.brought(files, partial(shared_bots.found, files, folder.name), _BOT_S)


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
        people={0: person},
        partners=pool.partners,
        bot=str(store.files / BOTS / entrant.hash),
        called=entrant.name,
        entrant=entrant.entrant,
        pool=wish.pool,
        deals=wish.deals,
        key=secrets.token_hex(KEY_BITS // 8),
        socket="",
        record="",
        sandbox=sandbox,
    )


def _is_own(author: str, wish: Wish, store: Store) -> bool:
    """Whether the bot is the author's own: one that knows them could let them win."""
    return store.refresh().entrants[wish.bot].author == author


def _number(form: FormData, name: str) -> int:
    """Return a number of a form.

    Raises:
        Refused: it is none.
    """
    text = str(form.get(name, ""))
    if re.fullmatch(NUMBER, text, re.ASCII) is None:
        raise Refused(f"{name!r} has to be a number, from 1 on.")
    return int(text)


async def _answered_soon(table: Table, person: Person) -> None:
    """Wait a moment for the bots."""
    with trio.move_on_after(_SOON_S):
        await table.bots_have_played(person)


def _there(table: Table) -> Response:
    return RedirectResponse(f"/play/{table.id}", _SEE_OTHER, headers=PRIVATE)


async def _table(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with what the person sees."""
    table, person = await sitter_of(site, tables, request)
    return private(_page(site, table, person, request))


def _page(site: Site, table: Table, person: Person, request: Request) -> bytes:
    seen, words = person.seen, words_for(request.headers.get("accept-language", ""))
    person.you = words.labels["you"]
    over, others = table.result(person), table.others(person)
    waits = table.waits and not over
    if over and words.language != USUAL and table.total(person):
        over = f"{words.labels['over']}: {table.total(person)}."
    content = Content(
        title=words.labels["table_of" if waits else "you_and"]
        .replace("{game}", table.order.terms.game)
        .replace("{name}", others),
        description=f"A match with {others}.",
        template="table.html",
        value=None,
        shown={
            "table": table,
            "person": person,
            "over": over,
            "seats": _seats(table, person) if table.waits else [],
            "root": str(request.base_url).rstrip("/"),
            "seen": seen,
            "words": words,
            "t": words.labels,
            "still": person.reminded and not over,
            "language": words.language,
            "game": table.order.terms.game,
            "trick": _trick(person, seen.view) if seen.view else [],
            "rows": words.rows(person) if seen.deal else [],
            "gone": [] if over else [words.sentence(one) for one in table.gone(person)],
            "said": [(words.sentence(one), _is_list(one)) for one in seen.words],
            "points": [
                (person.called(seat), points)
                for seat, points in enumerate(seen.view.points if seen.view else ())
            ],
        },
    )
    here = f"/play/{table.id}"
    more = {"live_from": "" if over else f"{here}/live?"}
    return rendering.html(content, site.around, here, extra=more)


def _is_list(said: Said | str) -> bool:
    """Whether what is said of a deal is a long list of acts."""
    return isinstance(said, Said) and len(said.parts.get("acts", "")) > _SHORT


def _trick(person: Person, view: View) -> list[tuple[str, str]]:
    """Return what lies on the table: who has played it, and the card."""
    seats = len(view.points)
    return [
        (person.called((view.leader + place) % seats), card)
        for place, card in enumerate(view.trick)
    ]


def _seats(table: Table, person: Person) -> list[tuple[int, str, tuple[int, ...]]]:
    """Return the seats of a table, counted from 1: who sits there, and who scores with them."""
    with_ = {
        at: tuple(one + 1 for one in side if one != at)
        for side in table.order.partners
        for at in side
    }
    return [
        (at + 1, name if at in table.people else "", with_.get(at, ()))
        for at, name in enumerate(table.names(person))
    ]


async def _act(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Play what a form says; the answer waits a moment for the bots."""
    table, person = await sitter_of(site, tables, request)
    async with sent_form(request) as form:
        asked, action = str(form.get("asked", "")), str(form.get("action", ""))
    person.choose(asked, action)
    await _answered_soon(table, person)
    return _there(table)


async def _leave(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Have a person leave; one whose seat is free again has no page there any more."""
    table, person = await sitter_of(site, tables, request)
    if not table.result(person):
        person.leave()
    if person not in table.people.values():
        return RedirectResponse("/", _SEE_OTHER, headers=PRIVATE)
    return _there(table)


async def _kept(site: Site, tables: Tables[Table], request: Request) -> Kept:
    """Return what there is to look at of a match.

    Raises:
        Missing: it goes on, or has no record.
    """
    table, _ = await sitter_of(site, tables, request)
    kept = table.kept
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
    table, person = await sitter_of(site, tables, request)
    if person.followers >= _MOST_FOLLOWERS:
        raise Forbidden("This table is open in too many windows.")
    headers = {**PRIVATE, "x-accel-buffering": "no"}
    has = request.headers.get("last-event-id") or request.query_params.get("has", "")
    return StreamingResponse(
        _looks(table, person, partial(_page, site, table, person, request), has),
        media_type="text/event-stream",
        headers=headers,
    )


async def _looks(
    table: Table, person: Person, page: Callable[[], bytes], has: str
) -> AsyncIterator[bytes]:
    """Yield what the page of a person says, unless the browser has it, until they play no more."""
    person.followers += 1
    try:
        until = trio.current_time() + LONGEST_S
        while trio.current_time() < until:
            changed = person.changed  # of later than what is said now
            is_over, main = bool(table.result(person)), main_of(page())
            # said out here: a scope must not be open while a generator is left
            yield STILL_HERE if digest_of(main) == has else told(main)
            has = digest_of(main)
            if is_over:
                yield event("over", "")  # `base.html` asks no more then
                return
            with trio.move_on_after(BEAT_S):
                await changed.wait()
    finally:
        person.followers -= 1
