"""Connections of the site: what a visitor sends over one ends that one, and nothing else."""

import base64
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import trio
import trio.lowlevel
import trio.testing
from hypercorn.config import Config
from msgspec import Struct

from ladder.web import connections
from ladder.web.connections import Bounds, Connections

MOST = 1 << 16
"""Bytes of the longest message over a websocket."""

UPGRADE = (
    b"GET /%s HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    + base64.b64encode(bytes(16))
    + b"\r\n%s\r\n"
)
HOSTILE = {
    "a protocol that is no text": UPGRADE % (b"ws", b"Sec-WebSocket-Protocol: \xff\r\n"),
    "extensions that are no text": UPGRADE % (b"ws", b"Sec-WebSocket-Extensions: \xff\r\n"),
    "a wrong extension": UPGRADE
    % (b"ws", b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=x\r\n"),
    "more behind a refused upgrade": UPGRADE % (b"no", b"") + b"x",
    "http/2, as if it were known": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(64),
    "an upgrade to http/2": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: \xff\r\n\r\n",
    "an upgrade to nothing": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
    b"Upgrade:\r\n\r\n",
    "a path that is no text": b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "no http": os.urandom(200),
    "a header without an end": b"GET / HTTP/1.1\r\nX: " + b"x" * MOST,
}


MANY = Bounds(1000)


class Serving(Struct):
    """An application that is served."""

    port: int
    stop: trio.Event
    told: list[str]


async def application(scope: Any, receive: Any, send: Any) -> None:  # ASGI's have no types
    """Says hello; over a websocket at /ws it hears one message, and ends."""
    if scope["type"] == "lifespan":
        return
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        size = 1 << 26 if scope["path"] == "/large" else 5
        await send({"type": "http.response.body", "body": b"h" * size})
    elif scope["path"] == "/ws":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
    else:
        await receive()
        await send({"type": "websocket.close"})


@asynccontextmanager
async def served(
    grace_s: float = 0.2, idle_s: float = 20.0, bounds: Bounds = MANY
) -> AsyncIterator[Serving]:
    """The application at an address of this machine; it has to end within five seconds."""
    config, told, stop = Config(), list[str](), trio.Event()
    config.graceful_timeout, config.keep_alive_timeout = grace_s, idle_s
    config.errorlog = config.accesslog = None
    config.websocket_max_message_size = MOST
    config.h11_max_incomplete_size = 1 << 14
    ours = Connections(application, config, bounds, told.append)
    async with trio.open_nursery() as nursery:
        port: int = await nursery.start(partial(ours.serve, "127.0.0.1", 0, None, stop))
        yield Serving(port, stop, told)
        stop.set()
        nursery.cancel_scope.deadline = trio.current_time() + 5
    assert not nursery.cancel_scope.cancelled_caught


async def answer(port: int, request: bytes, most_s: float = 5.0) -> bytes:
    """What comes for a request until the connection ends, or no more comes for some time."""
    found = b""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        try:
            await stream.send_all(request)
            with trio.move_on_after(most_s):
                while data := await stream.receive_some(MOST):
                    found += data
        except trio.BrokenResourceError:
            pass
    return found


HELLO = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("case", HOSTILE)
async def test_what_a_visitor_sends_ends_no_other_connection(case: str) -> None:
    """Whatever it is; the organiser is told a line at most, and more than one a minute never."""
    async with served() as site:
        for _ in range(5):
            await answer(site.port, HOSTILE[case], 0.1)
        assert b"hhhhh" in await answer(site.port, HELLO)

    assert len(site.told) <= 1
    assert all(line.isprintable() and len(line) < 300 for line in site.told)


def frame(data: bytes, *, ends: bool = False) -> bytes:
    """A part of a message over a websocket, as a client sends it: masked, here by noughts."""
    head = bytes([(0x80 if ends else 0) | 1, 0x80 | 126])
    return head + len(data).to_bytes(2, "big") + bytes(4) + data


async def sent_until_it_breaks(stream: trio.SocketStream, data: bytes, most: int) -> int:
    """How many bytes were taken, at most so many."""
    sent = 0
    with suppress(trio.BrokenResourceError), trio.fail_after(5):
        while sent < most:
            await stream.send_all(data)
            sent += len(data)
            await trio.lowlevel.checkpoint()
    return sent


async def test_a_message_that_is_too_long_ends_its_connection() -> None:
    """Nothing is kept of what comes behind it, and nothing more is taken."""
    part = frame(b"a" * 60_000)
    more = bytes([0, *part[1:]])
    async with served() as site, await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
        await stream.send_all(UPGRADE % (b"ws", b""))
        await stream.receive_some(MOST)
        await stream.send_all(part)
        sent = await sent_until_it_breaks(stream, more, 1 << 26)

    assert sent < 1 << 24  # what buffers of the kernel hold, and not all


async def test_what_comes_for_an_application_that_has_ended_is_dropped() -> None:
    """A visitor who goes then leaves nothing: with an hour to end, the site ends at once."""
    async with served(grace_s=3600) as site:
        for _ in range(3):
            async with await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
                await stream.send_all(UPGRADE % (b"ws", b""))
                await stream.receive_some(MOST)
                await stream.send_all(frame(b"x", ends=True) * 40)


@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        (Bounds(100, of_one=3), "a visitor has 3 connections: no more are taken"),
        (Bounds(3), "there are 3 connections: no more are taken"),
    ],
)
async def test_a_connection_beyond_the_bounds_is_closed_at_once(bounds: Bounds, told: str) -> None:
    """Those that are there go on, and there is room again once one of them has ended."""
    async with served(bounds=bounds) as site, AsyncExitStack() as there:
        streams = [
            await there.enter_async_context(await trio.open_tcp_stream("127.0.0.1", site.port))
            for _ in range(3)
        ]
        for stream in streams:  # each is answered, so all were taken
            await stream.send_all(IDLE["who has an answer"])
            assert b" 200 " in await stream.receive_some(MOST)
        for _ in range(3):
            assert await answer(site.port, HELLO) == b""
        assert site.told == [told]
        await streams[0].aclose()
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert b" 200 " in await answer(site.port, HELLO)


