"""What stands before the pages: limits, news, and what is kept of pages that were made."""

import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from ladder.standings import cache
from ladder.standings.favours import Favours
from ladder.store.database import DatabaseGone
from ladder.store.queries import Pulse
from ladder.store.store import Store
from ladder.web import library
from ladder.web.library import (
    A_PAGE_BYTES,
    A_READER_S,
    LONGEST_REST_S,
    REST,
    WATCH_S,
    Body,
    Library,
)
from ladder.web.rate_limit import MOST_VISITORS, Rate, RateLimit, visitor_of
from ladder.web.serving import Listen, check_tls
from referee.errors import RefereeError
from support.ladders import made
from support.sites import opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first", "random")) as found:
        yield found


@given(st.lists(st.floats(0, 100), max_size=200))
def test_nobody_gets_more_than_the_rate(waits: list[float]) -> None:
    """Over any time: the burst, and what came in since."""
    limit, now, taken = RateLimit(Rate(burst=5, a_second=0.5)), 0.0, 0
    for wait in waits:
        now += wait
        taken += limit.take("somebody", now) == 0
        assert taken <= 5 + 0.5 * now + 1e-6


def test_who_is_refused_is_told_when_to_come_back() -> None:
    limit = RateLimit(Rate(burst=1, a_second=0.25))
    assert limit.take("one", 0) == 0
    assert limit.take("one", 0) == 4
    assert limit.take("other", 0) == 0
    assert limit.take("one", 4) == 0


def test_so_many_visitors_cost_no_more_memory() -> None:
    limit = RateLimit(Rate(burst=1, a_second=1))
    for number in range(MOST_VISITORS + 100):
        limit.take(str(number), 0)
    assert len(limit._buckets) == MOST_VISITORS


