"""What is sent to a browser that has a page open."""

import gzip
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import cast

import pytest
import trio
import trio.lowlevel
import trio.testing
from starlette.responses import StreamingResponse
from trio.testing import MockClock

from ladder.store.store import Store
from ladder.web import open_pages
from ladder.web.content import Missing
from ladder.web.library import A_READER_S, Body, Library
from ladder.web.live import BEAT_S, MOST_OF_ONE, News
from ladder.web.open_pages import OpenPages, gzipped, plain
from ladder.web.page_stream import Gzip, Piece, digest_of, main_of, told, with_digest
from ladder.web.rate_limit import TooMany
from support.ladders import made
from support.sites import opened


class Open:
    """A page that is open in a browser, of which the test says what is on it."""

    def __init__(self, store: Store) -> None:
        self.library = Library(store)
        self.news = News(self.library)
        self.pages = OpenPages(self.news)
        self.text = "first"
        self.error: Exception | None = None

    async def page(self) -> Body:
        if self.error is not None:
            raise self.error
        return Body.of(f"<title>{self.text}</title><main>\n{self.text}\n</main>".encode())

    def change(self, text: str) -> None:
        self.text = text
        self.library.state += 1
        self.library._changed.set()
        self.library._changed = trio.Event()

    def told(self) -> bytes:
        """What puts in its place what the page says now."""
        return told(f"<main>\n{self.text}\n</main>".encode())

    def follow(self, has: str = "", visitor: str = "one") -> AsyncGenerator[bytes]:
        found = self.news.stream(visitor, lambda: plain(self.pages.pieces(self.page, has)))
        assert isinstance(found, StreamingResponse)
        return cast("AsyncGenerator[bytes]", found.body_iterator)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first", "random")) as found:
        yield found


@pytest.fixture
def browser(store: Store, nursery: trio.Nursery) -> Open:
    found = Open(store)
    nursery.start_soon(found.news.tell)
    return found


def test_an_event_has_each_line_of_what_changes_of_a_page_and_what_tells_it_from_others() -> None:
    main = main_of(b"<html><main id='main'>\n<p>x</p>\n</main></html>")
    assert main == b"<main id='main'>\n<p>x</p>\n</main>"
    wanted = b"data: <main id='main'>\ndata: <p>x</p>\ndata: </main>\n\n"
    assert told(main) == f"id: {digest_of(main)}\nretry: 2000\n".encode() + wanted
    assert digest_of(main) != digest_of(main_of(b"<main>y</main>"))


def test_pieces_that_were_compressed_before_make_a_stream_of_gzip_in_any_order() -> None:
    pieces = [Piece.of(text * 50) for text in (b"one ", b"two ", b"", b"one two ")]
    for order in ((0, 1, 2, 3), (3, 3, 0), (2,), ()):
        stream = Gzip()
        sent = b"".join(stream.add(pieces[at]) for at in order) + stream.end()
        assert gzip.decompress(sent) == b"".join(pieces[at].plain for at in order)


async def test_an_open_page_is_told_what_is_new_on_it(browser: Open) -> None:
    events = browser.follow()
    assert await anext(events) == b": open\n\n"
    assert await anext(events) == browser.told()
    browser.change("second")
    assert await anext(events) == browser.told()
    await events.aclose()
    assert browser.library.readers == 0


async def test_those_who_follow_are_told_in_turns(browser: Open, autojump_clock: MockClock) -> None:
    """Spread over a time that rises with their number; each waits equally long each time."""
    told: dict[int, list[float]] = {}

    async def follow(number: int) -> None:
        async for event in browser.follow(visitor=str(number)):
            if event == browser.told():
                told.setdefault(number, []).append(trio.current_time())

    async with trio.open_nursery() as nursery:
        for number in range(100):
            nursery.start_soon(follow, number)
            await trio.sleep(0.01)
        begun = trio.current_time()
        for text in ("second", "third"):
            browser.change(text)
            await trio.sleep(2)
        nursery.cancel_scope.cancel()
    second, third = ([times[at] - begun for times in told.values()] for at in (1, 2))
    assert max(second) == pytest.approx(96 * A_READER_S)
    assert len({round(at, 6) for at in second}) == 25, "four at once"
    assert third == pytest.approx([2 + at for at in second])


async def test_what_changes_while_a_page_is_made_is_told_at_once(browser: Open) -> None:
    """Its reader has had its turn, and the next may be long in coming."""
    made = browser.page

    async def slow() -> Body:
        found = await made()
        if browser.text == "first":
            browser.change("second")
        return found

    events = plain(browser.pages.pieces(slow, ""))
    with trio.fail_after(5):
        heard = [await anext(events) for _ in range(3)]
    assert heard[2] == browser.told()
    await events.aclose()


