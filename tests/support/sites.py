"""Sites for tests: over a ladder, asked in the same process, or served by a process of its own."""

import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import httpx2
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.store.store import Store
from ladder.web.app import application
from ladder.web.author_routes import author_routes
from ladder.web.events import Events
from ladder.web.library import Library
from ladder.web.live_matches import LiveMatches
from ladder.web.live_routes import live_routes
from ladder.web.pages.event import event_pages
from ladder.web.provider.openid import Provider
from ladder.web.provider.registration import Registration
from ladder.web.provider_routes import provider_routes
from ladder.web.rendering import Around
from ladder.web.site_state import Site, opened_site
from ladder.web.table import Table
from ladder.web.table_process import TableOrder
from ladder.web.table_routes import table_routes
from ladder.web.tables import Tables
from ladder.web.uploads import Uploads
from referee.match.seating import Seating
from referee.sandbox.names import SandboxName
from support.terms import terms_of

HOST = "http://site.test"


def order() -> TableOrder:
    """A deck of briscola against a sample bot, at a table."""
    return TableOrder(
        terms=replace(terms_of("briscola-2"), seating=Seating.ONE),
        seats=2,
        people={0: "ada"},
        partners=((0,), (1,)),
        bot="sample:first",
        called="first",
        entrant=1,
        pool=1,
        deals=1,
        key="k",
        socket="",
        record="",
        sandbox=SandboxName.BWRAP,
    )


class Asked(Struct):
    """A site, who asks it, and what its organiser was told."""

    site: Site
    client: httpx2.AsyncClient
    troubles: list[str]

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        """Asks for a page; headers have underlines where HTTP has dashes."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.get(path, headers=given)

    async def news(self) -> None:
        """Returns once the site has seen that its ladder has changed."""
        state = self.site.library.state
        with trio.fail_after(10):
            await self.site.library.change(state)


@asynccontextmanager
async def opened(
    store: Store,
    visitor: str = "192.0.2.1",
    *,
    uploads: Uploads | None = None,
    tables: Tables[Table] | None = None,
    live_delay: int | None = None,
    events: Sequence[str] = (),
    registration: Registration | None = None,
    get: str = "",
) -> AsyncIterator[Asked]:
    """A site over a ladder, which it watches; the caller closes the store and the uploads."""
    shown = Events(events)
    library = Library(store, shown.pulse)
    troubles: list[str] = []
    around = Around(
        store.opened.name,
        takes_bots=uploads is not None,
        has_tables=tables is not None,
        has_events=bool(events),
        live_delay=live_delay,
        provider=registration.name if registration else "",
        get=get,
    )
    site = opened_site(library, around, troubles.append, event_pages(shown))
    routes = author_routes(site, uploads) if uploads is not None else []
    if registration is not None:
        routes += provider_routes(site, Provider(registration, troubles.append))
    if live_delay is not None:
        routes += live_routes(site, LiveMatches(library, live_delay))
    if tables is not None:
        routes += table_routes(site, tables, SandboxName.BWRAP)
    transport = httpx2.ASGITransport(application(site, routes), client=(visitor, 1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(library.watch)
        nursery.start_soon(site.news.tell)
        if tables is not None:
            nursery.start_soon(tables.run)
        await library.change(0)
        async with httpx2.AsyncClient(transport=transport, base_url=HOST) as client:
            yield Asked(site, client, troubles)
        nursery.cancel_scope.cancel()


class Serving(Struct):
    """`referee serve` in a process of its own, and the address of its site."""

    url: str
    process: subprocess.Popen[bytes]


def started(ladder: Path | str, *words: str, says: IO[bytes] | None = None) -> Serving:
    """Starts a site; returns once it answers. The caller ends it.

    Args:
        ladder: as `--ladder` has it.
        words: options.
        says: where to it speaks; None: nowhere.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "referee", "serve", "--ladder", str(ladder)]
    to = subprocess.DEVNULL if says is None else says
    command += ["--port", str(port), *words]
    # a session of its own, as a service has
    process = subprocess.Popen(command, stderr=to, stdout=to, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 120
    with httpx2.Client() as client:  # which reads the machine's certificates, once
        while time.monotonic() < until and process.poll() is None:
            with suppress(httpx2.TransportError):
                if client.get(f"{url}/healthz").status_code == 200:
                    return Serving(url, process)
            time.sleep(0.05)
    process.kill()
    raise AssertionError(f"the site does not answer: {process.wait()}")


@contextmanager
def served(ladder: Path, *words: str) -> Iterator[str]:
    """A site, by its address; it has to end in good order. For arguments see `started`."""
    with TemporaryFile() as said:
        site = started(ladder, *words, says=said)
        try:
            yield site.url
            site.process.terminate()
            ended = site.process.wait(30)
        finally:
            site.process.kill()
            site.process.wait()
            said.seek(0)
            text = said.read().decode(errors="replace")
    assert ended == 0, text
    assert "Traceback" not in text
