"""The connections of the site: whatever comes over one of them ends that one, and no other.

Hypercorn speaks HTTP/1.1 and websockets for us. Who listens is ours, since its own loop lets an
error that a visitor provokes end all, waits for ever for who does not read, and keeps what it could
give to no application that has ended.
"""

import math
import ssl
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import (
    AppWrapper,
    ASGIFramework,
    ASGIReceiveEvent,
    ASGISendEvent,
    ConnectionState,
)
from hypercorn.typing import Scope as AsgiScope
from hypercorn.utils import parse_socket_addr, wrap_app
from msgspec import Struct

from ladder.web.rate_limit import visitor_of
from ladder.web.seldom import Seldom
from referee.errors import innermost
from referee.text import printable

SLOWEST: Final = 4096
"""Bytes a second that a visitor takes at least, after `PATIENCE_S`; a slower one is let go."""

PATIENCE_S: Final = 20.0
HANDSHAKE_S: Final = 10.0
LOOK_S: Final = 1.0
"""How often we look for connections that are idle for too long."""

_AT_ONCE: Final = 1 << 16
_GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError)

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class Bounds(Struct, frozen=True):
    """How many connections there may be at a time.

    Attributes:
        all: of all visitors.
        of_one: of one of them; None behind a proxy, which is the only one.
    """

    all: int
    of_one: int | None = None


