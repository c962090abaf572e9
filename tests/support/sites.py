"""Sites for tests: over a ladder, asked in the same process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import trio
from msgspec import Struct

from ladder.store.store import Store
from ladder.web.app import application
from ladder.web.author_routes import author_routes
from ladder.web.library import Library
from ladder.web.rendering import Around
from ladder.web.site_state import Site, opened_site
from ladder.web.uploads import Uploads

HOST = "http://site.test"


class Asked(Struct):
    """A site, who asks it, and what its organiser was told."""

    site: Site
    client: httpx.AsyncClient
    troubles: list[str]

    async def get(self, path: str, **headers: str) -> httpx.Response:
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
    store: Store, visitor: str = "192.0.2.1", uploads: Uploads | None = None
) -> AsyncIterator[Asked]:
    """A site over a ladder, which it watches; the caller closes the store and the uploads."""
    library = Library(store)
    troubles: list[str] = []
    around = Around(store.opened.name, takes_bots=uploads is not None)
    site = opened_site(library, around, troubles.append)
    routes = author_routes(site, uploads) if uploads is not None else ()
    transport = httpx.ASGITransport(application(site, routes), client=(visitor, 1))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(library.watch)
        await library.change(0)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
            yield Asked(site, client, troubles)
        nursery.cancel_scope.cancel()
