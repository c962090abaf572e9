"""The routes of what a match has beside its page: its film, and its record."""

from functools import partial
from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from ladder.store.store import Store
from ladder.web.answers import answer
from ladder.web.content import Missing, Refused
from ladder.web.guard import guarded, made, part, viewer
from ladder.web.library import Body
from ladder.web.pages.match_found import match_of, names_of, record_of
from ladder.web.site_state import Site
from referee.errors import RefereeError
from referee.viewer.page import film_json
from referee.viewer.record_film import film_of


class _Recorded(Struct, frozen=True):
    """A match, what to call its bots, and where its record is."""

    number: int
    names: tuple[str, ...]
    record: Path


def match_routes(site: Site) -> list[Route]:
    """Return the routes."""
    return [
        Route("/matches/{match}/film.json", guarded(site, "film", partial(_film, site))),
        Route("/matches/{match}/record", guarded(site, "record", partial(_record, site))),
    ]


async def _recorded(site: Site, request: Request) -> _Recorded:
    """Return the match that is meant.

    Raises:
        Missing: there is none, or it has no record.
    """
    text = part(request, "match")

    def find(store: Store) -> _Recorded:
        number, match = match_of(store, text)
        record = record_of(store, number, match)
        if record is None:
            raise Missing(f"Match {number} has no record, or not any more.")
        return _Recorded(number, names_of(store, match.job), record)

    found = await site.library.ask(find)
    await site.fetching.record(found.record)
    return found


async def _film(site: Site, request: Request) -> Response:
    """Answer with the film of a match; hidden cards are not in what is sent."""
    who, found = viewer(request), await _recorded(site, request)
    if who > len(found.names):
        raise Refused(f"'bot': match {found.number} has {len(found.names)} bots.")
    bot = found.names[who - 1] if who else None

    def make() -> Body:
        try:
            film = film_of(found.record, bot, names=found.names)
        except RefereeError as error:
            raise Missing(f"The record of match {found.number} cannot be shown.") from error
        return Body.of(film_json(film).encode())

    key = ("film", found.number, who, found.names)
    body = await made(site, request, key, make, reads=False, lasts=True)
    return answer(request, body, "application/json")


async def _record(site: Site, request: Request) -> Response:
    """Answer with the record of a match, as the ladder keeps it."""
    found = await _recorded(site, request)
    return FileResponse(
        found.record,
        media_type="application/zstd",
        filename=f"match-{found.number}.jsonl.zst",
        headers={"cache-control": "no-cache"},
    )
