"""Routes by which authors take their own bots out of play, as `referee ladder retire` does."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.core.facts import Fact, Submission
from ladder.core.names import NAME
from ladder.core.retiring import WITHDRAWN, retired
from ladder.core.roster import Roster
from ladder.core.tokens import Scope
from ladder.show.bot_json import BotJson, bot_json
from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.answers import PRIVATE, private
from ladder.web.author_locks import AuthorLocks
from ladder.web.content import Content, EnoughForNow, Missing, Refused
from ladder.web.forms import sent_form
from ladder.web.guard import Endpoint, given, guarded
from ladder.web.openapi import Operation, Value
from ladder.web.pages.bots import seen_bots
from ladder.web.sign_in import author_of
from ladder.web.site_state import Site
from referee.errors import RefereeError

_TakeOut = Callable[[Request, str, str], Awaitable[int]]
"""Takes a bot of an author out of play; for what it raises see `_retire`."""

_USE: Final = "retire"
_SEE_OTHER: Final = 303
_BOT: Final = {"bot": Value("Which of one's own bots, by its name.", NAME)}

RETIRE: Final = Operation(
    name="retire",
    method="POST",
    path="/api/retire",
    about="Take one of one's own bots out of play; a new version of it plays again.",
    type=BotJson,
    query=_BOT,
    refusals=(401, 403),
)


def retire_routes(site: Site, most: int) -> list[Route]:
    """Return the routes.

    Args:
        site: what all routes share.
        most: how many bots an author takes out in a day.
    """
    locks = AuthorLocks()

    def route(path: str, name: str, endpoint: Endpoint, method: str) -> Route:
        return Route(path, guarded(site, name, endpoint), methods=[method])

    async def retire(request: Request, author: str, name: str) -> int:
        async with locks.held(author):  # what is counted holds until it is done
            return await _retire(site, most, request, author, name)

    return [
        route("/mine/retire", "mine_retire", partial(_page, site), "GET"),
        route("/mine/retire", "mine_retire", partial(_form, site, retire), "POST"),
        route("/api/retire", "api_retire", partial(_api, site, retire), "POST"),
    ]


async def _page(site: Site, request: Request) -> Response:
    """Answer with the question whether that is meant, and what it means."""
    token = await author_of(site, request, Scope.SUBMIT)
    name = request.query_params.get("bot", "")
    found = await site.library.ask(partial(_own, token.author, name))
    content = Content(
        title=f"Withdraw {found.name}?",
        description=f"{found.name} is taken out of play.",
        template="retire.html",
        value=None,
        shown={"bot": found},
    )
    return private(rendering.html(content, site.around, "/mine/retire"))


async def _form(site: Site, retire: _TakeOut, request: Request) -> Response:
    token = await author_of(site, request, Scope.SUBMIT)
    async with sent_form(request) as form:
        name = str(form.get("bot", ""))
    await retire(request, token.author, name)
    return RedirectResponse("/mine", _SEE_OTHER, headers=PRIVATE)


async def _api(site: Site, retire: _TakeOut, request: Request) -> Response:
    token = await author_of(site, request, Scope.SUBMIT)
    name = given(request, RETIRE).get("bot", "")
    entrant = await retire(request, token.author, name)
    found = await site.library.ask(partial(_told, entrant))
    encoded = msgspec.json.encode(found) + b"\n"
    return Response(encoded, headers={**PRIVATE, "content-type": "application/json"})


async def _retire(site: Site, most: int, request: Request, author: str, name: str) -> int:
    """Take an author's bot out of play; that its token was used for it is written down.

    Returns:
        The version that played.

    Raises:
        EnoughForNow: the author has taken out too many in a day.
        Missing: the author has no bot of this name.
        Refused: it does not play.
    """
    today = await site.library.ask(lambda store: store.tokens.used_today(author, _USE))
    if today >= most:
        raise EnoughForNow(f"You have withdrawn {today} bots in a day; more can be tomorrow.")
    await site.library.ask(partial(_own, author, name))  # what is none is no use of a token
    await author_of(site, request, Scope.SUBMIT, _USE)
    return await site.library.ask(partial(_withdraw, author, name))


def _own(author: str, name: str, store: Store) -> Submission:
    """Return the version that plays of an author's bot.

    Raises:
        Missing: the author has no bot of this name.
        Refused: it is retired.
    """
    roster = store.refresh()
    bot = _bot(roster, author, name)
    if bot in roster.retired:
        raise Refused(f"{name} does not play any more: {roster.retired[bot]}.")
    return roster.entrants[roster.chosen(bot)]


def _bot(roster: Roster, author: str, name: str) -> int:
    bot = roster.bot_of(name, author)
    if bot is None:
        raise Missing("You have no bot of this name.")
    return bot


def _withdraw(author: str, name: str, store: Store) -> int:
    """Add the fact; see `_own` for what it raises."""

    def make(roster: Roster, now_ms: int) -> list[Fact]:
        bot = _bot(roster, author, name)
        try:
            return [retired(roster, bot, WITHDRAWN, now_ms)]
        except RefereeError as error:
            raise Refused(f"{error}.") from error

    store.add(make)
    roster = store.roster
    return roster.chosen(_bot(roster, author, name))


def _told(entrant: int, store: Store) -> BotJson:
    """Return a version as the command tells it."""
    roster = store.refresh()
    (seen,) = seen_bots(store, [entrant], [])
    return bot_json(roster, seen)
