"""The site in a real browser: pages that are for everybody, and that follow what happens."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make ci installs it")

from playwright.sync_api import Browser, ViewportSize, expect

from ladder.core.tokens import Scope
from ladder.web.answers import COOKIE
from ladder.web.rendering import static_path
from referee.cli import run
from support.browser import PHONE, WIDE, browser, looking
from support.events import event_text
from support.ladders import count, filled, invented, job, made, submit, usual_pools
from support.sandboxes import need
from support.sites import served

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

PAGES = (
    "/",
    "/games/1",
    "/bots",
    "/bots/1",
    "/pairs/1/2",
    "/matches",
    "/matches/1",
    "/matches/1?bot=2",
    "/matches/1/deals",
    "/queue",
    "/epochs",
    "/rules",
    "/rules/mariagio",
    "/docs",
    "/docs/protocol",
    "/events",
    "/events/1",
    "/events/1?wall=1",
    "/join",
    "/no/such/page",
)


_LAST_MATCH_DRAWN = 'document.querySelector("rating-plot").points.at(-1).match'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of two games, with matches that were really played."""
    folder = tmp_path_factory.mktemp("browser") / "ladder"
    with made(folder, usual_pools("briscola-2", "sueca")) as store:
        filled(store, 3, really=True)
        filled(store, 20)
        filled(store, 2, really=True, pool=2)
    return folder


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an event of 22 bots that was played."""
    path = tmp_path_factory.mktemp("event") / "cup.toml"
    games = ('briscola-2\nformat = "swiss"\nrounds = 2',)
    path.write_text(event_text(22, games, top='blocks = 1\nsandbox = "bare"\nrecords = false'))
    assert run(["event", "run", str(path), "--no-check"]) == 0
    return path


@pytest.fixture(scope="module")
def url(ladder: Path, event: Path) -> Iterator[str]:
    with served(ladder, "--no-run", "--no-uploads", "--event", str(event)) as address:
        yield address


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_for_everybody(chromium: Browser, url: str, path: str, *, dark: bool) -> None:
    """WCAG AA, as far as axe-core can tell, and nothing for the console to complain of."""
    with looking(chromium, url + path, dark=dark) as looked:
        if path.startswith("/matches/1") and "deals" not in path:
            looked.page.wait_for_selector("#viewer[data-ready]")
        assert looked.faults() == []
        missing = path in ("/no/such/page", "/join")  # this site takes in no bots
        assert len(looked.troubles) <= missing, looked.troubles


@pytest.mark.parametrize("path", PAGES)
def test_no_page_scrolls_sideways_on_a_phone(chromium: Browser, url: str, path: str) -> None:
    size: ViewportSize = PHONE
    with looking(chromium, url + path, size) as looked:
        wide = looked.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"]


def test_pages_work_without_any_script(chromium: Browser, url: str) -> None:
    with looking(chromium, f"{url}/games/1", WIDE, script=False) as looked:
        looked.page.get_by_role("link", name="greedy").first.click()
        assert looked.page.get_by_role("heading", level=1).inner_text() == "greedy"


def test_a_row_of_the_deals_leads_to_its_first_act(chromium: Browser, url: str) -> None:
    """On the match's own page, and from the pages of more deals."""
    for address in ("/matches/1", "/matches/1/deals"):
        with looking(chromium, url + address) as looked:
            page = looked.page
            page.get_by_role("region", name="deals").get_by_role("link").nth(2).click()
            page.wait_for_selector("#viewer[data-ready]")
            expect(page.locator("#viewer select[data-label=deal]")).to_have_value("2")
            expect(page.locator("#viewer .stage")).to_be_in_viewport()
            assert looked.troubles == []


