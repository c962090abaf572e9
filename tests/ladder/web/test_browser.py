"""The site in a real browser: an author's whole way, and pages that are for everybody."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make ci installs it")

from playwright.sync_api import Browser, ViewportSize

from ladder.core.tokens import Scope
from ladder.submissions.pack import packed
from referee.bots.settings import Settings
from support.browser import PHONE, WIDE, browser, looking
from support.ladders import count, filled, invented, job, made, usual_pools
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
    "/queue",
    "/rules",
    "/rules/mariagio",
    "/join",
    "/no/such/page",
)


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
def url(ladder: Path) -> Iterator[str]:
    with served(ladder, "--no-run", "--no-uploads") as address:
        yield address


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_for_everybody(chromium: Browser, url: str, path: str, *, dark: bool) -> None:
    """WCAG AA, as far as axe-core can tell, and nothing for the console to complain of."""
    with looking(chromium, url + path, dark=dark) as looked:
        if path.startswith("/matches/1"):
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


def test_an_author_hands_in_bots_watches_them_and_plays(chromium: Browser, tmp_path: Path) -> None:
    """One in a shell, one by the form; they meet, their match is seen from both sides; a person
    sits down against one of them, on a phone, and plays to the last card."""
    need("bwrap", root=True)
    folder = tmp_path / "ladder"
    with made(folder, bots=()) as store:
        tokens = [store.tokens.add(name, tuple(Scope), 1)[1] for name in ("ada", "bob")]
        with served(folder, "--sandbox", "bwrap", "--workers", "1") as url:
            submit = [sys.executable, "-m", "referee", "submit", "sample:greedy", "--to", url]
            done = subprocess.run(
                submit,
                env={**os.environ, "REFEREE_TOKEN": tokens[0]},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert done.returncode == 0, done.stderr
            assert "greedy v1 by ada" in done.stdout
            _by_the_form(chromium, url, tokens[1])
            _watched(chromium, url)
            _played_against(chromium, url, tokens[1])


def _by_the_form(chromium: Browser, url: str, token: str) -> None:
    """An invited author follows the link, and hands in a zip."""
    with (
        packed("sample:random", Settings()) as bot,
        looking(chromium, f"{url}/join#{token}") as looked,
    ):
        page = looked.page
        page.wait_for_url(f"{url}/mine")
        assert "Bots of bob" in page.get_by_role("heading", level=1).inner_text()
        assert looked.faults() == []
        named = bot.file.with_name("random.zip")
        named.write_bytes(bot.file.read_bytes())
        page.locator("#file").set_input_files(named)
        page.locator("#name").fill("dice")
        page.get_by_role("button", name="Hand in").click()
        page.get_by_role("link", name="dice v1").wait_for(timeout=120_000)
        assert looked.faults() == []
        assert looked.troubles == []
        assert token not in page.content()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{url}/")
        assert page.context.cookies() == []


def _watched(chromium: Browser, url: str) -> None:
    """Both bots meet while the ladder is looked at; the match is shown by viewpoint."""
    with looking(chromium, url) as looked:
        page = looked.page
        page.locator('a[href="/matches/1"]').wait_for(timeout=120_000)
        page.locator('a[href="/matches/1"]').click()
        page.wait_for_selector("#viewer[data-ready]")
        page.get_by_role("link", name="dice", exact=True).last.click()
        page.wait_for_selector("#viewer[data-ready]")
        assert "bot=" in page.url
        backs = page.locator("#viewer .place-1 .in-hand")
        assert [backs.nth(at).get_attribute("data-card") for at in range(3)] == ["?"] * 3
        page.keyboard.press("End")
        assert page.locator("#viewer .outcome table").is_visible()
        assert looked.troubles == []


def _played_against(chromium: Browser, url: str, token: str) -> None:
    """A deal by touching the first card each time; then it is seen again."""
    with looking(chromium, f"{url}/join#{token}", PHONE) as looked:
        page = looked.page
        page.wait_for_url(f"{url}/mine")
        page.goto(f"{url}/bots/1")
        page.get_by_role("button", name="Sit down").click()
        cards = page.locator("form.hand button")
        cards.first.wait_for()
        assert looked.faults() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        for _ in range(30):
            if not cards.count():
                break
            cards.first.click()
            page.wait_for_selector("form.hand button, p.open")
        page.wait_for_selector("#viewer[data-ready]")
        assert "The match is over: you" in page.inner_text("main")
        assert "Par, what greedy gets with your cards" in page.inner_text("main")
        assert looked.faults() == []
        assert looked.troubles == []
