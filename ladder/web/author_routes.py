"""Routes for authors: they sign in by a link, hand in bots, and see what becomes of them."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

import msgspec
from msgspec import Struct
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ladder.core.facts import Submission
from ladder.core.names import NAME, name_of
from ladder.core.retiring import WITHDRAWN
from ladder.core.roster import EntrantState
from ladder.core.tokens import Scope, Token, is_token
from ladder.files.signing import now_ms
from ladder.show.logs_json import LogsJson
from ladder.show.upload_json import MeJson, UploadJson
from ladder.store.store import Store
from ladder.web import rendering
from ladder.web.answers import PRIVATE, let_go, private
from ladder.web.content import Content, Refused, form_of
from ladder.web.forms import bytes_of, sent_form
from ladder.web.guard import given, guarded, part
from ladder.web.logs_page import logs_here, logs_page
from ladder.web.openapi import Operation, Value
from ladder.web.own_play import OWN_PLAY
from ladder.web.retire_routes import RETIRE, retire_routes
from ladder.web.sign_in import author_of, check_origin, known, let_in, token_in, valid_token
from ladder.web.site_state import Site
from ladder.web.uploads import Upload, Uploads
from referee.errors import RefereeError

_Endpoint = Callable[[Site, Uploads, Request], Awaitable[Response]]
_USE: Final = "submit"
_CHUNK: Final = 1 << 16
_SEE_OTHER: Final = 303
"""Bytes of a form around the file in it."""


_ME: Final = Operation(
    name="me",
    method="GET",
    path="/api/me",
    about="Who asks, and what they have handed in.",
    type=MeJson,
)

_UPLOAD: Final = Operation(
    name="upload",
    method="POST",
    path="/api/uploads",
    about="Hand in a bot: a zip with a bot.toml, or one executable.",
    type=UploadJson,
    status=202,
    query={
        "file": Value("What its author calls the file.", ".{0,400}"),
        "name": Value("What tables call the bot; as its file says, if empty.", f"({NAME})?"),
    },
    takes_bytes=True,
    refusals=(401, 403, 408, 413),
)

_UPLOAD_STATE: Final = Operation(
    name="upload_state",
    method="GET",
    path="/api/uploads/{upload}",
    about="What has become of an upload.",
    type=UploadJson,
)

_LOGS: Final = Operation(
    name="logs",
    method="GET",
    path="/api/logs",
    about="What one's own bots wrote to stderr in their last matches.",
    type=LogsJson,
    query={
        "bot": Value("Only this bot, by its name.", NAME),
        "match": Value("Only this match: its number, or digits of its id.", form_of("match")),
    },
)

AUTHORS: Final = (_ME, _UPLOAD, _UPLOAD_STATE, RETIRE, _LOGS, OWN_PLAY)
"""What programs of authors can ask for."""


class OwnBot(Struct, frozen=True):
    """A bot of who asks: its version, and how it stands with it.

    Attributes:
        can_go: whether it can be withdrawn.
        comes_back: whether it was, so that its next version plays again.
    """

    version: Submission
    state: EntrantState
    can_go: bool
    comes_back: bool


def author_routes(site: Site, uploads: Uploads) -> list[Route]:
    """Return the routes."""

    def route(path: str, endpoint: _Endpoint, method: str) -> Route:
        name = path.partition("{")[0].strip("/").replace("/", "_")
        bound = guarded(site, name, partial(endpoint, site, uploads))
        return Route(path, bound, methods=[method])

    return [
        route("/join", _join_page, "GET"),
        route("/join", _join, "POST"),
        route("/leave", _leave, "POST"),
        route("/mine", _mine, "GET"),
        Route("/mine/logs", guarded(site, "mine_logs", partial(logs_page, site))),
        route("/mine/uploads", _form_upload, "POST"),
        route("/api/me", _me, "GET"),
        route("/api/uploads", _api_upload, "POST"),
        route("/api/uploads/{upload}", _api_state, "GET"),
        route("/api/logs", _logs, "GET"),
        *retire_routes(site, uploads.limits.uploads),
    ]


async def _join_page(site: Site, uploads: Uploads, request: Request) -> Response:
    content = Content(
        title="Sign in",
        description="The organiser's invitation has a token, by which you hand in bots here.",
        template="join.html",
        value=None,
    )
    return private(rendering.html(content, site.around, "/join"))


async def _join(site: Site, uploads: Uploads, request: Request) -> Response:
    check_origin(request)
    async with sent_form(request, field=1024) as form:
        text = str(form.get("token", "")).strip().rpartition("#")[2]  # of the whole link, too
    before, token = await known(site, request), await valid_token(site, request, text)
    if before is not None and before.author != token.author:  # another site's link may do that
        raise Refused(f"You are signed in as {before.author}: sign out there first (/mine).")
    answer = RedirectResponse("/mine", _SEE_OTHER, headers=PRIVATE)
    let_in(answer, request, token, text, now_ms())
    return answer


async def _leave(site: Site, uploads: Uploads, request: Request) -> Response:
    """Have the browser forget its token; a session ends with that, an invitation does not."""
    check_origin(request)
    if is_token(text := token_in(request)):
        await site.library.ask(partial(_end_session, text))
    answer = RedirectResponse("/", _SEE_OTHER, headers=PRIVATE)
    let_go(answer)
    return answer


def _end_session(text: str, store: Store) -> None:
    token = store.tokens.by_text(text)
    if token is not None and token.binding:
        store.tokens.end(token.id)


async def _mine(site: Site, uploads: Uploads, request: Request) -> Response:
    token = await author_of(site, request, Scope.SUBMIT)
    own = [_json(uploads, one) for one in uploads.of(token.author)]
    bots = await site.library.ask(partial(_bots_of, token.author))
    accounts = await site.library.ask(lambda store: store.bindings.of(token.author))
    content = Content(
        title=f"Bots of {token.author}",
        description="Your bots, and those that you have handed in.",
        template="mine.html",
        value=None,
        shown={
            "token": token,
            "accounts": accounts,
            "uploads": own,
            "bots": bots,
            "limits": uploads.limits,
            "now_ms": now_ms(),
            "root": str(request.base_url).rstrip("/"),
            "live_upload": any(one.accepted is None and one.why is None for one in own),
        },
    )
    return private(rendering.html(content, site.around, "/mine"))


def _bots_of(author: str, store: Store) -> list[OwnBot]:
    """Return the bots of an author, each as the version that plays, or would."""
    roster = store.refresh()
    current = [roster.entrants[roster.chosen(bot)] for bot in roster.bots()]
    return [
        OwnBot(
            one,
            roster.state(one.entrant),
            roster.is_current(one.entrant),
            roster.retired.get(one.bot) == WITHDRAWN,
        )
        for one in current
        if one.author == author
    ]


async def _me(site: Site, uploads: Uploads, request: Request) -> Response:
    token = await author_of(site, request, Scope.SUBMIT)
    own = tuple(_json(uploads, one) for one in uploads.of(token.author))
    return _json_answer(MeJson(token.author, token.scopes, token.expires_ms, own))


async def _api_state(site: Site, uploads: Uploads, request: Request) -> Response:
    token = await author_of(site, request, Scope.SUBMIT)
    return _json_answer(_json(uploads, uploads.find(token.author, part(request, "upload"))))


async def _logs(site: Site, uploads: Uploads, request: Request) -> Response:
    """Answer with what an author's own bots wrote."""
    token = await author_of(site, request, Scope.LOGS, "logs")
    wanted = given(request, _LOGS)
    bot, match = wanted.get("bot", ""), wanted.get("match", "")
    return _json_answer(await logs_here(site, token.author, bot, match))


