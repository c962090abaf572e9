"""The routes of a match that is played just now: its film so far, and news of more."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import Final

import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ladder.store.database import DatabaseGone
from ladder.store.store import Store
from ladder.web.answers import answer
from ladder.web.content import Missing
from ladder.web.guard import guarded, made, part, visitor
from ladder.web.library import Body
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE, event
from ladder.web.live_matches import LiveMatches
from ladder.web.site_state import Site
from referee.errors import RefereeError
from referee.viewer.page import film_json
from referee.viewer.record_film import film_of_nothing, film_under_way

_EVERY_S: Final = 1.0
"""How often there may be more of a match."""

_NOT_PLAYED: Final = "This match is not played just now."


class _Gone(RefereeError):
    """The record is not there any more: the match is over, or is begun anew. Caught below."""


def live_routes(site: Site, matches: LiveMatches) -> list[Route]:
    """Return the routes.

    Args:
        site: what all routes share.
        matches: what is played just now.
    """
    film, news = partial(_film, site, matches), partial(_news, site, matches)
    return [
        Route("/running/{job}/film.json", guarded(site, "live film", film)),
        Route("/running/{job}/news", guarded(site, "live news", news)),
    ]


async def _film(site: Site, matches: LiveMatches, request: Request) -> Response:
    """Answer with the film of the decks that are over; no other card is in what is sent.

    Where the match has just ended there is none any more, and nothing wrong with asking.
    """
    job = part(request, "job")
    shown = await matches.look(job)
    if shown is None:
        if await site.library.ask(partial(_page_of, job)) is None:
            raise Missing(_NOT_PLAYED)
        return Response(status_code=204)

    def make() -> Body:
        if not shown.decks:
            film = film_of_nothing(shown.game, shown.options, shown.names, shown.deals)
            return Body.of(film_json(film).encode())
        try:
            film = film_under_way(shown.path, shown.names, shown.decks, shown.deals)
        except RefereeError as error:
            raise _Gone from error
        return Body.of(film_json(film).encode())

    begun = trio.current_time()
    key = ("live film", job, shown)
    try:
        body = await made(site, request, key, make, reads=False, lasts=True)
    except _Gone:
        return Response(status_code=204)
    matches.rest(job, trio.current_time() - begun)
    return answer(request, body, "application/json")


async def _news(site: Site, matches: LiveMatches, request: Request) -> Response:
    job = part(request, "job")
    if await matches.look(job) is None:
        raise Missing(_NOT_PLAYED)

    async def events() -> AsyncGenerator[bytes]:
        until, said, quiet_s = trio.current_time() + LONGEST_S, None, 0.0
        while await site.news.pause(_EVERY_S if said else 0, until):
            try:
                shown = await matches.look(job)
                page = None if shown else await site.library.ask(partial(_page_of, job))
            except DatabaseGone:
                return  # the browser comes again
            if shown is None:
                yield event("over", page or "/queue")  # it may have been withdrawn
                return
            quiet_s += _EVERY_S
            if shown != said:
                yield event("film", str(shown.decks), again_ms=2000)
                said, quiet_s = shown, 0.0
            elif quiet_s >= BEAT_S:
                yield STILL_HERE
                quiet_s = 0.0

    return site.news.stream(visitor(request), events)


def _page_of(job: str, store: Store) -> str | None:
    """Return the address of what became of a match; None if it has no result."""
    try:
        return f"/matches/{store.match(job)[0]}"
    except RefereeError:
        return None