def test_an_author_withdraws_a_bot_on_a_phone_without_script(
    chromium: Browser, tmp_path: Path
) -> None:
    need("bwrap", root=True)
    folder = tmp_path / "ladder"
    with made(folder) as store:
        submit(store, "mine", "ada", "first")
        token = store.tokens.add("ada", tuple(Scope), 1)[1]
    words = ("--no-run", "--sandbox", "bwrap")
    with (
        served(folder, *words) as url,
        looking(chromium, f"{url}/join", PHONE, script=False) as looked,
    ):
        page = looked.page
        page.context.add_cookies([{"name": COOKIE, "value": token, "url": url}])
        page.goto(f"{url}/mine")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("button", name="Withdraw mine").click()
        page.get_by_role("button", name="Withdraw mine").click()
        page.wait_for_url(f"{url}/mine")
        assert "retired: withdrawn by its author" in page.inner_text("main")
        assert page.get_by_role("button", name="Withdraw mine").count() == 0


def test_an_open_page_follows_the_results(chromium: Browser, tmp_path: Path) -> None:
    """What is counted comes on screen by itself; where the reader is stays as it is."""
    with (
        made(tmp_path / "ladder") as store,
        served(tmp_path / "ladder", "--no-run", "--no-uploads") as url,
        looking(chromium, f"{url}/matches") as looked,
    ):
        page = looked.page
        page.evaluate("window.stays = true")
        for number in (1, 2):
            count(store, invented(store, job(store, (1, 2), number)))
            page.wait_for_selector(f'a[href="/matches/{number}"]', timeout=10_000)
        assert page.evaluate("window.stays")
        assert looked.troubles == []


def test_a_rating_over_time_is_read_with_keys_and_follows_the_results(
    chromium: Browser, tmp_path: Path
) -> None:
    """What is told is what the page says as JSON; versions are apart."""
    with made(tmp_path / "ladder", usual_pools()) as store:
        filled(store, 30)
        second = submit(store, "greedy", "author-of-greedy").entrant
        count(store, invented(store, job(store, (second, 2), 100)))
        with (
            served(tmp_path / "ladder", "--no-run", "--no-uploads") as address,
            looking(chromium, f"{address}/bots/3") as looked,
        ):
            page = looked.page
            told = page.locator("rating-plot [role=status]")
            expect(told).to_contain_text("after match")
            asked = page.request.get(f"{address}/bots/3.json")
            points = asked.json()["ratings"][0]["points"]
            page.locator("rating-plot [tabindex]").focus()
            for _ in range(2 * len(points)):
                page.keyboard.press("ArrowLeft")
            read = [told.inner_text()]
            for _ in points[1:]:
                page.keyboard.press("ArrowRight")
                read.append(told.inner_text())
            assert [f"after match {one['match']}, version {one['version']}," for one in points] == [
                f"after{text.partition('after')[2].partition(', 2')[0]}," for text in read
            ]
            count(store, invented(store, job(store, (second, 2), 101)))
            expect(told).to_contain_text("after match 32,")
            page.keyboard.press("Home")
            count(store, invented(store, job(store, (second, 2), 102)))
            while page.evaluate(_LAST_MATCH_DRAWN) < 33:
                pass
            assert f"after match {points[0]['match']}," in told.inner_text()  # where it was read
            looked.shot("rating_over_time")
            assert looked.troubles == []


def test_a_rating_over_time_is_a_picture_where_nothing_draws_it(
    chromium: Browser, url: str
) -> None:
    """Without a script, and where its points do not come."""
    with looking(chromium, f"{url}/bots/1", script=False) as looked:
        expect(looked.page.locator("svg.history").first).to_be_visible()
    with looking(chromium, url) as looked:
        looked.page.route("**/bots/1.json", lambda route: route.abort())
        with looked.page.expect_event("requestfailed"):
            looked.page.goto(f"{url}/bots/1")
        expect(looked.page.locator("svg.history").first).to_be_visible()


