"""Routes for what reads the site by itself: feeds, programs, monitors, open pages."""

from functools import partial
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ladder.store.store import Store
from ladder.submissions.pack import zipped
from ladder.web import rendering
from ladder.web.answers import answer
from ladder.web.author_routes import AUTHORS
from ladder.web.content import Missing, Refused
from ladder.web.feed import feed
from ladder.web.figures import CONTENT_TYPE
from ladder.web.guard import guarded, made
from ladder.web.library import Body
from ladder.web.openapi import document
from ladder.web.page_routes import PAGES
from ladder.web.site_state import Site
from referee.bots.kits import kit_files
from referee.errors import RefereeError

_FOR_EVER: Final = "public, max-age=31536000, immutable"


def service_routes(site: Site) -> list[Route]:
    """Return the routes."""
    return [
        Route("/feed.atom", guarded(site, "feed", partial(_feed, site))),
        Route("/openapi.json", guarded(site, "openapi", partial(_openapi, site))),
        Route("/static/{digest}/{name}", guarded(site, "static", _static)),
        Route("/kit", guarded(site, "kit", _kit)),
        Route("/robots.txt", _robots),
        Route("/healthz", partial(_healthz, site)),
        Route("/metrics", partial(_metrics, site)),
    ]


async def _feed(site: Site, request: Request) -> Response:
    root = str(request.base_url).rstrip("/")

    def make(store: Store) -> Body:
        return Body.of(feed(store, root))

    body = await made(site, request, ("feed", root), site.library.reading(make))
    return answer(request, body, "application/atom+xml; charset=utf-8")


async def _openapi(site: Site, request: Request) -> Response:
    operations = AUTHORS if site.around.takes_bots else ()

    def make() -> Body:
        return Body.of(msgspec.json.encode(document((*PAGES, *site.pages), operations)))

    body = await made(site, request, ("openapi",), make, reads=False, lasts=True)
    return answer(request, body, "application/json")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in rendering.FILES or rendering.static_path(name) != request.url.path:
        raise Missing("There is no such file.")
    body = rendering.static_body(name)
    return answer(request, body, rendering.FILES[name], cache=_FOR_EVER)


async def _kit(request: Request) -> Response:
    """Answer with a bot to begin with: its folder, in a zip that can be handed in as it is."""
    asked = request.query_params
    name = asked.get("name", "my-bot")
    try:
        found = kit_files(asked.get("language", ""), name)
    except RefereeError as error:
        raise Refused(str(error)) from error
    headers = {"content-disposition": f'attachment; filename="{name}.zip"'}
    packed = zipped({f"{name}/{path}": content for path, content in found.items()})
    return Response(packed, headers=headers, media_type="application/zip")


async def _robots(request: Request) -> Response:
    paths = ("/pairs/", "/matches?", "/matches/*/deals", "/*.live", "/running/")
    closed = "".join(f"Disallow: {path}\n" for path in paths)
    return PlainTextResponse(f"User-agent: *\n{closed}")


async def _healthz(site: Site, request: Request) -> Response:
    if site.library.is_away:
        return PlainTextResponse("the database does not answer\n", 503)
    return PlainTextResponse("ok\n")


async def _metrics(site: Site, request: Request) -> Response:
    figures, pulse = site.figures, site.library.pulse
    figures.readers.set(site.library.readers)
    figures.away.set(site.library.is_away)
    if pulse is not None:
        figures.facts.set(pulse.facts)
        figures.under_way.set(len(pulse.jobs))
        figures.matches.set(pulse.matches)
    return Response(figures.text(), headers={"content-type": CONTENT_TYPE})
