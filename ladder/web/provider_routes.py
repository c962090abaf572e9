"""Routes for authors who sign in by a provider: there, back, and an account chosen for good.

What keeps other sites out of it: each sign-in that begins has a secret of its own in a cookie of
the browser that began it, and ends only there, once, within minutes. The cookie comes along when
the provider sends the browser back (SameSite=Lax); that of the session does not (Strict). So an
account is bound in a further step, a form of our own page: it takes the cookie of the sign-in, and
the very session that began it. Forms lead to the provider by a page of ours that goes on by itself:
browsers hold a form to `form-action` wherever it is sent on to, and that says 'self'.
"""

import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.core.tokens import Scope
from ladder.files.signing import now_ms
from ladder.store.bindings import NotBound
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.content import Content, Forbidden, Missing, Refused
from ladder.web.forms import sent_form
from ladder.web.guard import guarded, take_from, visitor
from ladder.web.provider.openid import Provider
from ladder.web.provider.pending import LONGEST_S, Account, Begun, Pending
from ladder.web.sign_in import (
    author_of,
    check_guessing,
    check_origin,
    guessed_wrong,
    let_in,
)
from ladder.web.site_state import Site

COOKIE: Final = "referee_sign_in"
_PATH: Final = "/sign-in"
_BACK: Final = f"{_PATH}/done"
_SEE_OTHER: Final = 303
_SECRET_BYTES: Final = 32
_USE: Final = "sign-in"
_AGAIN: Final = "This sign-in is over, took too long, or was begun in another browser: begin again."

_Endpoint = Callable[[Site, Provider, Pending, Request], Awaitable[Response]]


def provider_routes(site: Site, provider: Provider) -> list[Route]:
    """Return the routes.

    Args:
        site: what all routes share.
        provider: by whom authors may sign in.
    """
    pending = Pending()

    def route(path: str, endpoint: _Endpoint, method: str) -> Route:
        name = path.strip("/").replace("/", "_")
        bound = guarded(site, name, partial(endpoint, site, provider, pending))
        return Route(path, bound, methods=[method])

    return [
        route(_PATH, _begin, "POST"),
        route(f"{_PATH}/mine", _begin_binding, "POST"),
        route(_BACK, _back, "GET"),
        route(f"{_PATH}/bind", _bind, "POST"),
        route(f"{_PATH}/undo", _undo, "POST"),
    ]


async def _begin(site: Site, provider: Provider, pending: Pending, request: Request) -> Response:
    """Send a browser to the provider, to come back as the author whose account that is."""
    check_origin(request)
    begun = await _begun(site, provider, request)
    return _onward(site, pending, request, provider, begun)


async def _begin_binding(
    site: Site, provider: Provider, pending: Pending, request: Request
) -> Response:
    """Send an author's browser to the provider, to come back with an account to bind."""
    token = await author_of(site, request, Scope.SUBMIT)
    begun = await _begun(site, provider, request)
    begun = replace(begun, token=token.id, author=token.author)
    return _onward(site, pending, request, provider, begun)


async def _begun(site: Site, provider: Provider, request: Request) -> Begun:
    check_guessing(site, request)
    take_from(site.making, request)
    root = str(request.base_url).rstrip("/")
    return await provider.begin(f"{root}{_BACK}")


def _onward(
    site: Site, pending: Pending, request: Request, provider: Provider, begun: Begun
) -> Response:
    """Answer with the page that leads to the provider, and remember who goes there."""
    browser = secrets.token_urlsafe(_SECRET_BYTES)
    pending.put(begun, browser, trio.current_time())
    name = provider.name
    answer = _page(site, f"On to {name}", f"You sign in at {name}, and come back.", begun.onward)
    answer.set_cookie(
        COOKIE,
        browser,
        max_age=int(LONGEST_S),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path=_PATH,
    )
    return answer


