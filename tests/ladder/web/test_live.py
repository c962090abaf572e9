"""A match that is looked at while it is played."""

import json
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import cast

import pytest
import trio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ladder.files.live_records import written_to
from ladder.store.store import Store
from ladder.web import live_matches
from ladder.web.live_matches import LiveMatches
from ladder.web.live_routes import live_routes
from ladder.web.site_state import MAKING
from referee.cli import run
from support.ladders import invented, job, lease, made, usual_pools
from support.sites import Asked, opened

DECKS = 2


class Playing:
    """A match that is played, as far as we say."""

    def __init__(self, store: Store, record: bytes) -> None:
        self.store = store
        self.wanted = job(store, (1, 2))
        taken = lease(store, self.wanted)
        self.path = written_to(store.files, "somebody", taken.token)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._record = record
        self.ends = [at for at in range(len(record)) if record.startswith(b'\n{"deal_end"', at)]

    @property
    def name(self) -> str:
        """Of the job."""
        return self.wanted.name

    def write(self, deals: int) -> None:
        """So many deals are over, and some acts of the next are played."""
        size = self.ends[deals] - 300 if deals < len(self.ends) else len(self._record)
        self.path.write_bytes(self._record[:size])

    def ends_it(self) -> None:
        """It has a result."""
        self.path.unlink(missing_ok=True)
        self.store.settle(invented(self.store, self.wanted))


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("live") / "record"
    words = ["match", "sample:greedy", "sample:random", "--deals", str(DECKS), "--seating", "full"]
    assert run([*words, "--key", "live", "--sandbox", "bare", "--record", str(path)]) == 0
    return path.read_bytes()


@pytest.fixture
def playing(tmp_path: Path, record: bytes) -> Iterator[Playing]:
    with made(tmp_path / "ladder", usual_pools("briscola-2", blocks=DECKS)) as store:
        yield Playing(store, record)


async def shown(site: Asked, playing: Playing) -> tuple[list[str], list[int]]:
    """The deals that can be seen, and how far the match is."""
    found = await site.get(f"/running/{playing.name}/film.json")
    assert found.status_code == 200, found.text
    film = json.loads(found.text)
    assert film["trouble"] is film["result"] is film["viewer"] is None
    return [deal["called"] for deal in film["deals"]], film["under_way"]


async def test_what_is_sent_has_only_decks_that_are_dealt_no_more(playing: Playing) -> None:
    """The record names the key of every block; the site does not."""
    for deals, seen in enumerate(([], [], [], ["1.1", "2.1"])):
        playing.write(deals)
        async with opened(playing.store, live_delay=0) as site:
            assert await shown(site, playing) == (seen, [deals, 4])
            found = await site.get(f"/running/{playing.name}/film.json")
            assert '"key"' not in found.text
            assert '"deck"' not in found.text


async def test_a_deck_is_shown_after_the_delay(playing: Playing) -> None:
    playing.write(4)
    async with opened(playing.store, live_delay=3600) as site:
        assert await shown(site, playing) == ([], [4, 4])


async def test_the_page_leads_on_to_the_match_once_it_is_over(playing: Playing) -> None:
    page = f"/running/{playing.name}"
    async with opened(playing.store, live_delay=0) as site:
        assert f'href="{page}"' in (await site.get("/queue")).text
        found = await site.get(page)
        assert f'data-live="{page}/news"' in found.text
        playing.ends_it()
        await site.news()
        found = await site.get(page)
        assert 'href="/matches/1"' in found.text
        assert (await site.get(f"{page}/film.json")).status_code == 204
        assert json.loads((await site.get(f"{page}.json")).text)["match"] == 1


async def test_matches_can_be_kept_back_until_they_are_over(playing: Playing) -> None:
    playing.write(4)
    async with opened(playing.store) as site:
        assert "/running/" not in (await site.get("/queue")).text
        assert "viewer" not in (await site.get(f"/running/{playing.name}")).text
        assert (await site.get(f"/running/{playing.name}/film.json")).status_code == 404


@pytest.mark.parametrize("name", ["0" * 64, "1", "x" * 64])
async def test_what_is_not_played_is_not_there(playing: Playing, name: str) -> None:
    async with opened(playing.store, live_delay=0) as site:
        for path in ("", "/film.json", "/news", ".json"):
            assert (await site.get(f"/running/{name}{path}")).status_code == 404
        assert site.troubles == []


