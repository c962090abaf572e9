"""A site that takes in bots, over the ladder that each file of tests has as `store`."""

from collections.abc import AsyncIterator, Iterator
from contextlib import closing

import pytest

from ladder.store.store import Store
from ladder.web.uploads import Uploads
from referee.bots.settings import SiteLimits
from support.sites import Asked, opened


@pytest.fixture
def uploads(store: Store) -> Iterator[Uploads]:
    """What was handed in, of 1 MiB at most."""
    with closing(Uploads(store.files, SiteLimits(upload=1))) as found:
        yield found


@pytest.fixture
async def site(store: Store, uploads: Uploads) -> AsyncIterator[Asked]:
    """The site, asked in this process."""
    async with opened(store, uploads=uploads) as asked:
        yield asked
