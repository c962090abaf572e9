"""What stands before every route: who asks, how much they may, and what is told of trouble."""

import re
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from ladder.store.database import DatabaseGone
from ladder.web.answers import problem
from ladder.web.content import NUMBER, Asked, Missing, Page, Refused, Told, form_of
from ladder.web.library import Body
from ladder.web.openapi import Operation
from ladder.web.rate_limit import RateLimit, TooMany, visitor_of
from ladder.web.site_state import Site
from referee.errors import HostError, RefereeError

Endpoint = Callable[[Request], Awaitable[Response]]
SocketEndpoint = Callable[[WebSocket], Awaitable[None]]

_TROUBLE: Final = "The machine of this site is in trouble; its organiser has to see to it."
_AWAY: Final = "The database does not answer just now; try again in a minute."
_BUG: Final = "This is a mistake of the site; its organiser has been told."
_NOT_UNDERSTOOD: Final = "That was not understood."
_TOO_MANY: Final = "You ask for more than one visitor may; try again a little later."
_LONGEST_HOST: Final = 255 + len(":65535")
"""As RFC 1035 has it: addresses on a page are made of it, and pages are kept by it."""

_EXTENSIONS: Final = "sec-websocket-extensions"


def guarded(site: Site, name: str, endpoint: Endpoint) -> Endpoint:
    """Return an endpoint whose answers are counted and timed, and bounded by visitor.

    Args:
        site: counts.
        name: of the page, in the site's figures.
        endpoint: answers; what it raises is told in a sentence.
    """

    async def answered(request: Request) -> Response:
        begun = trio.current_time()
        try:
            wait = site.asking.take(visitor(request), begun)
            if wait:
                raise TooMany(wait)  # one place says it, whoever found it
            if len(request.headers.get("host", "")) > _LONGEST_HOST:
                raise Refused("No host has so long a name.")
            response = await endpoint(request)
        except (TooMany, RefereeError, HostError) as error:
            response = _told(site, request, error)
        except HTTPException as error:  # what the framework finds wrong with a form
            response = problem(site.around, request, error.status_code, _NOT_UNDERSTOOD)
        except ClientDisconnect:  # who asks has gone
            response = problem(site.around, request, 400, _NOT_UNDERSTOOD)
        except Exception:  # a mistake of ours costs one answer, not the site
            site.troubles.tell(traceback.format_exc())
            response = problem(site.around, request, 500, _BUG)
        site.figures.requests.labels(name, str(response.status_code)).inc()
        site.figures.seconds.labels(name).observe(trio.current_time() - begun)
        return response

    return answered


def guarded_socket(site: Site, name: str, endpoint: SocketEndpoint) -> SocketEndpoint:
    """Return an endpoint whose connections are counted, and bounded by visitor.

    Args:
        site: counts.
        name: of the connection, in the site's figures.
        endpoint: accepts the connection, after all that it may refuse; raises as in `guarded`.
    """

    async def answered(socket: WebSocket) -> None:
        status = 101
        try:
            wait = site.asking.take(visitor(socket), trio.current_time())
            if wait:
                raise TooMany(wait)
            if _EXTENSIONS in socket.headers:  # compressed, a few bytes become very many here
                raise Refused("No extension of websockets is spoken here.")
            await endpoint(socket)
        except (TooMany, RefereeError, HostError) as error:
            response = _told(site, socket, error)
            status = response.status_code
            await socket.send_denial_response(response)
        except WebSocketDisconnect:
            pass
        except Exception:  # a mistake of ours costs one connection, not the site
            status = 500
            site.troubles.tell(traceback.format_exc())
        site.figures.requests.labels(name, str(status)).inc()

    return answered


def _told(
    site: Site, request: HTTPConnection, error: TooMany | RefereeError | HostError
) -> Response:
    """Return the answer that says what is wrong."""
    if isinstance(error, Told):
        return problem(site.around, request, error.status, str(error))
    if isinstance(error, TooMany):
        wait = {"retry-after": str(int(error.wait_s) + 1)}
        return problem(site.around, request, 429, _TOO_MANY, wait)
    if isinstance(error, DatabaseGone):
        return problem(site.around, request, 503, _AWAY, {"retry-after": "10"})
    site.say(f"{request.url.path}: {error}")
    return problem(site.around, request, 503, _TROUBLE, {"retry-after": "60"})