def test_a_wall_has_twenty_bots_that_are_read_from_afar(chromium: Browser, url: str) -> None:
    """On a projector of 1280 by 720, without scrolling."""
    size = ViewportSize(width=1280, height=720)
    with looking(chromium, f"{url}/events/1?wall", size) as looked:
        rows = looked.page.locator("div.wall > table tbody tr")
        assert rows.count() == 20
        boxes = [rows.nth(at).bounding_box() for at in range(20)]
        assert all(box is not None and box["y"] + box["height"] <= size["height"] for box in boxes)
        tall = "parseFloat(getComputedStyle(document.querySelector('div.wall > table')).fontSize)"
        assert looked.page.evaluate(tall) >= 18
        assert looked.page.evaluate("document.documentElement.scrollHeight") <= size["height"]
        assert not looked.page.get_by_role("navigation").is_visible()
        assert looked.troubles == []


def test_a_match_is_watched_while_it_is_played(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How far it is, then deal after deal, then the link to what became of it."""
    need("bwrap", root=True)
    settings = tmp_path / "settings.toml"
    settings.write_text("[site]\nlive_delay = 1\n")
    monkeypatch.setenv("REFEREE_SETTINGS", str(settings))
    folder = tmp_path / "ladder"
    with made(folder, usual_pools("briscola-2", blocks=30), ("thinks", "greedy")) as store:
        words = ("--no-uploads", "--sandbox", "bwrap", "--workers", "1")
        with (
            served(folder, *words) as url,
            looking(chromium, f"{url}/queue") as looked,
        ):
            page = looked.page
            page.get_by_role("link", name="watch").click(timeout=30_000)
            page.wait_for_selector("#viewer[data-ready]")
            assert "No deck has been played in all seatings yet" in page.inner_text("main")
            deals = page.locator("#viewer select[data-label=deal] option")
            deals.nth(1).wait_for(state="attached", timeout=60_000)
            assert "Under way:" in page.inner_text("#viewer .live")
            assert page.locator("#viewer .in-hand, #viewer .outcome").first.is_visible()
            assert looked.faults() == []
            over = page.get_by_role("link", name="Result", exact=True)
            over.click(timeout=60_000)
            page.wait_for_url(f"{url}/matches/1")
            assert looked.troubles == []
        assert store.counts().matches >= 1


def test_who_comes_as_a_match_ends_is_led_to_what_became_of_it(chromium: Browser, url: str) -> None:
    """Its film is gone by then, and there was nothing wrong with asking."""
    files = (static_path("cards.js"), static_path("viewer.js"))
    scripts = "".join(f'<script src="{file}" defer></script>' for file in files)
    viewer = '<div id="viewer" data-film="/late/film" data-live="/late/news" data-texts="{}"></div>'
    html = "<!doctype html><title>x</title>" + scripts + viewer.format(static_path("texts.json"))
    over = "event: over\ndata: /matches/1\n\n"
    with looking(chromium, url) as looked:
        page = looked.page
        page.route("**/late", lambda one: one.fulfill(body=html, content_type="text/html"))
        page.route("**/late/film", lambda one: one.fulfill(status=204))
        page.route(
            "**/late/news", lambda one: one.fulfill(body=over, content_type="text/event-stream")
        )
        page.goto(f"{url}/late")
        page.wait_for_url(f"{url}/matches/1")
        page.wait_for_selector("#viewer[data-ready]")
        assert looked.troubles == []


def test_a_page_whose_stream_is_refused_stays_as_it_is(chromium: Browser, url: str) -> None:
    """As where many from one address have pages open."""
    with looking(chromium, f"{url}/rules") as looked:
        page = looked.page
        full = "too many pages follow already"
        page.route("**/bots.live*", lambda one: one.fulfill(status=503, body=full))
        with page.expect_response("**/bots.live*") as found:
            page.goto(f"{url}/bots")
        assert found.value.status == 503
        page.wait_for_timeout(300)
        assert full not in page.inner_text("main")
        assert page.locator("main h1").inner_text() == "Bots"
