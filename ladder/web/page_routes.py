"""The routes of the pages: each as HTML and as JSON."""

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.answers import answer
from ladder.web.content import Asked, Content, Finding, Missing, Page
from ladder.web.guard import asked, guarded, made, only, viewer, visitor
from ladder.web.library import Body
from ladder.web.notices import Notice, notices
from ladder.web.open_pages import gzipped, plain
from ladder.web.openapi import json_path, live_path, page_path
from ladder.web.pages.bots import BOT, BOTS
from ladder.web.pages.deals import DEALS
from ladder.web.pages.docs import DOCS, DOCUMENT
from ladder.web.pages.epochs import EPOCHS
from ladder.web.pages.game import GAME
from ladder.web.pages.ladder import LADDER
from ladder.web.pages.match import MATCH
from ladder.web.pages.matches import MATCHES
from ladder.web.pages.pair import PAIR
from ladder.web.pages.rules import RULES, RULES_OF
from ladder.web.pages.running import RUNNING
from ladder.web.pages.waiting import QUEUE
from ladder.web.site_state import Site

PAGES: Final = (
    *(LADDER, GAME, BOTS, BOT, PAIR, MATCHES, MATCH, DEALS, QUEUE, RUNNING),
    *(EPOCHS, RULES, RULES_OF, DOCS, DOCUMENT),
)

_HTML: Final = "text/html; charset=utf-8"


def page_routes(site: Site) -> list[Route]:
    """Return the routes of all pages; those of JSON first, whose addresses are longer."""
    pages = (*PAGES, *site.pages)
    json = [
        Route(json_path(page.path), guarded(site, page.name, partial(_json, site, page)))
        for page in pages
    ]
    live = [
        Route(live_path(page.path), guarded(site, f"{page.name} live", partial(_live, site, page)))
        for page in pages
        if page.lives
    ]
    html = [
        Route(page.path, guarded(site, page.name, partial(_html, site, page))) for page in pages
    ]
    return [*json, *live, *html]


async def _json(site: Site, page: Page, request: Request) -> Response:
    only(request.query_params, page.query)
    wanted = asked(request, page)

    given = wanted if page.for_html else await _found(site, page, request, wanted)

    def make(store: Store) -> Body:
        return Body.of(rendering.json(page.make(store, given)))

    key = (page.name, "json", wanted)
    body = await made(site, request, key, site.library.reading(make), reads=page.reads)
    return answer(request, body, "application/json")


async def _html(site: Site, page: Page, request: Request) -> Response:
    body = await _page(site, page, request, request.url.path)
    return answer(request, body, _HTML)


async def _live(site: Site, page: Page, request: Request) -> Response:
    """Answer with what an open page says, as often as it says something else."""
    path = page_path(request.url.path)
    has = request.headers.get("last-event-id") or request.query_params.get("has", "")
    await _page(site, page, request, path)  # where there is none, that is said before the stream
    pieces = partial(site.open_pages.pieces, lambda: _page(site, page, request, path), has)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers = {"content-encoding": "gzip", "vary": "accept-encoding"}
        return site.news.stream(visitor(request), lambda: gzipped(pieces()), headers)
    return site.news.stream(visitor(request), lambda: plain(pieces()))


async def _page(site: Site, page: Page, request: Request, path: str) -> Body:
    """Return a page as HTML, as it is now.

    Raises:
        TooMany: it would have to be made, and the visitor had enough of them made.
        Missing: there is no such page; otherwise see `Library.page`.
    """
    wanted = asked(request, page, by_people=True)
    who = viewer(request) if page is MATCH else 0
    key = (page.name, "html", wanted, path, who)
    told: tuple[Notice, ...] = ()
    if not page.reads and not site.library.is_fresh(key):  # its own thread may not ask the store
        told = await site.library.ask(lambda store: notices(store.refresh()))

    given = await _found(site, page, request, wanted)

    def make(store: Store) -> Body:
        content = page.make(store, given)
        lines = notices(store.roster) if page.reads else told
        content = replace(content, shown={**content.shown, "notices": lines})
        return Body.of(_rendered(site, content, wanted, path, who, lives=page.lives))

    return await made(site, request, key, site.library.reading(make), reads=page.reads)


async def _found(site: Site, page: Page, request: Request, wanted: Asked) -> Asked:
    """Return what is asked for with what has to be found out for it.

    Raises:
        TooMany: it would have to be found, and the visitor had enough made.
        Missing: there is no such page; otherwise see `Library.page`.
    """
    if page.finds is None:
        return wanted
    finding = await site.library.ask(partial(_finding, page.finds, wanted))
    if finding is None:
        return wanted

    def find() -> Body:
        return Body.of(finding.find())

    try:
        if not site.library.is_fresh(finding.key, lasts=True):
            await site.fetching.record(finding.record)
        body = await made(site, request, finding.key, find, reads=False, lasts=True)
    except Missing:  # now; it may be found the next time
        return wanted
    return replace(wanted, found=body.plain)


def _finding(
    finds: Callable[[Store, Asked], Finding | None], wanted: Asked, store: Store
) -> Finding | None:
    return finds(store, wanted)


def _rendered(
    site: Site, content: Content, wanted: Asked, path: str, who: int, *, lives: bool
) -> bytes:
    """Return a page as HTML.

    Args:
        site: says what stands around it.
        content: what it says.
        wanted: what was asked for.
        path: its address.
        who: which bot's eyes a match is seen with, from 1; 0 for all hands.
        lives: whether it follows the results.
    """
    mark = "&".join(f"{name}={value}" for name, value in wanted.query.items())
    json = json_path(path) + (f"?{mark}" if mark else "")
    if who:
        mark = f"bot={who}"
    here = path + (f"?{mark}" if mark else "")
    film = f"{path}/film.json" + (f"?bot={who}" if who else "")
    live = live_path(path) + (f"?{mark}&" if mark else "?")
    extra = {"viewer": who, "page_path": path, "film": film, "live_from": live if lives else ""}
    return rendering.html(content, site.around, here, json, extra)
