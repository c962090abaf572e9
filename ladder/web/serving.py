"""Serves the site, with a runner beside it, until it is stopped."""

import logging
import resource
import ssl
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import trio
from hypercorn.config import Config
from hypercorn.middleware import ProxyFixMiddleware
from hypercorn.typing import ASGIFramework
from msgspec import Struct
from starlette.routing import BaseRoute

from ladder.connection.messages import LONGEST
from ladder.web.app import application
from ladder.web.connections import Bounds, Connections
from ladder.web.site_state import Site
from referee.errors import HostError, RefereeError, innermost
from referee.text import printable

GRACE_S: Final = 3.0
"""So long answers that were begun may take when the site stops."""

AGAIN_S: Final = 20.0
"""After that work is begun again which the machine has stopped."""

Work = Callable[[], Awaitable[None]]
"""What goes on beside the site until it is cancelled: a runner, the trials of uploads."""

MOST_CONNECTIONS: Final = 4000
"""Of all visitors together."""

MOST_CONNECTIONS_OF_ONE: Final = 100
"""Of one visitor: forty open pages, and what a browser asks for beside them."""


class Listen(Struct, frozen=True, kw_only=True):
    """Where the site listens.

    Attributes:
        tls: the files of a certificate and its key.
        proxy: whether what stands before it says who asks and how; its own headers are believed.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    tls: tuple[Path, Path] | None = None
    proxy: bool = False

    @property
    def address(self) -> str:
        """As a browser takes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.tls else ''}://{host}:{self.port}"


def check_tls(tls: tuple[Path, Path] | None) -> None:
    """Find out whether a certificate and its key can be used.

    Raises:
        RefereeError: they cannot.
    """
    if tls is None:
        return
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(*tls)
    except OSError as error:  # of which SSLError is one
        why = error.strerror or error
        raise RefereeError(f"--tls {str(tls[0])!r} {str(tls[1])!r}: {why}") from error


async def serve(
    site: Site, listen: Listen, routes: Sequence[BaseRoute], work: Sequence[Work]
) -> None:
    """Serve until cancelled, then let go of who follows, and end.

    Args:
        site: what is served.
        listen: where.
        routes: beside those that only read.
        work: goes on meanwhile.

    Raises:
        HostError: the address cannot be listened on.
    """
    stop, listening = trio.Event(), trio.CancelScope(shield=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(site.library.watch)
        nursery.start_soon(site.news.tell)
        app = _application(site, listen, routes)
        connections = Connections(app, _config(listen), _bounds(listen), site.say)
        await nursery.start(_listening, connections, listen, stop, listening)
        site.say(f"{site.around.site} is at {listen.address}")
        try:
            async with trio.open_nursery() as beside:
                for one in work:
                    beside.start_soon(_go_on, one, site.say)
                await trio.sleep_forever()
        finally:
            site.news.close()
            stop.set()
            listening.deadline = trio.current_time() + 2 * GRACE_S  # it ends by itself before
            nursery.cancel_scope.cancel()


async def _go_on(work: Work, say: Callable[[str], None]) -> None:
    """Work on for ever; where the machine stops it, it begins again, and the site goes on."""
    while True:
        try:
            await work()
        except HostError as error:
            say(printable(f"stopped: {error}; it begins again in {AGAIN_S:.0f} s"))
        await trio.sleep(AGAIN_S)


def _application(site: Site, listen: Listen, routes: Sequence[BaseRoute]) -> ASGIFramework:
    """Return the site as the server takes it."""
    app: ASGIFramework = application(site, routes)  # type: ignore[assignment]  # one protocol, two names
    if listen.proxy:
        return ProxyFixMiddleware(app, mode="legacy", trusted_hops=1)
    return app


async def _listening(
    connections: Connections,
    listen: Listen,
    stop: trio.Event,
    scope: trio.CancelScope,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Listen until `stop` is set; `task_status` is told once we do, `scope` outlives a cancel."""

    async def serving(task_status: trio.TaskStatus[int]) -> None:
        tls = connections.config.create_ssl_context()
        try:
            await connections.serve(listen.host, listen.port, tls, stop, task_status)
        except (OSError, ExceptionGroup) as error:
            why = innermost(error)
            if not isinstance(why, OSError | HostError):
                raise
            told = why.strerror if isinstance(why, OSError) and why.strerror else str(why)
            raise HostError(f"{listen.address}: {told}") from error

    with scope:
        async with trio.open_nursery() as nursery:
            await nursery.start(serving)
            task_status.started()


def _bounds(listen: Listen) -> Bounds:
    """Return how many connections are taken: half of the files that we may have open.

    The other half is for the ladder, whose runner must not be kept from its files by visitors.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    every = MOST_CONNECTIONS if most == resource.RLIM_INFINITY else most // 2
    return Bounds(min(every, MOST_CONNECTIONS), None if listen.proxy else MOST_CONNECTIONS_OF_ONE)


def _config(listen: Listen) -> Config:
    config = Config()
    config.alpn_protocols = ["http/1.1"]
    config.graceful_timeout = GRACE_S
    config.include_server_header = False
    config.accesslog = config.errorlog = None  # no address and no token is ever written down
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # who sent a form hears of it
    config.backlog = 1024
    config.keep_alive_timeout = 20
    config.h11_max_incomplete_size = 32 << 10
    config.websocket_max_message_size = LONGEST
    if listen.tls is not None:
        config.certfile, config.keyfile = map(str, listen.tls)
    return config
