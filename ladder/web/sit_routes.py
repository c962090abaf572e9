"""Routes for those who are invited to a table, and for the time until all have come."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ladder.core.names import GUEST, LONGEST, NAME
from ladder.core.tokens import Scope
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.content import Content, Missing, Refused
from ladder.web.forms import sent_form
from ladder.web.guard import guarded, visitor
from ladder.web.rate_limit import TooMany
from ladder.web.sign_in import author_of, check_origin
from ladder.web.site_state import Site
from ladder.web.sitting import guest_of, keep_seat, signed_in, sitter_of
from ladder.web.table import Table, are_same
from ladder.web.tables import Tables
from referee.text import plural

_SEE_OTHER: Final = 303
_NOT_VALID: Final = (
    "That invitation is not valid: the match has begun or is over, the link was changed, or never "
    "was one."
)
_NO_SEAT: Final = "All seats are taken just now: open the link again later."
_Endpoint = Callable[[Site, Tables[Table], Request], Awaitable[Response]]


def sit_routes(site: Site, tables: Tables[Table]) -> list[Route]:
    """Return the routes.

    Args:
        site: what all routes share.
        tables: at which people play.
    """

    def route(path: str, endpoint: _Endpoint, method: str) -> Route:
        name = path.rpartition("/")[2]
        return Route(path, guarded(site, name, partial(endpoint, site, tables)), methods=[method])

    return [
        route("/sit", _invited, "GET"),
        route("/sit", _sit, "POST"),
        route("/sit/invited", _invited_to, "POST"),
        route("/play/{table}/seat", _move, "POST"),
        route("/play/{table}/send-away", _send_away, "POST"),
        route("/play/{table}/begin", _begin, "POST"),
    ]


async def _invited(site: Site, tables: Tables[Table], request: Request) -> Response:
    author = await signed_in(site, request)
    content = Content(
        title="Sit down at a table",
        description="You are invited to play; the link that you were sent leads here.",
        template="sit.html",
        value=None,
        shown={"longest": LONGEST - len(GUEST), "author": author},
    )
    return private(rendering.html(content, site.around, "/sit"))


async def _invited_to(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Answer with what an invitation is for, so that its page can say it."""
    check_origin(request)
    async with sent_form(request, fields=1) as form:
        table = _table_of(site, tables, request, str(form.get("invitation", "")))
    order, author = table.order, await signed_in(site, request)
    sits_there = table.person_of(author) if author else guest_of(tables, request, table.id)
    said = f"{table.author} invites you to {order.terms.game}, {plural(order.deals, 'deal')}."
    if sits_there is None and len(table.people) == order.seats:
        raise Refused(f"{said} {_NO_SEAT}")
    return PlainTextResponse(said, headers=PRIVATE)


async def _sit(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Have a visitor sit down where an invitation says, as the author they are or as a guest."""
    check_origin(request)
    async with sent_form(request) as form:
        invitation, name = str(form.get("invitation", "")), str(form.get("name", ""))
    table = _table_of(site, tables, request, invitation)
    author, guest = await signed_in(site, request), guest_of(tables, request, table.id)
    if author:
        mine = tables.of(author)
        if mine is not None:
            return _there(mine) if mine is table else still_there(mine, author)
        if guest is not None:
            guest[1].leave()  # one seat each
        table.sit(author, author)
        await author_of(site, request, Scope.PLAY, "play")  # it is written down
        return _there(table)
    if guest is not None:
        return _there(table)
    sat = table.sit(_guest_name(name), "")
    answer = _there(table)
    keep_seat(answer, request, sat)
    return answer


def _guest_name(chosen: str) -> str:
    """Return what the others call a guest; blanks within the name become "-".

    Raises:
        Refused: it is none.
    """
    name = "-".join(chosen.split())
    if not re.fullmatch(NAME, f"{GUEST}{name}", re.ASCII) or not name:
        raise Refused(
            f"{name!r} is no name at a table: 1 to {LONGEST - len(GUEST)} of the characters "
            "A-Z a-z 0-9 _ . - make one. Go back, and take another."
        )
    return f"{GUEST}{name}"


def _table_of(site: Site, tables: Tables[Table], request: Request, invitation: str) -> Table:
    """Return the table that an invitation is for.

    Raises:
        Missing: it is for no table that waits.
        TooMany: so many of this visitor's were wrong that no more are looked at for now.
    """
    who, now = visitor(request), trio.current_time()
    wait = site.guessing.wait(who, now)
    if wait:
        raise TooMany(wait)
    for table in tables.all():
        if table.waits and are_same(table.invitation, invitation):
            return table
    site.guessing.take(who, now)
    raise Missing(_NOT_VALID)


async def _move(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Have a person sit elsewhere, before the match begins."""
    seat = await _seat(request)
    table, person = await sitter_of(site, tables, request)
    table.move(person, seat)
    return _there(table)


async def _send_away(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Free a seat, if it is whose table it is that says so."""
    seat = await _seat(request)
    table, person = await sitter_of(site, tables, request)
    if person.author != table.author:
        raise Refused(f"It is {table.author}'s table.")
    table.send_away(seat)
    return _there(table)


async def _seat(request: Request) -> int:
    """Return the index of the seat that a form names.

    Raises:
        Refused: it names none.
    """
    async with sent_form(request) as form:
        wanted = str(form.get("seat", ""))
    if re.fullmatch(r"[1-9]", wanted, re.ASCII) is None:
        raise Refused("'seat' has to be the number of a seat, from 1 on.")
    return int(wanted) - 1


async def _begin(site: Site, tables: Tables[Table], request: Request) -> Response:
    """Begin the match, if it is whose table it is that says so."""
    table, person = await sitter_of(site, tables, request)
    if person.author != table.author:
        raise Refused(f"It is {table.author} who begins this match.")
    table.begin()
    return _there(table)


def still_there(table: Table, author: str) -> RedirectResponse:
    """Send an author back to the table that they have not left, which says so."""
    person = table.person_of(author)
    if person is not None:
        person.remind()
    return _there(table)


def _there(table: Table) -> RedirectResponse:
    return RedirectResponse(f"/play/{table.id}", _SEE_OTHER, headers=PRIVATE)
