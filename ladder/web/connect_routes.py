"""Routes for bots that stay on their authors' machines, over websockets."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio
from msgspec.structs import replace
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ladder.connection.messages import MATCH_HEADER
from ladder.connection.talk import Broken
from ladder.core.names import name_of
from ladder.core.tokens import Scope
from ladder.store.store import Store
from ladder.web.connected_bot import CLOCK, ConnectedBot
from ladder.web.content import NUMBER, Missing, Refused
from ladder.web.guard import guarded_socket, part
from ladder.web.rate_limit import Rate
from ladder.web.sign_in import program_of
from ladder.web.site_state import Site
from ladder.web.table_process import TableOrder
from ladder.web.table_routes import MOST_DEALS, Wish, bring_bot, order_of
from ladder.web.tables import NO_SUCH, Tables
from referee.errors import RefereeError
from referee.sandbox.names import SandboxName
from referee.text import printable

BEGINNING: Final = Rate(burst=30, a_second=1 / 10)
"""How often an author's bot begins a match."""

_LONGEST_WORD: Final = 80
_Endpoint = Callable[[Site, Tables[ConnectedBot], WebSocket], Awaitable[None]]


class _SocketWire:
    """A websocket, as a `Wire`."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def send(self, envelope: bytes) -> None:
        try:
            await self._socket.send_text(envelope.decode())
        except (WebSocketDisconnect, OSError, RuntimeError, trio.BrokenResourceError) as error:
            raise Broken("the bot's machine has gone") from error

    async def receive(self) -> bytes:
        try:
            message = await self._socket.receive()
        except (OSError, RuntimeError) as error:
            raise Broken("the bot's machine has gone") from error
        if message["type"] != "websocket.receive":
            raise Broken("the bot's machine has gone")
        return (message.get("text") or "").encode()  # bytes are no envelope


def connect_routes(
    site: Site, bots: Tables[ConnectedBot], sandbox: SandboxName
) -> list[WebSocketRoute]:
    """Return the routes.

    Args:
        site: what all routes share.
        bots: that play from elsewhere.
        sandbox: where the others run.
    """

    def route(path: str, endpoint: _Endpoint, name: str) -> WebSocketRoute:
        return WebSocketRoute(path, guarded_socket(site, name, partial(endpoint, site, bots)))

    return [
        route("/api/connect", partial(_begin, sandbox), "connect"),
        route("/api/connect/{table}", _go_on, "connect_again"),
    ]


async def _begin(
    sandbox: SandboxName, site: Site, bots: Tables[ConnectedBot], socket: WebSocket
) -> None:
    """Begin a match with the bot that connects."""
    token = await program_of(site, socket, Scope.PLAY)
    order = await site.library.ask(partial(_order, sandbox, socket))
    await bring_bot(site, order)
    while (before := bots.of(token.author)) is not None:  # its author begins anew
        await before.leave()
    bot = bots.open(ConnectedBot(token.author, order))
    await program_of(site, socket, Scope.PLAY, "connect")  # it is written down
    await _attach(bot, socket)


async def _go_on(site: Site, bots: Tables[ConnectedBot], socket: WebSocket) -> None:
    """Go on with a match over another connection."""
    token = await program_of(site, socket, Scope.PLAY)
    bot = bots.find(part(socket, "table"))
    if not bot.has(token.author):
        raise Missing(NO_SUCH)
    await _attach(bot, socket)


async def _attach(bot: ConnectedBot, socket: WebSocket) -> None:
    await socket.accept(headers=[(MATCH_HEADER.encode(), bot.id.encode())])
    await bot.attach(_SocketWire(socket))
    if socket.client_state is WebSocketState.CONNECTED:
        await socket.close()


def _order(sandbox: SandboxName, socket: WebSocket, store: Store) -> TableOrder:
    """Return what is to be played, by what stands behind the question mark.

    Raises:
        Refused: a part of it is not understood.
        Missing: there is no such bot that plays, or no such game.
    """
    asked = socket.query_params
    try:
        name = name_of(asked.get("name", ""), "bot")
    except RefereeError as error:
        raise Refused(f"{error}.") from error
    deals = asked.get("deals", "1")
    if re.fullmatch(NUMBER, deals, re.ASCII) is None or int(deals) > MOST_DEALS:
        raise Refused(f"'deals' has to be a number, from 1 to {MOST_DEALS}.")
    entrant, pool = _found(store, asked.get("against", "")[:_LONGEST_WORD], asked.get("game", ""))
    order = order_of(sandbox, name, Wish(entrant, pool, int(deals)), store)
    return replace(order, time=CLOCK, compares=False)


def _found(store: Store, against: str, game: str) -> tuple[int, int]:
    """Return an entrant that plays, and the number of a game that it plays.

    Raises:
        Missing: there is none.
        Refused: there are several.
    """
    roster = store.refresh()
    try:
        bot = roster.find(against)
    except RefereeError as error:
        raise Missing(f"{error}.".replace(": `referee ladder bots` lists them", "")) from error
    playing = [
        (one.entrant, pool)
        for pool in roster.open_pools
        for one in roster.playing(pool.pool)
        if one.bot == bot and game in {"", pool.name, pool.terms.game}
    ]
    if not playing:
        raise Missing(f"{against} does not play {printable(game[:_LONGEST_WORD]) or 'now'}.")
    if len(playing) > 1:
        games = ", ".join(pool.name for _, pool in playing)
        raise Refused(f"{against} plays {games}: say which by 'game'.")
    ((entrant, pool),) = playing
    return entrant, pool.pool
