"""The connections of the site: whatever comes over one of them ends that one, and no other.

Hypercorn speaks HTTP/1.1 and websockets for us. Who listens is ours, since its own loop lets an
error that a visitor provokes end all, waits for ever for who does not read, and keeps what it could
give to no application that has ended.
"""

import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.trio.task_group import TaskGroup
from hypercorn.trio.worker_context import TrioSingleTask, WorkerContext
from hypercorn.typing import (
    AppWrapper,
    ASGIFramework,
    ASGIReceiveEvent,
    ASGISendEvent,
    ConnectionState,
)
from hypercorn.typing import Scope as AsgiScope
from hypercorn.utils import parse_socket_addr, wrap_app

from ladder.web.seldom import Seldom
from referee.errors import innermost
from referee.text import printable

SLOWEST: Final = 4096
"""Bytes a second that a visitor takes at least, after `PATIENCE_S`; a slower one is let go."""

PATIENCE_S: Final = 20.0
HANDSHAKE_S: Final = 10.0
_AT_ONCE: Final = 1 << 16
_GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError)

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class Connections:
    """Connections over which an application is served."""

    def __init__(self, app: ASGIFramework, config: Config, say: Callable[[str], None]) -> None:
        """Listens at no address yet.

        Args:
            app: what is served.
            config: how Hypercorn speaks.
            say: is told, in a line, of an error that a connection has ended with.
        """
        self.app: AppWrapper = wrap_app(app, config.wsgi_max_body_size, "asgi")
        self.config = config
        self.context = WorkerContext(None)
        self._troubles = Seldom(say)
        self._sending: set[trio.CancelScope] = set()
        self._until = float("inf")

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
                task_status.started(plain[0].socket.getsockname()[1])
                await stop.wait()
                nursery.cancel_scope.cancel()
            await self.context.terminated.set()
            self._until = trio.current_time() + self.config.graceful_timeout
            connected.cancel_scope.deadline = self._until
            for scope in self._sending:
                scope.deadline = min(scope.deadline, self._until)

    async def _connection(self, stream: Stream) -> None:
        try:
            await _Connection(self, stream).run()
        except* OSError:
            pass  # the visitor has gone
        except* Exception as errors:
            self._tell(innermost(errors))
        finally:
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
        self._idle = TrioSingleTask()
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
            socket = stream.transport_stream.socket
        else:
            socket = stream.socket
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
            await self._idle.restart(self._applications, self._end_when_idle)
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
                await self._idle.restart(self._applications, self._end_when_idle)
            case Updated():
                await self._idle.stop()

    async def _close(self) -> None:
        with suppress(*_GONE, AttributeError, trio.BusyResourceError):  # TLS has no end of its own
            await self._stream.send_eof()
        await self._stream.aclose()

    async def _end_when_idle(self) -> None:
        with trio.move_on_after(self._all.config.keep_alive_timeout):
            await self._all.context.terminated.wait()
        with trio.CancelScope(shield=True):
            await self._protocol.handle(Closed())
            await trio.aclose_forcefully(self._stream)