async def _api_upload(site: Site, uploads: Uploads, request: Request) -> Response:
    """Take in the bytes of a request as a bot; `file` and `name` stand behind the question mark."""
    wanted = given(request, _UPLOAD)  # before it counts as one of the day's
    file, name = wanted.get("file", "") or "bot", wanted.get("name", "")
    async with _place(site, uploads, request) as token:
        data = bytes_of(request, uploads.limits.upload << 20)
        upload = await uploads.receive(token.author, file, name, data)
    return _json_answer(_json(uploads, upload), 202)


async def _form_upload(site: Site, uploads: Uploads, request: Request) -> Response:
    """Take in a bot from the form of a browser."""
    async with (
        _place(site, uploads, request) as token,
        sent_form(request, file=uploads.limits.upload << 20) as form,
    ):
        file, name = _file_in(form), _name(str(form.get("name", "")).strip())
        await uploads.receive(token.author, file.filename or "bot", name, _bytes_in(file))
    return RedirectResponse("/mine", _SEE_OTHER, headers=PRIVATE)


@asynccontextmanager
async def _place(site: Site, uploads: Uploads, request: Request) -> AsyncIterator[Token]:
    """Yield the token of who may hand in a bot, for whom a place is kept while the bot comes.

    That the token is used is written down, before another request of the author is looked at.

    Raises:
        EnoughForNow: no more are taken of this author for now.
        Forbidden: the author has as many bots as one may have.
    """
    token = await author_of(site, request, Scope.SUBMIT)
    author = token.author
    async with AsyncExitStack() as stack:
        async with uploads.places.locks.held(author):
            today = await site.library.ask(lambda store: store.tokens.used_today(author, _USE))
            bots = await site.library.ask(partial(_bots_of, author))
            playing = sum(one.state.playing for one in bots)
            waiting = uploads.open_authors()
            stack.enter_context(
                uploads.places.kept(uploads.limits, author, today, playing, waiting)
            )
            await author_of(site, request, Scope.SUBMIT, _USE)
        yield token


def _name(text: str) -> str:
    """Return what tables are to call a bot; "" where that was not said.

    Raises:
        Refused: it is no name.
    """
    try:
        return name_of(text, "bot") if text else ""
    except RefereeError as error:
        raise Refused(str(error)) from error


def _file_in(form: FormData) -> UploadFile:
    file = form.get("file")
    if not isinstance(file, UploadFile):
        raise Refused("Choose a file: a zip with a bot.toml, or one executable.")
    return file


async def _bytes_in(file: UploadFile) -> AsyncGenerator[bytes, None]:
    while chunk := await file.read(_CHUNK):
        yield chunk


def _json(uploads: Uploads, upload: Upload) -> UploadJson:
    return UploadJson(
        id=upload.id,
        author=upload.author,
        file=upload.file,
        bytes=upload.bytes,
        at_ms=upload.at_ms,
        state=upload.state,
        position=uploads.position(upload),
        begun_ms=upload.begun_ms or None,
        stage=uploads.stage(upload) or None,
        why=upload.why or None,
        accepted=upload.accepted,
    )


def _json_answer(value: Struct, status: int = 200) -> Response:
    encoded = msgspec.json.encode(value) + b"\n"
    return Response(encoded, status, {**PRIVATE, "content-type": "application/json"})