async def _back(site: Site, provider: Provider, pending: Pending, request: Request) -> Response:
    """Receive who comes back from the provider."""
    check_guessing(site, request)
    query = request.query_params
    begun = _taken(site, pending, request, query.get("state", ""))
    if begun.account is not None:
        raise Refused(_AGAIN)
    if "error" in query:
        raise Forbidden(f"You were not signed in: {provider.name} says no.")
    account = await provider.account(begun, query.get("code", ""), query.get("iss"))
    if begun.token:
        return _asked(site, provider, pending, request, replace(begun, account=account))
    return await _signed_in(site, provider, request, account)


def _taken(site: Site, pending: Pending, request: Request, state: str) -> Begun:
    """Return the sign-in of a state that this browser has begun; it is over with this.

    Raises:
        Refused: it has begun none such.
    """
    begun = pending.take(state, request.cookies.get(COOKIE, ""), trio.current_time())
    if begun is None:
        guessed_wrong(site, request)
        raise Refused(_AGAIN)
    return begun


async def _signed_in(
    site: Site, provider: Provider, request: Request, account: Account
) -> Response:
    """Let in who has an account that stands for an invitation."""
    try:
        found = await site.library.ask(
            lambda store: store.bindings.session(account.issuer, account.subject)
        )
    except NotBound as error:
        raise Refused(str(error)) from error
    if found is None:
        guessed_wrong(site, request)
        raise Forbidden(
            f"No author has chosen your account at {provider.name}: ask the organiser for an "
            "invitation, open its link, and choose it on your own page."
        )
    token, text = found
    who = visitor(request)
    await site.library.ask(lambda store: store.tokens.note_use(token.id, _USE, who))
    # the cookie of the session is not sent along where another site has begun the way: our page is
    answer = _page(site, "Signed in", f"You are signed in as {token.author}.", "/mine")
    let_in(answer, request, token, text, now_ms())
    _let_go(answer)
    return answer


def _asked(
    site: Site, provider: Provider, pending: Pending, request: Request, begun: Begun
) -> Response:
    """Answer with the question whether this account is to be bound: its form has the session."""
    asked = replace(begun, state=secrets.token_urlsafe(_SECRET_BYTES))
    pending.put(asked, request.cookies[COOKIE], trio.current_time())
    subject = begun.account.subject if begun.account else ""
    content = Content(
        title="One more question",
        description=f"Are you to be signed in as {begun.author} whenever you sign in at "
        f"{provider.name} by this account ({subject})?",
        template="bind.html",
        value=None,
        shown={"state": asked.state},
    )
    return private(rendering.html(content, site.around, _BACK))


async def _bind(site: Site, provider: Provider, pending: Pending, request: Request) -> Response:
    """Bind an account to an author who says so in the session that has begun it."""
    token = await author_of(site, request, Scope.SUBMIT)
    check_guessing(site, request)
    begun = _taken(site, pending, request, await _field(request, "state"))
    account = begun.account
    if account is None or begun.token != token.id:
        raise Refused(_AGAIN)
    try:
        await site.library.ask(
            lambda store: store.bindings.add(token.id, account.issuer, account.subject)
        )
    except NotBound as error:
        raise Refused(str(error)) from error
    answer = RedirectResponse("/mine", _SEE_OTHER, headers=PRIVATE)
    _let_go(answer)
    return answer


async def _undo(site: Site, provider: Provider, pending: Pending, request: Request) -> Response:
    """Unbind an account of an author."""
    token = await author_of(site, request, Scope.SUBMIT)
    binding = await _field(request, "binding")
    if not await site.library.ask(lambda store: store.bindings.undo(token.author, binding)):
        raise Missing("You have no such account here.")
    return RedirectResponse("/mine", _SEE_OTHER, headers=PRIVATE)


async def _field(request: Request, name: str) -> str:
    async with sent_form(request, field=1024) as form:
        return str(form.get(name, ""))


def _page(site: Site, title: str, told: str, onward: str) -> Response:
    """Return a page that goes on by itself, from our own site."""
    content = Content(
        title=title,
        description=told,
        template="onward.html",
        value=None,
        shown={"onward": onward},
    )
    return private(rendering.html(content, site.around, _PATH))


def _let_go(response: Response) -> None:
    response.delete_cookie(COOKIE, path=_PATH, httponly=True, samesite="lax")
