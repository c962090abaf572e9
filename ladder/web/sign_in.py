"""Who an author is on the site: by a token in a header, or in a cookie that the link has set."""

from typing import Final
from urllib.parse import urlsplit

import trio
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from ladder.core.tokens import Scope, Token, is_token
from ladder.web.answers import COOKIE
from ladder.web.content import Forbidden, SignInWanted
from ladder.web.guard import visitor
from ladder.web.rate_limit import TooMany
from ladder.web.site_state import Site

_BEARER: Final = "bearer "


async def author_of(site: Site, request: Request, scope: Scope, use: str = "") -> Token:
    """Return the token of who asks.

    Args:
        site: knows the tokens.
        request: has one in its header `Authorization`, or in a cookie.
        scope: what it has to be for.
        use: what is done with it, if that is to be written down.

    Raises:
        SignInWanted: there is none, or none that is valid.
        Forbidden: it is for something else, or the request comes from another site's page.
        TooMany: so many tokens were wrong that no more are looked at for now.
    """
    token = await valid_token(site, request, token_in(request))
    if not _is_bearer(request) and request.method not in ("GET", "HEAD"):
        check_origin(request)
    return await _used(site, request, token, scope, use)


async def known(site: Site, request: Request) -> Token | None:
    """Return the token of who asks, where it makes no difference that there is none.

    One that is not valid any more is no guess: a guest's browser may still have it.
    """
    text = token_in(request)
    if not is_token(text):
        return None
    return await site.library.ask(lambda store: store.tokens.by_text(text))


async def program_of(site: Site, connection: HTTPConnection, scope: Scope, use: str = "") -> Token:
    """Return the token of a program that asks, which has it in its header: browsers add none.

    For arguments and what it raises see `author_of`.
    """
    text = token_in(connection) if _is_bearer(connection) else ""
    token = await valid_token(site, connection, text)
    return await _used(site, connection, token, scope, use)


async def _used(
    site: Site, connection: HTTPConnection, token: Token, scope: Scope, use: str
) -> Token:
    """Return a token if it is for this, and write down what is done with it."""
    if scope not in token.scopes:
        raise Forbidden(f"Your token is not for this ({scope}).")
    if use:
        who = visitor(connection)
        await site.library.ask(lambda store: store.tokens.note_use(token.id, use, who))
    return token


def token_in(request: HTTPConnection) -> str:
    """Return the text of a token that a request brings; "" where it brings none."""
    if _is_bearer(request):
        return request.headers["authorization"][len(_BEARER) :].strip()
    return request.cookies.get(COOKIE, "")


def _is_bearer(request: HTTPConnection) -> bool:
    return request.headers.get("authorization", "").lower().startswith(_BEARER)


async def valid_token(site: Site, request: HTTPConnection, text: str) -> Token:
    """Return the token of this text.

    Raises:
        SignInWanted: none that is valid has it.
        TooMany: so many were wrong that no more are looked at for now.
    """
    if not text:
        raise SignInWanted(
            "This is for who has an invitation of the organiser: its link or token signs you in."
        )
    check_guessing(site, request)
    token = None
    if is_token(text):
        token = await site.library.ask(lambda store: store.tokens.by_text(text))
    if token is None:
        guessed_wrong(site, request)
        raise SignInWanted("That token is not valid: it was revoked, has expired, or never was.")
    return token


def check_guessing(site: Site, request: HTTPConnection) -> None:
    """Do nothing, if a visitor may try to sign in.

    Raises:
        TooMany: so much of theirs was wrong that nothing more is looked at for now.
    """
    wait = site.guessing.wait(visitor(request), trio.current_time())
    if wait:
        raise TooMany(wait)


def guessed_wrong(site: Site, request: HTTPConnection) -> None:
    """Count what a visitor has tried to sign in by, and was wrong."""
    site.guessing.take(visitor(request), trio.current_time())


def check_origin(request: Request) -> None:
    """Refuse what a page of another site has sent with our cookie.

    Raises:
        Forbidden: it was.
    """
    origin = request.headers.get("origin", "null")
    if origin == "null":  # it is not said
        is_own = request.headers.get("sec-fetch-site") == "same-origin"
    else:
        is_own = urlsplit(origin).netloc == urlsplit(str(request.base_url)).netloc
    if not is_own:
        raise Forbidden("This was sent from another site's page.")


def let_in(response: Response, request: Request, token: Token, text: str, now_ms: int) -> None:
    """Have a browser keep a token: no script can read it, and no other site's page sends it."""
    seconds = max((token.expires_ms - now_ms) // 1000, 1)
    response.set_cookie(
        COOKIE,
        text,
        max_age=seconds,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
