"""Websockets to a ladder's site."""

import re
import ssl
from collections.abc import Awaitable, Callable
from typing import Final
from urllib.parse import urlencode, urlsplit

import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    wrap_client_stream,
)
from wsproto.utilities import ProtocolError

from ladder.connection.messages import LONGEST, MATCH_HEADER
from ladder.connection.resumable import OutOfStep
from ladder.connection.talk import Broken, Wire, expected_in
from ladder.remote.site_client import problem_in
from referee.errors import RefereeError

_LONGEST_WAIT_S: Final = 20.0
_LONGEST_CLOSE_S: Final = 3.0
_AWAY: Final = range(500, 600)
"""What a site answers that may be well again soon, or the proxy before it."""

_EXPECTED: Final = (
    *(Broken, OutOfStep, HandshakeError, ConnectionClosed),
    *(OSError, trio.TooSlowError, trio.BrokenResourceError, trio.ClosedResourceError),
    *(ProtocolError, UnicodeError),  # it speaks something else than websockets
)
_MATCH_ID: Final = re.compile("[0-9a-f]{24}", re.ASCII)
_Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class SocketWire:
    """A websocket, as a `Wire`.

    Attributes:
        socket: that one.
    """

    def __init__(self, socket: WebSocketConnection) -> None:
        self.socket = socket

    async def send(self, envelope: bytes) -> None:
        """Send a message; for what it raises see `Wire`."""
        try:
            await self.socket.send_message(envelope.decode())
        except (ConnectionClosed, OSError) as error:
            raise Broken("the site has gone") from error

    async def receive(self) -> bytes:
        """Return the next message; for what it raises see `Wire`."""
        try:
            text = await self.socket.get_message()
        except (ConnectionClosed, OSError) as error:
            raise Broken("the site has gone") from error
        return text.encode() if isinstance(text, str) else text


class Dialler:
    """Connects to a site: for a match, and again for the same one."""

    def __init__(self, url: str, token: str, wanted: dict[str, str]) -> None:
        """Connects not yet.

        Args:
            url: of the site.
            token: of the author.
            wanted: what is to be played, as the site's `/api/connect` takes it.

        Raises:
            RefereeError: that is no address of a site.
        """
        try:
            parts = urlsplit(url.rstrip("/"))
            port = parts.port
        except ValueError as error:
            raise RefereeError(f"{url!r}: {error}") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RefereeError(f"{url!r}: write http://HOST or https://HOST")
        self._url, self._parts = url.rstrip("/"), parts
        self._port = port or (80 if parts.scheme == "http" else 443)
        self._headers = [(b"authorization", f"Bearer {token}".encode())]
        self._path = f"{parts.path}/api/connect"
        self._first = f"{self._path}?{urlencode(wanted)}"
        self._match = ""

    async def __call__(self, talk: Callable[[Wire], Awaitable[None]]) -> None:
        """Connect, and talk.

        Raises:
            Broken: the site cannot be reached, or not any more.
            RefereeError: it does not let us play.
        """
        try:
            with trio.fail_after(_LONGEST_WAIT_S):
                stream = await self._stream()
        except (OSError, trio.TooSlowError) as error:
            raise Broken(f"{self._url} cannot be reached") from error
        try:
            found = await self._talked(stream, talk)
        finally:  # the library of websockets leaves it open if its handshake fails
            with trio.move_on_after(_LONGEST_CLOSE_S):  # TLS waits for the other end to say so, too
                await stream.aclose()
        if found is not None:
            raise found

    async def _stream(self) -> _Stream:
        host = self._parts.hostname or ""
        if self._parts.scheme == "http":
            return await trio.open_tcp_stream(host, self._port)
        return await trio.open_ssl_over_tcp_stream(host, self._port)

    async def _talked(
        self, stream: _Stream, talk: Callable[[Wire], Awaitable[None]]
    ) -> Exception | None:
        """Talk over a stream, and return what went wrong."""
        try:
            async with trio.open_nursery() as nursery:
                await talk(await self._socket(stream, nursery))
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as found:
            return self._explained(expected_in(found, _EXPECTED))
        return None

    async def _socket(self, stream: _Stream, nursery: trio.Nursery) -> Wire:
        path = f"{self._path}/{self._match}" if self._match else self._first
        with trio.fail_after(_LONGEST_WAIT_S):
            socket = await wrap_client_stream(
                nursery,
                stream,
                self._parts.netloc,
                path,
                extra_headers=self._headers,
                max_message_size=LONGEST,
            )
        given = dict(socket.handshake_headers)
        match = given.get(MATCH_HEADER.encode(), b"").decode(errors="replace")
        if not _MATCH_ID.fullmatch(match):
            raise OutOfStep("it does not say which match it is")
        self._match = match
        return SocketWire(socket)

    def _explained(self, error: BaseException) -> Exception:
        """Return what to say of a connection that came to nothing, or broke."""
        match error:
            case ConnectionRejected():
                told = f"{self._url}: {problem_in(error.body or b'', error.status_code)}"
                return Broken(told) if error.status_code in _AWAY else RefereeError(told)
            case Broken() | OutOfStep():
                return error
        wrong: BaseException | None = error
        while wrong is not None:
            if isinstance(wrong, ssl.SSLCertVerificationError):
                return RefereeError(f"{self._url}: {wrong.verify_message}")
            wrong = wrong.__cause__ or wrong.__context__
        return Broken(f"{self._url} does not answer as a site does")