async def test_who_has_nothing_new_for_long_is_told_that_we_live(
    browser: Open, autojump_clock: MockClock
) -> None:
    """Though the ladder changes all the time: what stands between them would cut it off."""
    events = browser.follow()
    assert [await anext(events), await anext(events)] == [b": open\n\n", browser.told()]
    async with trio.open_nursery() as nursery:

        async def others() -> None:
            while True:
                browser.change("first")
                await trio.sleep(1)

        nursery.start_soon(others)
        begun = trio.current_time()
        assert await anext(events) == b": still here\n\n"
        assert BEAT_S <= trio.current_time() - begun <= BEAT_S + 1
        nursery.cancel_scope.cancel()
    await events.aclose()


async def test_what_a_browser_has_is_not_sent_again(
    browser: Open, autojump_clock: MockClock
) -> None:
    """Neither at first, nor when the ladder has changed and the page has not."""
    events = browser.follow(has=digest_of(main_of((await browser.page()).plain)))
    assert await anext(events) == b": open\n\n"
    async with trio.open_nursery() as nursery:

        async def same() -> None:
            await trio.sleep(1)
            browser.change("first")

        nursery.start_soon(same)
        begun = trio.current_time()
        assert await anext(events) == b": still here\n\n"
        assert trio.current_time() - begun >= 1 + BEAT_S
    await events.aclose()


async def test_a_page_says_what_it_has_where_it_asks_for_what_is_new(store: Store) -> None:
    async with opened(store) as site:
        for path, live in (("/", "/ladder.live?has="), ("/matches?before=3", "before=3&amp;has=")):
            page = (await site.get(path)).text
            assert f'{live}{digest_of(main_of(page.encode()))}"' in page


def test_what_a_stranger_is_called_cannot_stand_for_it() -> None:
    """A page has it escaped, and is as it was."""
    page = b"<title>&lt;has&gt;</title><main>&lt;has&gt;</main>"
    assert with_digest(page) == page


async def test_a_quiet_ladder_still_says_something(
    browser: Open, autojump_clock: MockClock
) -> None:
    events = browser.follow()
    await anext(events)
    await anext(events)
    begun = trio.current_time()
    assert await anext(events) == b": still here\n\n"
    assert trio.current_time() - begun == BEAT_S
    await events.aclose()


async def test_who_follows_is_let_go_when_the_site_ends(browser: Open) -> None:
    """Also while nothing happens; and the compressed stream ends as one has to."""
    pieces = browser.pages.pieces(browser.page, "")
    heard: list[bytes] = []

    async def follow() -> None:
        async for chunk in gzipped(pieces):
            heard.append(chunk)  # noqa: PERF401  # each as it comes

    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(follow)
            while len(heard) < 2:
                await trio.lowlevel.checkpoint()
            await trio.testing.wait_all_tasks_blocked()
            browser.news.close()
    assert browser.told() in gzip.decompress(b"".join(heard))


async def test_one_visitor_cannot_follow_without_end(browser: Open) -> None:
    following = []
    for _ in range(MOST_OF_ONE):
        events = browser.follow()
        await anext(events)
        following.append(events)
    end = browser.news.stream("one", lambda: plain(browser.pages.pieces(browser.page, "")))
    assert end.status_code == 503
    following.append(browser.follow(visitor="other"))
    await anext(following[-1])
    for events in following:
        await events.aclose()
    again = browser.follow()
    await anext(again)
    await again.aclose()


async def test_who_had_enough_pages_made_is_told_later(
    browser: Open, autojump_clock: MockClock
) -> None:
    events = browser.follow()
    await anext(events)
    browser.error = TooMany(7.0)
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:

        async def enough() -> None:
            await trio.sleep(6)
            browser.error = None

        nursery.start_soon(enough)
        assert await anext(events) == b": still here\n\n"
        assert await anext(events) == browser.told()
    assert trio.current_time() - begun == 7.0
    await events.aclose()


async def test_where_a_page_is_gone_its_stream_ends(browser: Open) -> None:
    events = browser.follow()
    assert [await anext(events), await anext(events)] == [b": open\n\n", browser.told()]
    browser.error = Missing("There is no such bot any more.")
    browser.library.state += 1
    assert [one async for one in events] == []


async def test_where_there_is_no_page_there_is_no_stream(store: Store) -> None:
    async with opened(store) as site:
        assert (await site.get("/bots/99.live")).status_code == 404
        assert (await site.get("/matches/1.live")).status_code == 404, "it stays as it is"


async def test_streams_that_were_asked_for_at_once_are_counted_when_they_begin(
    browser: Open,
) -> None:
    following = [browser.follow() for _ in range(MOST_OF_ONE + 5)]
    begun = [await anext(events, b"") for events in following]
    assert begun == [b": open\n\n"] * MOST_OF_ONE + [b""] * 5
    for events in following:
        await events.aclose()
    assert browser.library.readers == 0


async def test_pieces_that_are_kept_have_a_bound(
    browser: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_pages, "_MOST_BYTES", 1000)
    for number in range(100):
        browser.text = f"{number} {'x' * 200}"
        browser.pages._piece(await browser.page())
    assert sum(piece.size for piece in browser.pages._kept.values()) <= 1000
