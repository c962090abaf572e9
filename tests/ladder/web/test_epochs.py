"""What a site tells of a sealed ladder."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from ladder.store.store import Store
from ladder.store.tables import EpochRow
from support.ladders import made, submit, usual_pools
from support.sealed import epoch
from support.sites import Asked, opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", usual_pools(blocks=1), ("greedy", "first")) as store:
        yield store


@pytest.fixture
async def site(store: Store) -> AsyncIterator[Asked]:
    async with opened(store) as site:
        yield site


async def test_a_page_tells_what_was_committed_to_and_the_secret_when_it_is_told(
    store: Store, site: Asked
) -> None:
    """Before that no page has it."""
    assert "This ladder is not sealed" in (await site.get("/epochs")).text
    epoch(store, 2)
    with store._database.reading() as connection:
        (told,) = connection.execute(select(EpochRow.secret)).scalars()
    await site.news()
    page = (await site.get("/epochs")).text
    (one,) = (await site.get("/epochs.json")).json()["epochs"]
    assert one["commitment"] in page
    assert (one["value"], one["secret"], one["draws"]) == ("0a1b", None, 2)
    assert told not in page
    match = (await site.get("/matches/2.json")).json()
    assert match["draw"]["name"] == [1, 2]
    assert '2 of <a href="/epochs">epoch 1</a>' in (await site.get("/matches/2")).text
    store.epochs.end()
    await site.news()
    assert told in (await site.get("/epochs")).text


async def test_the_queue_says_which_bots_wait_for_the_next_epoch(store: Store, site: Asked) -> None:
    """They are no more forgotten than those that are benched."""
    epoch(store)
    submit(store, "late", "author-of-late", "greedy")
    queue = (await site.get("/queue.json")).json()
    (reason,) = (one["reason"] for one in queue["bots"] if one["bot"] == "late")
    assert "plays in the next one" in reason
    assert 'href="/epochs"' in (await site.get("/queue")).text
