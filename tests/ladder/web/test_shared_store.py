"""A site on a machine that has a database and a store by URL in common with others."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import trio

from ladder.files import object_store, record_store, shared_records
from ladder.store.store import Store
from support.ladders import filled, made
from support.sites import opened

pytestmark = pytest.mark.slow


@pytest.fixture
def store_folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
async def ladder(tmp_path: Path, store_folder: Path) -> AsyncIterator[Store]:
    """A match was played and is in the store; this machine has no copy."""
    with made(tmp_path / "ladder", bots=("first", "greedy")) as found:
        filled(found, 1)
        url = f"file://{store_folder}"
        there = object_store.ObjectStore(url)
        there.claim(found.opened.ladder)
        shared_records.put_all(found.files, there, lambda _: True, lambda: None)
        found.records.name_store(url)
        found.records.note_store(found.files)
        shutil.rmtree(found.files / record_store.RECORDS)
        yield found


async def test_a_record_is_fetched_for_who_asks_for_it(ladder: Store, store_folder: Path) -> None:
    record = ladder.match("1")[1].record
    async with opened(ladder) as site:
        page = await site.get("/matches/1")
        assert "/matches/1/record" in page.text
        found = await site.get("/matches/1/record")
        assert found.content == record_store.path_of(store_folder, record).read_bytes()


async def test_a_store_that_is_away_costs_a_page_its_deals_only(
    ladder: Store, store_folder: Path
) -> None:
    """And only for as long as it is away."""
    away = store_folder.with_name("away")
    async with opened(ladder) as site:
        await trio.Path(store_folder).rename(away)
        page: httpx2.Response = await site.get("/matches/1")
        assert page.status_code == 200
        assert (await site.get("/matches/1/record")).status_code == 404
        assert (await site.get("/matches/1/deals")).status_code == 404
        await trio.Path(away).rename(store_folder)
        assert (await site.get("/matches/1/record")).status_code == 200
        assert (await site.get("/matches/1/deals")).status_code == 200