def refused(site: Site) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers a request that no route knows."""

    async def answered(request: Request, error: Exception) -> Response:
        wait = site.asking.take(visitor(request), trio.current_time())
        if wait:
            return _told(site, request, TooMany(wait))
        status = error.status_code if isinstance(error, HTTPException) else 500
        told = {404: "There is no such page.", 405: "That cannot be done here."}
        return problem(site.around, request, status, told.get(status, _NOT_UNDERSTOOD))

    return answered


async def made(
    site: Site,
    request: Request,
    key: tuple[object, ...],
    make: Callable[[], Body],
    *,
    reads: bool = True,
    lasts: bool = False,
) -> Body:
    """Return a page of the library; for arguments see `Library.page`.

    Raises:
        TooMany: it would have to be made, and the visitor had enough of them made.
    """
    if not site.library.is_fresh(key, lasts=lasts):
        take_from(site.making, request)
    return await site.library.page(key, make, reads=reads, lasts=lasts)


def take_from(limit: RateLimit, request: Request) -> None:
    """Count a request of a visitor.

    Raises:
        TooMany: the visitor had enough of them.
    """
    wait = limit.take(visitor(request), trio.current_time())
    if wait:
        raise TooMany(wait)


def visitor(request: HTTPConnection) -> str:
    """Return who asks, as `visitor_of` has it."""
    return visitor_of(request.client.host if request.client else "")


def asked(request: Request, page: Page, *, by_people: bool = False) -> Asked:
    """Return what is asked for, where it looks like something that there can be.

    Args:
        request: asks.
        page: which.
        by_people: whether a name behind the question mark may have no value; see `Page.alone`.

    Raises:
        Missing: it does not.
        Refused: a value behind the question mark does not.
    """
    path = {name: part(request, name) for name in request.path_params}
    given = request.query_params
    query = {name: given[name] for name in page.query if name in given}
    if by_people:
        query = {name: value or "1" for name, value in query.items() if value or name in page.alone}
    for name, value in query.items():
        if re.fullmatch(NUMBER, value, re.ASCII) is None:
            raise Refused(f"{name!r} has to be a number, from 1 on.")
    return Asked(path, query)


def given(request: Request, operation: Operation) -> dict[str, str]:
    """Return what stands behind the question mark of what a program asks for.

    Raises:
        Refused: it is not as the description of the API has it.
    """
    values = dict(request.query_params)
    only(values, operation.query)
    for name, value in values.items():
        if re.fullmatch(operation.query[name].form, value, re.ASCII) is None:
            raise Refused(f"{name!r}: this is not one ({operation.query[name].about})")
    return values


def only(values: Mapping[str, str], known: Mapping[str, object]) -> None:
    """Do nothing, if all names behind a question mark are known ones.

    Raises:
        Refused: one is not, and a program that misspells a name has to hear of it. People's links
            are not looked at so: where they are passed on, other sites add names of their own.
    """
    for name in values:
        if name not in known:
            raise Refused(f"{name[:40]!r} is not known here; {', '.join(known) or 'nothing'} is.")


def part(request: HTTPConnection, name: str) -> str:
    """Return a variable part of an address.

    Raises:
        Missing: it looks like nothing that there can be.
    """
    value = str(request.path_params[name])
    if re.fullmatch(form_of(name), value, re.ASCII) is None:
        raise Missing("There is no such page.")
    return value


def viewer(request: Request) -> int:
    """Return which bot of a match is meant by `bot`, from 1; 0 for all hands.

    Raises:
        Refused: it is no such number.
    """
    text = request.query_params.get("bot", "")
    if text and re.fullmatch(r"[1-9]", text, re.ASCII) is None:
        raise Refused("'bot' has to be the number of a bot of the match, from 1.")
    return int(text or 0)
