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
from ladder.web.guard import guarded, part, take_from, visitor
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE, event
from ladder.web.live_matches import LiveMatches, Shown
from ladder.web.site_state import Site
from referee.errors import HostError, RefereeError

_EVERY_S: Final = 1.0
"""How often there may be more of a match."""


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


async def _look(
    site: Site, matches: LiveMatches, request: Request
) -> tuple[str, Shown | None, str | None]:
    """Return the job that is meant, what is shown of it, and where its result is, if it is over.

    Raises:
        Missing: it is neither played nor over.
        TooMany: the visitor has asked for too many that others do not look at.
    """
    job = part(request, "job")
    if not matches.follows(job):
        take_from(site.making, request)
    shown = await matches.look(job)
    page = None if shown else await site.library.ask(partial(_page_of, job))
    if shown is None and page is None:
        raise Missing("This match is not played just now.")
    return job, shown, page


async def _film(site: Site, matches: LiveMatches, request: Request) -> Response:
    """Answer with the film of decks that are over; no other card is in what is sent.

    Where the match has just ended there is none any more, and nothing wrong with asking.
    """
    _, shown, _ = await _look(site, matches, request)
    if shown is None:
        return Response(status_code=204)
    return answer(request, shown.film, "application/json")


async def _news(site: Site, matches: LiveMatches, request: Request) -> Response:
    job, _, _ = await _look(site, matches, request)

    async def events() -> AsyncGenerator[bytes]:
        until, said, quiet_s = trio.current_time() + LONGEST_S, None, 0.0
        while await site.news.pause(_EVERY_S if said else 0, until):
            try:
                shown = await matches.look(job)
                page = None if shown else await site.library.ask(partial(_page_of, job))
            except (DatabaseGone, HostError, RefereeError):
                return  # the browser comes again; pages tell the organiser what is wrong
            if shown is None:
                yield event("over", page or "/queue")  # it may have been withdrawn
                return
            quiet_s += _EVERY_S
            told = b""
            if said is None or shown.version != said.version:
                told += event("film", str(shown.version), again_ms=2000)
            if said is None or shown.deals != said.deals:
                told += event("deals", " ".join(map(str, shown.deals)))
            if told or quiet_s >= BEAT_S:
                yield told or STILL_HERE
                quiet_s = 0.0
            said = shown

    return site.news.stream(visitor(request), events)


def _page_of(job: str, store: Store) -> str | None:
    """Return the address of what became of a match; None if it has no result."""
    try:
        return f"/matches/{store.match(job)[0]}"
    except RefereeError:
        return None