class Connections:
    """Connections over which an application is served."""

    def __init__(
        self, app: ASGIFramework, config: Config, bounds: Bounds, say: Callable[[str], None]
    ) -> None:
        """Listens at no address yet.

        Args:
            app: what is served.
            config: how Hypercorn speaks.
            bounds: a connection beyond them is closed at once.
            say: is told, in a line, of an error that a connection has ended with, and of such
                bounds.
        """
        self.app: AppWrapper = wrap_app(app, config.wsgi_max_body_size, "asgi")
        self.config = config
        self.context = WorkerContext(None)
        self._troubles = Seldom(say)
        self._bounds = bounds
        self._of: Counter[str] = Counter()
        """Connections by visitor."""
        self._sending: set[trio.CancelScope] = set()
        self._idle: dict[Stream, float] = {}
        """Connections over which nothing is answered, and since when."""
        self._until = math.inf

    async def serve(
        self,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        stop: trio.Event,
        task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until `stop` is set, and then for as long as connections have, in the settings.

        Args:
            host: where to listen.
            port: likewise; 0 is any that is free.
            tls: the certificate, where TLS is spoken.
            stop: ends it.
            task_status: is told the port once we listen.

        Raises:
            OSError: that address cannot be had.
        """
        plain = await trio.open_tcp_listeners(port, host=host, backlog=self.config.backlog)
        listeners: list[Any] = list(plain)  # those of TLS are of another type
        if tls is not None:
            listeners = [trio.SSLListener(one, tls, https_compatible=True) for one in plain]
        async with trio.open_nursery() as connected:
            async with trio.open_nursery() as nursery:
                taking = partial(trio.serve_listeners, handler_nursery=connected)
                nursery.start_soon(taking, self._connection, listeners)
                nursery.start_soon(self._end_idle)
                task_status.started(plain[0].socket.getsockname()[1])
                await stop.wait()
                nursery.cancel_scope.cancel()
            await self.context.terminated.set()
            self._until = trio.current_time() + self.config.graceful_timeout
            connected.cancel_scope.deadline = self._until
            await self._end_those_idle_until(math.inf)
            for scope in self._sending:
                scope.deadline = min(scope.deadline, self._until)

    async def _connection(self, stream: Stream) -> None:
        try:
            with self._counted(visitor_of(_socket_of(stream).getpeername()[0])) as is_within:
                if is_within:
                    await _Connection(self, stream).run()
        except* OSError:
            pass  # the visitor has gone
        except* Exception as errors:
            self._tell(innermost(errors))
        finally:
            self.busy(stream)
            await trio.aclose_forcefully(stream)

    @contextmanager
    def _counted(self, visitor: str) -> Iterator[bool]:
        """Count a connection of a visitor in the block, and say whether it is within the bounds."""
        most, there = self._bounds, self._of[visitor]
        if most.of_one is not None and there >= most.of_one:
            # not whose: no address is written down
            self._troubles.tell(f"a visitor has {there} connections: no more are taken")
            yield False
        elif self._of.total() >= most.all:
            self._troubles.tell(f"there are {most.all} connections: no more are taken")
            yield False
        else:
            self._of[visitor] += 1
            try:
                yield True
            finally:
                self._of[visitor] -= 1
                if not self._of[visitor]:
                    del self._of[visitor]

    async def idle(self, stream: Stream) -> None:
        """Let a connection go once nothing is asked over it for as long as the settings have it."""
        if self._until < math.inf:
            await trio.aclose_forcefully(stream)
        else:
            self._idle[stream] = trio.current_time()

    def busy(self, stream: Stream) -> None:
        """Let it wait for as long as an answer takes; or forget it, where it has gone."""
        self._idle.pop(stream, None)

    async def _end_idle(self) -> None:
        while True:
            await trio.sleep(LOOK_S)
            await self._end_those_idle_until(trio.current_time() - self.config.keep_alive_timeout)

    async def _end_those_idle_until(self, since: float) -> None:
        for stream in [one for one, begun in self._idle.items() if begun <= since]:
            self.busy(stream)
            await trio.aclose_forcefully(stream)

    def _tell(self, error: BaseException) -> None:
        """Tell the organiser, who is not flooded by visitors that provoke errors."""
        what = printable(f"{type(error).__name__}: {error}")[:200]
        self._troubles.tell(f"a connection was ended by {what}")

    async def send(self, stream: Stream, data: bytes) -> bool:
        """Send what was begun, also where the application is cancelled.

        Returns:
            Whether it was taken; False where the visitor reads too slowly, or has gone.
        """
        until = trio.current_time() + PATIENCE_S + len(data) / SLOWEST
        with trio.CancelScope(shield=True, deadline=min(until, self._until)) as scope:
            self._sending.add(scope)
            try:
                await stream.send_all(data)
            except _GONE:
                return False
            finally:
                self._sending.discard(scope)
        return not scope.cancelled_caught


def _socket_of(stream: Stream) -> trio.socket.SocketType:
    """Return what a stream goes over."""
    return (stream.transport_stream if isinstance(stream, trio.SSLStream) else stream).socket


class _Applications(TaskGroup):
    """Runs the application for each request; what comes after it has ended is dropped."""

    async def spawn_app(
        self,
        app: AppWrapper,
        config: Config,
        scope: AsgiScope,
        send: Callable[[ASGISendEvent | None], Awaitable[None]],
    ) -> Callable[[ASGIReceiveEvent], Awaitable[None]]:
        put, take = trio.open_memory_channel[ASGIReceiveEvent](config.max_app_queue_size)

        async def say(event: ASGISendEvent | None) -> None:
            if event is None:
                take.close()
            await send(event)

        async def tell(event: ASGIReceiveEvent) -> None:
            with suppress(*_GONE):
                await put.send(event)

        self.spawn(_run, app, scope, take.receive, say)
        return tell


async def _run(
    app: AppWrapper,
    scope: AsgiScope,
    hear: Callable[[], Awaitable[ASGIReceiveEvent]],
    say: Callable[[ASGISendEvent | None], Awaitable[None]],
) -> None:
    try:
        await app(scope, hear, say, trio.to_thread.run_sync, trio.from_thread.run)
    except* Exception:  # noqa: S110  # it has told of it
        pass
    finally:
        await say(None)


class _Connection:
    """A connection."""

    def __init__(self, all_of_them: Connections, stream: Stream) -> None:
        self._all = all_of_them
        self._stream = stream
        self._turn = trio.Lock()

    async def run(self) -> None:
        """Speak until one of both ends it."""
        stream = self._stream
        if isinstance(stream, trio.SSLStream):
            try:
                with trio.fail_after(HANDSHAKE_S):
                    await stream.do_handshake()
            except (trio.BrokenResourceError, trio.TooSlowError):
                return
        socket = _socket_of(stream)
        ends = (socket.getpeername(), socket.getsockname())
        client, server = (parse_socket_addr(socket.family, end) for end in ends)
        async with _Applications() as self._applications:
            self._protocol = H11Protocol(
                self._all.app,
                self._all.config,
                self._all.context,
                self._applications,
                ConnectionState({}),
                isinstance(stream, trio.SSLStream),
                client,
                server,
                self._send,
            )
            await self._all.idle(stream)
            await self._read()

    async def _read(self) -> None:
        data = b" "
        while data and not self._keeps_too_much():
            try:
                data = bytes(await self._stream.receive_some(_AT_ONCE))
            except _GONE:
                break
            await self._protocol.handle(RawData(data))
        await self._protocol.handle(Closed())

    def _keeps_too_much(self) -> bool:
        """Whether a message is too long: Hypercorn says so then, and keeps what follows."""
        stream = self._protocol.stream
        most = self._all.config.websocket_max_message_size
        return isinstance(stream, WSStream) and stream.buffer.length > most

    async def _send(self, event: Event) -> None:
        match event:
            case RawData():
                async with self._turn:
                    is_taken = await self._all.send(self._stream, event.data)
                if not is_taken:
                    await trio.aclose_forcefully(self._stream)
                    await self._protocol.handle(Closed())
            case Closed():
                await self._close()
                await self._protocol.handle(Closed())
            case Updated(idle=True):
                await self._all.idle(self._stream)
            case Updated():
                self._all.busy(self._stream)

    async def _close(self) -> None:
        with suppress(*_GONE, AttributeError, trio.BusyResourceError):  # TLS has no end of its own
            await self._stream.send_eof()
        await self._stream.aclose()