@pytest.mark.parametrize(
    ("address", "visitor"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:50123", "192.0.2.7"),
        ("[2001:db8:1:2::7]:50123", "2001:db8:1:2::/64"),
        ("[::1]", "::/64"),
        ("[]", "[]"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("unix", "unix"),
    ],
)
def test_a_household_is_one_visitor(address: str, visitor: str) -> None:
    assert visitor_of(address) == visitor


async def test_who_asks_too_much_is_refused_and_others_are_not(store: Store) -> None:
    async with opened(store) as site:
        site.site.asking.rate = Rate(burst=5, a_second=0.001)
        statuses = [(await site.get("/bots")).status_code for _ in range(6)]
        assert statuses == [200, 200, 200, 200, 200, 429]
        last = await site.get("/ladder.json")
        assert "more than one visitor may" in last.json()["problem"]
        assert int(last.headers["retry-after"]) > 900
        assert site.site.asking.take("another", trio.current_time()) == 0


async def test_pages_that_nobody_asked_for_are_made_for_nobody_without_end(store: Store) -> None:
    """Addresses that differ each time cost their visitor more than those that are kept."""
    async with opened(store) as site:
        site.site.making.rate = Rate(burst=5, a_second=0.001)
        found = [await site.get(f"/matches?before={at}") for at in range(1, 7)]
        assert [one.status_code for one in found] == [200, 200, 200, 200, 200, 429]
        assert (await site.get("/matches?before=1")).status_code == 200


async def test_a_page_is_made_once_for_all_who_ask_at_once(store: Store) -> None:
    shelf, calls = Library(store), []

    def make() -> Body:
        calls.append(1)
        return Body.of(b"page")

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(shelf.page, "key", make)
    assert len(calls) == 1


async def test_favours_that_a_proof_has_found_are_told_without_a_new_fact(store: Store) -> None:
    found = Favours(facts=9, matches=80, pairs=12, bots=(), authors=())
    async with opened(store) as site:
        assert "favours" not in (await site.get("/games/1")).text
        state = site.site.library.state
        cache.write_favours(store.files, {1: found})
        await site.site.library.change(state)
        page = (await site.get("/games/1")).text
    assert "Favours, as of fact 9: in 80 matches no bot lays more points" in page


async def test_pages_that_people_look_at_are_made_before_a_change_is_told(store: Store) -> None:
    """Who asks meanwhile has them as they were; what nobody looks at any more is not made."""
    shelf, made_for = Library(store), list[tuple[str, int]]()

    def maker(name: str) -> Callable[[], Body]:
        def make() -> Body:
            made_for.append((name, shelf.state))
            return Body.of(f"{name} {len(made_for)}".encode())

        return make

    for name in ("looked at", "left"):
        await shelf.page(name, maker(name))
    shelf._made["left"].wanted = False
    async with trio.open_nursery() as nursery:
        nursery.start_soon(shelf.watch)
        state = await shelf.change(0)
        nursery.cancel_scope.cancel()
    assert made_for == [("looked at", 0), ("left", 0), ("looked at", 0)]
    assert shelf.is_fresh("looked at")
    assert not shelf.is_fresh("left")
    assert (await shelf.page("looked at", maker("looked at"))).plain == b"looked at 3"
    assert state == 1


async def test_a_page_that_fails_is_made_again_and_nothing_is_kept(store: Store) -> None:
    shelf = Library(store)

    def fail() -> Body:
        raise RefereeError("no")

    for number in range(30):
        with pytest.raises(RefereeError):
            await shelf.page(number, fail)
    assert not shelf._made


async def test_what_is_kept_of_pages_has_a_bound(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a page costs beside its bytes included, however small it is."""
    monkeypatch.setattr(library, "MOST_BYTES", 10_000)
    shelf = Library(store)

    def made_of(number: int) -> Callable[[], Body]:
        return lambda: Body.of(bytes([number]) * number)

    for number in range(50):
        await shelf.page(number, made_of(number))
    assert shelf._size <= 10_000
    bytes_kept = sum(len(one.body.plain) for one in shelf._made.values())
    assert bytes_kept + len(shelf._made) * A_PAGE_BYTES == shelf._size


async def test_what_results_cost_a_site_is_a_part_of_a_core(
    store: Store, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """However fast they come: after a change whose pages took long, the next one comes later."""
    shelf = Library(store)
    facts = count()

    async def ask(question: object) -> Pulse:
        return Pulse(next(facts), "", 0, frozenset())

    monkeypatch.setattr(shelf, "ask", ask)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(shelf.watch)
        await trio.sleep(0.01)
        for cost_s in (0.0, 1.0, 0.0):
            state, begun = shelf.state, trio.current_time()
            shelf._spent_s = cost_s  # as if pages had taken so long
            await shelf.change(state)
            assert cost_s * REST <= trio.current_time() - begun <= cost_s * REST + 2 * WATCH_S
        state, begun = shelf.state, trio.current_time()
        shelf._spent_s = 1000.0  # whatever visitors have made
        await shelf.change(state)
        assert trio.current_time() - begun <= LONGEST_REST_S + 2 * WATCH_S
        shelf.readers = 500
        state, begun = shelf.state, trio.current_time()
        await shelf.change(state)
        assert trio.current_time() - begun >= 500 * A_READER_S - WATCH_S
        nursery.cancel_scope.cancel()


async def test_while_the_database_is_away_pages_say_so(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And they come back with it."""
    async with opened(store) as site:

        def gone(_: Store) -> None:
            raise DatabaseGone("database: gone")

        with monkeypatch.context() as patch:
            patch.setattr(Store, "refresh", gone)
            found = await site.get("/bots")
            assert (found.status_code, found.headers["retry-after"]) == (503, "10")
            assert "does not answer" in found.text
        assert (await site.get("/bots")).status_code == 200


async def test_a_mistake_of_ours_costs_one_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks is told so, the organiser is told where, and the site goes on."""
    async with opened(store) as site:

        def broken(_: Store) -> None:
            raise ValueError("broken")

        with monkeypatch.context() as patch:
            patch.setattr(Store, "refresh", broken)
            found = await site.get("/bots")
            assert found.status_code == 500
            assert "ValueError" not in found.text
            assert "ValueError: broken" in site.troubles[0]
        assert (await site.get("/bots")).status_code == 200


async def test_what_is_wrong_with_the_ladder_s_files_is_for_the_organiser_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store) as site:

        def damaged(_: Store) -> None:
            raise RefereeError("ladder '/srv/secret' is damaged")

        monkeypatch.setattr(Store, "refresh", damaged)
        found = await site.get("/bots.json")
        assert found.status_code == 503
        assert "secret" not in found.text
        assert site.troubles == ["/bots.json: ladder '/srv/secret' is damaged"]


def test_a_certificate_that_is_none_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert", tmp_path / "key"
    with pytest.raises(RefereeError, match="No such file"):
        check_tls((cert, key))
    cert.write_text("nothing")
    key.write_text("nothing")
    with pytest.raises(RefereeError, match="--tls"):
        check_tls((cert, key))


def test_an_address_is_said_as_a_browser_takes_it(tmp_path: Path) -> None:
    assert Listen(host="::1", port=80).address == "http://[::1]:80"
    assert Listen(tls=(tmp_path, tmp_path)).address == "https://127.0.0.1:8000"


async def test_who_leaves_while_a_page_is_made_costs_none_of_what_is_kept(store: Store) -> None:
    """Two ask for one that is not kept; the second goes while the first makes it."""
    shelf, made_now, go_on = Library(store), trio.Event(), threading.Event()
    body = Body.of(b"x" * 900)

    def make() -> Body:
        trio.from_thread.run_sync(made_now.set)
        go_on.wait(20)
        return body

    async def leave(scope: trio.CancelScope) -> None:
        with scope:
            await shelf.page("page", make)

    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()
        nursery.start_soon(shelf.page, "page", make)
        await made_now.wait()
        nursery.start_soon(leave, scope)
        await trio.testing.wait_all_tasks_blocked()
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        go_on.set()
    assert list(shelf._made) == ["page"]
    assert shelf._size == len(body.plain) + len(body.zipped) + A_PAGE_BYTES


async def test_a_page_that_has_to_go_while_it_is_made_is_made_once_for_all_who_wait(
    store: Store,
) -> None:
    """And is not counted as one that is kept."""
    shelf, made_now, go_on, count = Library(store), trio.Event(), threading.Event(), [0]

    def make() -> Body:
        count[0] += 1
        trio.from_thread.run_sync(made_now.set)
        go_on.wait(20)
        return Body.of(b"x" * 900)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(shelf.page, "page", make)
        await made_now.wait()
        nursery.start_soon(shelf.page, "page", make)
        await trio.testing.wait_all_tasks_blocked()
        shelf._made.clear()
        go_on.set()
    assert count == [1]
    assert shelf._size == 0
