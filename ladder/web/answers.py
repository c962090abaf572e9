"""Answers of the site: bytes that a browser may have already, and problems in a sentence."""

from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from ladder.web import rendering
from ladder.web.content import Content, SignInWanted
from ladder.web.library import Body
from ladder.web.openapi import Problem

_CHECK: Final = "no-cache"
"""Kept by browsers, and asked after each time: an answer of a few bytes where nothing is new."""

PRIVATE: Final = {"cache-control": "no-store"}
COOKIE: Final = "referee_token"
"""Has the token of an author in their browser."""

_TITLES: Final = {
    400: "That cannot be done",
    401: "Who are you?",
    403: "Not allowed",
    404: "Not found",
    405: "Not possible",
    408: "Too slow",
    413: "Too large",
    429: "Too many requests",
    503: "Not just now",
}


def answer(request: Request, body: Body, kind: str, *, cache: str = _CHECK) -> Response:
    """Return the answer that has these bytes, or says that the browser has them.

    Args:
        request: says what the browser has, and whether it takes gzip.
        body: the bytes.
        kind: the type of the content.
        cache: how long it may be kept.
    """
    headers = {"etag": f'"{body.etag}"', "cache-control": cache, "vary": "accept-encoding"}
    if f'"{body.etag}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    headers["content-type"] = kind
    if body.zipped and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(body.zipped, headers={**headers, "content-encoding": "gzip"})
    return Response(body.plain, headers=headers)


def private(html: bytes) -> Response:
    """Return a page that is for one visitor, and kept nowhere."""
    return Response(html, headers={**PRIVATE, "content-type": "text/html; charset=utf-8"})


def problem(
    around: rendering.Around,
    request: HTTPConnection,
    status: int,
    told: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an answer that says what is wrong, as a page or as JSON.

    Args:
        around: what stands around every page.
        request: that cannot be answered otherwise.
        status: of HTTP.
        told: what is wrong, in a sentence.
        headers: more of them.
    """
    given = {**(headers or {}), **PRIVATE}
    if status == 401:
        given["www-authenticate"] = "Bearer"
    if wants_json(request):
        encoded = msgspec.json.encode(Problem(told)) + b"\n"
        return Response(encoded, status, {**given, "content-type": "application/json"})
    title = _TITLES.get(status, "Something is wrong")
    content = Content(
        title=title,
        description=told,
        template="problem.html",
        value=None,
        shown={"wants_sign_in": status == SignInWanted.status},
    )
    html = rendering.html(content, around, request.url.path)
    answered = Response(html, status, {**given, "content-type": "text/html; charset=utf-8"})
    if status == SignInWanted.status and COOKIE in request.cookies:
        let_go(answered)  # it is not valid any more, and would count as a guess each time
    return answered


def let_go(response: Response) -> None:
    """Have a browser forget its token."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def wants_json(request: HTTPConnection) -> bool:
    """Whether a program asks: by an address of JSON, of the API, or by what it accepts."""
    path = request.url.path
    if path.endswith(".json") or path.startswith("/api/"):
        return True
    accept = request.headers.get("accept", "")
    return "application/json" in accept and "text/html" not in accept
