"""Signing in by a provider in a real browser, for which the two are different sites."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="make ci installs it")

from playwright.sync_api import Browser

from ladder.core.tokens import Scope
from ladder.store.store import Store
from ladder.web.answers import COOKIE
from ladder.web.provider.registration import VARIABLE
from ladder.web.provider_routes import COOKIE as STATE_COOKIE
from support.browser import PHONE, Looked, browser, looking
from support.ladders import made
from support.provider import CLIENT, SECRET, LocalProvider, provider
from support.sandboxes import need
from support.sites import served

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first",)) as found:
        yield found


@pytest.fixture
def idp() -> Iterator[LocalProvider]:
    with provider() as found:
        yield found


@pytest.fixture
def url(
    store: Store, idp: LocalProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A site whose authors may sign in by that provider."""
    need("bwrap", root=True)
    settings = tmp_path / "settings.toml"
    settings.write_text(
        f'[site.sign_in]\nissuer = "{idp.issuer}"\nclient_id = "{CLIENT}"\nname = "Example"\n'
    )
    monkeypatch.setenv("REFEREE_SETTINGS", str(settings))
    monkeypatch.setenv(VARIABLE, SECRET)
    with served(store.files, "--no-run", "--sandbox", "bwrap") as address:
        yield address


def look(looked: Looked, name: str, *, script: bool) -> None:
    """Keep a picture of a page; axe-core, which is a script, finds nothing against it."""
    looked.shot(name)
    if script:
        assert looked.faults() == []


@pytest.mark.parametrize("script", [True, False])
def test_an_author_signs_in_by_the_provider_from_then_on(
    chromium: Browser, url: str, store: Store, *, script: bool
) -> None:
    """Invited by the link, bound, signed out, signed in; without a script, too."""
    token = store.tokens.add("ada", tuple(Scope), 365)[1]
    with looking(chromium, f"{url}/join", script=script) as looked:
        page = looked.page
        look(looked, "join", script=script)
        if script:
            page.goto("about:blank")
            page.goto(f"{url}/join#{token}")
        else:
            page.get_by_label("Token").fill(token)
            page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url(f"{url}/mine")

        page.get_by_role("button", name="Sign in with Example from now on").click()
        page.wait_for_url("**/authorize?*")
        page.get_by_role("button", name="In").click()
        page.wait_for_url(f"{url}/sign-in/done?*")
        look(looked, "bind", script=script)
        assert "as ada whenever" in page.inner_text("main")
        page.get_by_role("button", name="Yes, from now on").click()
        page.wait_for_url(f"{url}/mine")
        assert "account-of-ada" in page.inner_text("main")
        look(looked, "mine", script=script)

        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{url}/")
        assert page.context.cookies() == []

        page.goto(f"{url}/join")
        page.get_by_role("button", name="Sign in with Example").click()
        page.wait_for_url("**/authorize?*")
        cookies = {one["name"]: one for one in page.context.cookies(f"{url}/sign-in/done")}
        assert set(cookies) == {STATE_COOKIE}
        assert (cookies[STATE_COOKIE]["httpOnly"], cookies[STATE_COOKIE]["sameSite"]) == (
            True,
            "Lax",
        )
        page.get_by_role("button", name="In").click()
        page.wait_for_url(f"{url}/mine")
        cookies = {one["name"]: one for one in page.context.cookies(f"{url}/sign-in/done")}
        assert set(cookies) == {COOKIE}
        assert (cookies[COOKIE]["httpOnly"], cookies[COOKIE]["sameSite"]) == (True, "Strict")
        assert "You are signed in until" in page.inner_text("main")
        page.get_by_role("button", name=re.compile("Undo")).click()
        page.wait_for_url(f"{url}/mine")
        assert "Who are you?" in page.inner_text("main"), "the session has ended with it"
        assert [one for one in looked.troubles if "401" not in one] == []
    assert store.bindings.every() == []


def test_a_browser_without_the_session_is_not_bound(
    chromium: Browser, url: str, store: Store
) -> None:
    """The state's cookie alone comes back from the provider, and it is not enough."""
    token = store.tokens.add("ada", tuple(Scope), 365)[1]
    with looking(chromium, f"{url}/join", PHONE) as looked:
        page = looked.page
        page.goto("about:blank")
        page.goto(f"{url}/join#{token}")
        page.wait_for_url(f"{url}/mine")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("button", name="Sign in with Example from now on").click()
        page.wait_for_url("**/authorize?*")
        with page.expect_request(f"{url}/sign-in/done?*") as back:
            page.get_by_role("button", name="In").click()
        page.wait_for_url(f"{url}/sign-in/done?*")
        sent = back.value.all_headers()["cookie"]
        assert sent.startswith(f"{STATE_COOKIE}=")
        assert f"{COOKIE}=" not in sent
        page.context.clear_cookies(name=COOKIE)
        page.get_by_role("button", name="Yes, from now on").click()
        page.wait_for_url(f"{url}/sign-in/bind")
        assert "Who are you?" in page.inner_text("main")
    assert store.bindings.every() == []


def test_a_person_who_is_not_invited_is_told_so(
    chromium: Browser, url: str, store: Store, idp: LocalProvider
) -> None:
    """And Back leads to where they came from, past the page that only leads on."""
    with looking(chromium, f"{url}/join") as looked:
        page = looked.page
        page.get_by_role("button", name="Sign in with Example").click()
        page.wait_for_url("**/authorize?*")
        page.get_by_role("button", name="In").click()
        page.wait_for_url(f"{url}/sign-in/done?*")
        assert "ask the organiser for an invitation" in page.inner_text("main")
        page.go_back()
        page.go_back()
        page.wait_for_url(f"{url}/join")
    assert store.bindings.every() == []