IDLE = {
    "who asks nothing": b"",
    "who never comes to an end of it": b"GET / HTTP/1.1\r\nHost: x\r\n",
    "who has an answer": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("case", IDLE)
async def test_a_visitor_is_let_go_over_whose_connection_nothing_is_answered(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LOOK_S", 0.01)
    async with (
        served(idle_s=0.1) as site,
        await trio.open_tcp_stream("127.0.0.1", site.port) as talks,
        await trio.open_tcp_stream("127.0.0.1", site.port) as stream,
    ):
        await talks.send_all(UPGRADE % (b"ws", b""))
        await stream.send_all(IDLE[case])
        with trio.fail_after(5):
            while await stream.receive_some(MOST):
                pass
        assert b" 101 " in await talks.receive_some(MOST)
        with trio.move_on_after(0.2) as still_open:
            await talks.receive_some(MOST)
        assert still_open.cancelled_caught
    assert site.told == []


async def test_connections_over_which_nothing_is_answered_keep_no_site_from_ending() -> None:
    async with (
        served(grace_s=60) as site,
        await trio.open_tcp_stream("127.0.0.1", site.port) as stream,
    ):
        await stream.send_all(IDLE["who has an answer"])
        await stream.receive_some(MOST)
        site.stop.set()
        with trio.fail_after(2):
            while await stream.receive_some(MOST):
                pass


async def test_a_visitor_who_reads_nothing_keeps_no_site_from_ending() -> None:
    """Its connection is closed after what answers have then."""
    async with served() as site, await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
        await stream.send_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        await trio.testing.wait_all_tasks_blocked(0.05)
        site.stop.set()
        await trio.sleep(0.5)


async def test_a_visitor_who_reads_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the site goes on: what it holds for them is no more than what is on its way."""
    monkeypatch.setattr(connections, "PATIENCE_S", 0.1)
    monkeypatch.setattr(connections, "SLOWEST", 1 << 40)
    given_up, send = trio.Event(), Connections.send

    async def seen(self: Connections, stream: trio.SocketStream, data: bytes) -> bool:
        is_taken = await send(self, stream, data)
        if not is_taken:
            given_up.set()
        return is_taken

    monkeypatch.setattr(Connections, "send", seen)
    async with served() as site:
        async with await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
            await stream.send_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            size = 0
            with trio.fail_after(5):
                await given_up.wait()
                with suppress(trio.BrokenResourceError):
                    while data := await stream.receive_some(1 << 20):
                        size += len(data)
        assert size < 1 << 26
        assert b"hhhhh" in await answer(site.port, HELLO)
