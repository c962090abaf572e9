"""The site as those live it for whom it is: from an invitation to a game against one's own bot."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

pytest.importorskip("playwright", reason="make ci installs it")

from playwright.sync_api import Browser, Page

from ladder.core.tokens import Scope
from ladder.submissions.pack import packed
from referee.bots.settings import Settings
from support.browser import PHONE, Looked, browser, looking
from support.ladders import made, usual_pools
from support.sandboxes import need
from support.sites import served
from support.uploads import C_BOT

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

ITALIAN_SUITS: Final = re.compile(" of (cups|coins|batons|swords)")
FRENCH_SUITS: Final = re.compile(" of (hearts|diamonds|clubs|spades)")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


def referee(home: Path, *words: object, token: str = "") -> str:
    """What a command prints in a shell that has nothing of the organiser's."""
    given = {"HOME": str(home), "PATH": os.environ["PATH"], "REFEREE_TOKEN": token}
    done = subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)],
        env=given,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_author_hands_in_bots_watches_them_and_plays(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two in a shell, one by the form; a match is watched while it is played, and seen again from
    a bot's side; its author sits down against one of them, on a phone, and plays to the end."""
    need("bwrap", root=True)
    settings = tmp_path / "settings.toml"
    settings.write_text("[site]\nlive_delay = 1\n")
    monkeypatch.setenv("REFEREE_SETTINGS", str(settings))
    folder, home = tmp_path / "ladder", tmp_path / "home"
    home.mkdir()
    with (
        made(folder, usual_pools("briscola-2", blocks=20), ("thinks",)),
        served(folder, "--sandbox", "bwrap", "--workers", "1") as url,
    ):
        invitation = ("ladder", "invite", "ada", "--url", url, "--ladder", folder, "--json")
        told = json.loads(referee(home, *invitation))
        token = told["token"]
        for bot, said in (("sample:greedy", "greedy v1 by ada"), (C_BOT, "first-c v1 by ada")):
            assert said in referee(home, "submit", bot, "--to", url, token=token)
        _by_the_form(chromium, url, told["link"])
        assert "dice v1" in referee(home, "status", "--to", url, token=token)
        _watched(chromium, url)
        _played_against(chromium, url, token)


def _by_the_form(chromium: Browser, url: str, link: str) -> None:
    """The author follows the link, and hands in a zip."""
    with packed("sample:random", Settings()) as bot, looking(chromium, link) as looked:
        page = looked.page
        page.wait_for_url(f"{url}/mine")
        assert "Bots of ada" in page.get_by_role("heading", level=1).inner_text()
        assert looked.faults() == []
        looked.shot("mine")
        named = bot.file.with_name("random.zip")
        named.write_bytes(bot.file.read_bytes())
        page.locator("#file").set_input_files(named)
        page.locator("#name").fill("dice")
        page.get_by_role("button", name="Hand in").click()
        page.get_by_role("link", name="dice v1").wait_for(timeout=120_000)
        looked.shot("handed-in")
        assert looked.faults() == []
        assert looked.troubles == []
        assert link.partition("#")[2] not in page.content()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{url}/")
        assert page.context.cookies() == []


def _watched(chromium: Browser, url: str) -> None:
    """A match of theirs is looked at while it is played, and then by viewpoint."""
    with looking(chromium, f"{url}/queue") as looked:
        page = looked.page
        looked.shot("queue")
        deals = page.locator("#viewer[data-live] select[data-label=deal] option")
        over = page.get_by_role("link", name="Result", exact=True)
        # a match may end before there is anything to see: its own page comes then, or says so
        ended = page.locator("#viewer:not([data-live])").or_(page.get_by_text("It is over: match"))
        while deals.count() < 2:
            page.goto(f"{url}/queue")
            page.get_by_role("link", name="watch").first.click(timeout=120_000)
            deals.nth(1).or_(ended).first.wait_for(state="attached", timeout=120_000)
        looked.shot("live")
        assert looked.faults() == []
        over.click(timeout=120_000)
        page.wait_for_url(f"{url}/matches/*")
        page.wait_for_selector("#viewer[data-ready]")
        page.keyboard.press("PageDown")
        page.keyboard.press("ArrowRight")
        page.locator("p", has_text="Seen by:").get_by_role("link").last.click()
        page.wait_for_selector("#viewer[data-ready]")
        assert page.url.endswith("?bot=2#deal=1.2&act=1"), "the same act, seen by another"
        page.keyboard.press("PageUp")
        looked.shot("one-side")
        backs = page.locator("#viewer .in-hand[data-card='?']")
        assert backs.count() == 3
        page.keyboard.press("End")
        assert page.locator("#viewer .outcome table").is_visible()
        looked.shot("outcome")
        assert looked.troubles == []


def _played_against(chromium: Browser, url: str, token: str) -> None:
    """A match by touching the first card each time; then it is seen again."""
    with looking(chromium, f"{url}/join#{token}", PHONE) as looked:
        page = looked.page
        page.wait_for_url(f"{url}/mine")
        page.get_by_role("link", name="greedy v1").first.click()
        page.get_by_role("button", name="Sit down").click()
        cards = page.locator("form.hand button")
        cards.first.wait_for()
        looked.shot("table")
        assert looked.faults() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        visited = page.evaluate("history.length")
        for _ in range(30):
            if not cards.count():
                break
            if page.locator(".last").count():
                looked.shot("trick")
                assert looked.faults() == []
            _play_first(page)
            page.wait_for_selector("form.hand button, p.open")
        assert page.evaluate("history.length") == visited, "Back leads to the bot, not to a card"
        page.wait_for_selector("#viewer[data-ready]")
        assert "The match is over: you" in page.inner_text("main")
        assert "Par, what greedy gets with your cards" in page.inner_text("main")
        looked.shot("played")
        assert looked.faults() == []
        assert looked.troubles == []


def test_people_play_with_each_other_by_a_link(chromium: Browser, tmp_path: Path) -> None:
    """A guest who has the link alone sits with its author, on a phone; both see it again."""
    need("bwrap", root=True)
    folder = tmp_path / "ladder"
    with made(folder, usual_pools("sueca"), ("greedy",)) as store:
        token = store.tokens.add("ada", tuple(Scope), 1)[1]
        with (
            served(folder, "--sandbox", "bwrap", "--no-run") as url,
            looking(chromium, f"{url}/join#{token}") as ada,
        ):
            ada.page.wait_for_url(f"{url}/mine")
            ada.page.goto(f"{url}/bots/1")
            ada.page.get_by_label("with other people, by a link").check()
            ada.page.get_by_role("button", name="Sit down").click()
            link = ada.page.get_by_label("Link").input_value()
            assert ada.faults() == []
            with looking(chromium, link, PHONE, dark=True) as bob:
                bob.page.get_by_text("ada invites you to sueca, 1 deal.").wait_for()
                with looking(chromium, f"{url}/sit#{'x' * 32}") as eve:
                    eve.page.get_by_text("That invitation is not valid").wait_for()
                    assert eve.page.get_by_role("button", name="Sit down").is_hidden()
                    eve.page.evaluate("document.getElementById('sit').hidden = false")
                    eve.page.get_by_label("Your name").fill("eve")
                    eve.page.get_by_role("button", name="Sit down").click()
                    eve.page.get_by_role("heading", name="Not found").wait_for()
                    eve.page.goto(link)  # in the tab of the refusal
                    eve.page.get_by_text("ada invites you to sueca, 1 deal.").wait_for()
                bob.shot("sit")
                assert bob.faults() == []
                bob.page.evaluate("localStorage.setItem('referee.faces', 'french')")
                bob.page.get_by_label("Your name").fill("bob")
                bob.page.get_by_role("button", name="Sit down").click()
                bob.page.get_by_role("button", name="Sit here").last.click()
                bob.page.get_by_text("scores with seat").first.wait_for()
                bob.shot("waits")
                assert bob.faults() == []
                assert bob.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
                ada.page.locator("ol.seats").get_by_text("guest-bob").wait_for()
                ada.shot("invites")
                ada.page.get_by_role("button", name="Begin").click()
                hers, his = _play_on(ada, bob)
                assert ITALIAN_SUITS.search(hers)
                assert FRENCH_SUITS.search(his)
                assert not ITALIAN_SUITS.search(his), "cards are called as they are drawn"
                for one in (ada, bob):
                    one.page.wait_for_selector("#viewer[data-ready]")
                    assert "The match is over: " in one.page.inner_text("main")
                ada.shot("ended")
                assert ada.troubles == []
                assert bob.troubles == []


def _play_on(*people: Looked) -> list[str]:
    """Play the first card each time, for those whose turn it is, until the match is over.

    Returns:
        What each has read when it was their turn.
    """
    texts = [""] * len(people)
    for _ in range(1000):
        if all(one.page.locator("p.open").count() for one in people):
            break
        for at, one in enumerate(people):
            cards = one.page.locator("form.hand button")
            if cards.count():
                texts[at] += one.page.inner_text("main")
                _play_first(one.page)
    return texts


def _play_first(page: Page) -> None:
    """Touch the first card that may be played, and wait until that is no question any more."""
    asked = page.locator("input[name=asked]").input_value()
    page.locator("form.hand button").first.click()
    page.locator(f"input[name=asked][value='{asked}']").wait_for(state="detached")
