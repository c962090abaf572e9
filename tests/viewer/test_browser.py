"""The viewer in a real browser: every game opens, by keyboard, in three languages, on a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make ci installs it")

from playwright.sync_api import Browser, ViewportSize

from referee.cli import run
from referee.games import catalogue
from support.browser import PHONE, WIDE, browser, looking

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

GAMES = tuple(catalogue())


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


def page_of(folder: Path, game: str, *more: str, deals: int = 2) -> str:
    """The page of a match between greedy bots; more words are for `match`."""
    seats = catalogue()[game].seats[0]
    record, page = folder / "record", folder / "page.html"
    words = ["match", *["sample:greedy"] * seats, "--game", game, "--deals", str(deals)]
    assert run([*words, "--sandbox", "bare", "--key", game, "--record", str(record), *more]) == 0
    assert run(["replay", str(record), "--html", str(page)]) == 0
    return page.as_uri()


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_shown_to_its_last_card(chromium: Browser, tmp_path: Path, game: str) -> None:
    """Act by act to the end of both deals; the console has nothing to say."""
    with looking(chromium, page_of(tmp_path, game)) as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        for _ in range(2):
            acts = page.locator("#viewer .acts li")
            for _ in range(acts.count() - 1):
                page.keyboard.press("ArrowRight")
            assert acts.last.get_attribute("class") == "here"
            assert page.locator("#viewer .outcome table").is_visible()
            page.keyboard.press("PageDown")
        assert "Result" in page.locator("#viewer .outcome").inner_text()
        assert looked.troubles == []


@pytest.mark.parametrize("game", ["briscola-2", "sueca", "bisca-nove", "auction-biscambiggia"])
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_nothing_lies_over_the_edge_of_the_table(
    chromium: Browser, tmp_path: Path, game: str, size: ViewportSize
) -> None:
    """Nor does the page scroll sideways, on a phone neither."""
    with looking(chromium, page_of(tmp_path, game), size) as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        stage = page.locator("#viewer .stage").bounding_box()
        assert stage is not None
        for at in range(page.locator("#viewer .seat").count()):
            seat = page.locator("#viewer .seat").nth(at).bounding_box()
            assert seat is not None
            assert seat["x"] >= stage["x"] - 1
            assert seat["x"] + seat["width"] <= stage["x"] + stage["width"] + 1
            assert seat["y"] >= stage["y"] - 1
            assert seat["y"] + seat["height"] <= stage["y"] + stage["height"] + 1
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"]


def test_keys_and_links_lead_to_an_act(chromium: Browser, tmp_path: Path) -> None:
    url = page_of(tmp_path, "briscola-2")
    with looking(chromium, f"{url}#deal=2&act=5") as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        assert page.locator("#viewer .acts li.here").get_attribute("data-at") == "5"
        assert page.locator("#viewer select").first.input_value() == "1"
        page.keyboard.press("ArrowLeft")
        assert page.locator("#viewer .acts li.here").get_attribute("data-at") == "4"
        page.keyboard.press("Home")
        assert page.locator("#viewer .acts li.here").get_attribute("data-at") == "0"
        page.keyboard.press("ArrowLeft")  # to the end of the deal before
        assert page.locator("#viewer select").first.input_value() == "0"
        page.keyboard.press("Space")
        page.wait_for_selector('#viewer .acts li.here[data-at="1"]')


@pytest.mark.parametrize(
    ("language", "suit", "king"),
    [("en", "batons", "king"), ("it", "bastoni", "re"), ("pt", "paus", "rei")],
)
def test_suits_and_ranks_have_their_local_names(
    chromium: Browser, tmp_path: Path, language: str, suit: str, king: str
) -> None:
    with looking(chromium, page_of(tmp_path, "briscola-2")) as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        page.get_by_label("language").select_option(language)
        acts = page.locator("#viewer .acts").inner_text()
        assert suit in acts
        assert f"{king} " in acts
        assert page.locator("#viewer").get_attribute("lang") == language
        page.keyboard.press("f")
        assert suit not in page.locator("#viewer .acts").inner_text() or language == "pt"


def test_a_seat_s_page_shows_backs_where_it_saw_nothing(chromium: Browser, tmp_path: Path) -> None:
    page_of(tmp_path, "briscola-2")
    page_file = tmp_path / "seat.html"
    words = ["replay", str(tmp_path / "record"), "--html", str(page_file), "--seat", "0"]
    assert run(words) == 0
    with looking(chromium, page_file.as_uri()) as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        own = page.locator("#viewer .place-0 .in-hand")
        other = page.locator("#viewer .place-1 .in-hand")
        assert [own.nth(at).get_attribute("data-card") == "?" for at in range(3)] == [False] * 3
        assert [other.nth(at).get_attribute("data-card") for at in range(3)] == ["?"] * 3
        assert page.locator("#viewer input[type=checkbox]").count() == 0


def test_the_hands_of_others_can_be_covered(chromium: Browser, tmp_path: Path) -> None:
    with looking(chromium, page_of(tmp_path, "briscola-2")) as looked:
        page = looked.page
        page.wait_for_selector("#viewer[data-ready]")
        other = page.locator("#viewer .place-1 .in-hand").first
        assert other.get_attribute("data-card") != "?"
        page.get_by_label("Others' cards covered").check()
        assert page.locator("#viewer .place-1 .in-hand").first.get_attribute("data-card") == "?"


@pytest.mark.parametrize("dark", [False, True])
def test_it_is_for_everybody(chromium: Browser, tmp_path: Path, *, dark: bool) -> None:
    """WCAG AA, as far as axe-core can tell, at the beginning and at the end of a deal."""
    with looking(chromium, page_of(tmp_path, "sueca"), dark=dark) as looked:
        looked.page.wait_for_selector("#viewer[data-ready]")
        assert looked.faults() == []
        looked.page.keyboard.press("End")
        assert looked.faults() == []


def test_a_record_of_400_deals_is_shown(chromium: Browser, tmp_path: Path) -> None:
    url = page_of(tmp_path, "briscola-2", deals=400)
    with looking(chromium, f"{url}#deal=400&act=3") as looked:
        looked.page.wait_for_selector("#viewer[data-ready] .card")
        assert looked.page.locator("#viewer select").first.locator("option").count() == 400
        assert looked.page.locator("#viewer .acts li.here").get_attribute("data-at") == "3"