async def test_another_runner_begins_it_anew(playing: Playing) -> None:
    """With other decks, which is another match of the queue."""
    playing.write(4)
    async with opened(playing.store, live_delay=0) as site:
        assert (await shown(site, playing))[1] == [4, 4]
        playing.store.give_back([playing.store.waiting_jobs()[0].token])
        playing.path.unlink()
        again = playing.store.take("other", 60_000, lambda _: False, lambda _: None)
        assert again is not None
        before, playing.wanted = f"/running/{playing.name}", again.job
        playing.path = written_to(playing.store.files, "other", again.token)
        playing.write(1)
        await site.news()
        assert await shown(site, playing) == ([], [1, 4])
        assert (await site.get(f"{before}/film.json")).status_code == 404
        queue = (await site.get("/queue")).text
        assert f"/running/{playing.name}" in queue
        assert before not in queue


async def test_a_record_that_has_just_gone_is_no_trouble(playing: Playing) -> None:
    """Who was told that there is more asks a moment later, and gets what was told of."""
    playing.write(4)
    async with opened(playing.store) as site:
        matches = LiveMatches(site.site.library, 0)
        shown = await matches.look(playing.name)
        assert shown is not None
        playing.path.unlink()
        found = await asked(site, matches, playing, "film.json")
        assert found.status_code == 200
        assert [deal["called"] for deal in json.loads(shown.film.plain)["deals"]] == [
            "1.1",
            "1.2",
            "2.1",
            "2.2",
        ]
        assert site.troubles == []


async def test_a_job_that_is_played_again_shows_nothing_of_the_new_match(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that died has another one write to the same name: its decks are dealt again."""
    monkeypatch.setattr(live_matches, "LOOK_S", 0.0)
    async with opened(playing.store) as site:
        matches = LiveMatches(site.site.library, 0)
        playing.write(4)
        assert await matches.look(playing.name)
        playing.path.unlink()
        playing.write(1)
        seen: list[str] = ["x"]
        with trio.fail_after(10):
            while seen:  # films rest a moment
                shown = await matches.look(playing.name)
                assert shown is not None
                assert shown.deals == (1, 4)
                seen = [deal["called"] for deal in json.loads(shown.film.plain)["deals"]]


async def test_whoever_asks_for_matches_at_random_disturbs_no_one(playing: Playing) -> None:
    playing.write(4)
    async with opened(playing.store) as site:
        matches = LiveMatches(site.site.library, 0)
        before = await matches.look(playing.name)
        for number in range(2 * live_matches.MOST):
            assert await matches.look(f"{number:064x}") is None
        assert matches.follows(playing.name)
        assert await matches.look(playing.name) is before
        assert len(matches._followed) == 1


async def test_random_matches_cost_a_visitor_what_pages_cost(playing: Playing) -> None:
    async with opened(playing.store, live_delay=0) as site:
        codes = [
            (await site.get(f"/running/{number:064x}/film.json")).status_code
            for number in range(int(MAKING.burst) + 20)
        ]
        assert codes[0] == 404
        assert codes[-1] == 429


async def test_films_of_matches_under_way_put_off_no_news(playing: Playing) -> None:
    playing.write(4)
    async with opened(playing.store, live_delay=0) as site:
        spent = site.site.library._spent_s
        await shown(site, playing)
        assert site.site.library._spent_s == spent


async def test_of_a_long_match_the_last_deals_are_shown(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_matches, "MOST_DEALS", 2)
    playing.write(4)
    async with opened(playing.store, live_delay=0) as site:
        assert (await shown(site, playing))[0] == ["1.2", "2.2"]


async def asked(site: Asked, matches: LiveMatches, playing: Playing, what: str) -> Response:
    """What a route answers, before it is sent."""
    (route,) = (one for one in live_routes(site.site, matches) if one.path.endswith(what))
    scope = {
        "type": "http",
        "path_params": {"job": playing.name},
        "client": ("192.0.2.1", 1),
        "headers": [],
        "method": "GET",
    }
    found = await route.endpoint(Request(scope))
    assert isinstance(found, Response)
    return found


async def test_who_follows_hears_of_more_and_of_the_end(playing: Playing) -> None:
    playing.write(0)
    async with opened(playing.store) as site:
        matches = LiveMatches(site.site.library, 0)
        found = await asked(site, matches, playing, "/news")
        assert isinstance(found, StreamingResponse)
        events = cast("AsyncGenerator[bytes, None]", found.body_iterator)
        with trio.fail_after(20):
            deals = b"event: deals\ndata: 0 4\n\n"
            assert await anext(events) == b"retry: 2000\nevent: film\ndata: 1\n\n" + deals
            playing.write(2)
            assert await anext(events) == deals.replace(b"0 4", b"2 4")
            playing.write(3)
            assert b"".join([await anext(events), b""]).endswith(deals.replace(b"0 4", b"3 4"))
            playing.ends_it()
            left = [one async for one in events]
            assert left[-1] == b"event: over\ndata: /matches/1\n\n"
            again = await asked(site, matches, playing, "/news")  # as a browser that was away
            assert isinstance(again, StreamingResponse)
            assert [one async for one in again.body_iterator] == left[-1:]
        assert site.site.library.readers == 0
