"""Authors who sign in by a provider of OpenID Connect: an honest one, and others."""

import gzip
import html
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import trio
from joserfc import jwt

from ladder.core.tokens import Scope
from ladder.store.bindings import MOST_BINDINGS, MOST_SESSIONS
from ladder.store.store import Store
from ladder.web.answers import COOKIE
from ladder.web.provider import asking, openid
from ladder.web.provider.pending import LONGEST_S, MOST, Begun, Pending
from ladder.web.provider.registration import Registration
from ladder.web.provider_routes import COOKIE as STATE_COOKIE
from ladder.web.uploads import Uploads
from referee.bots.settings import SignIn
from support.ladders import made
from support.provider import (
    ACCESS_TOKEN,
    CLIENT,
    SECRET,
    Claims,
    LocalProvider,
    foreign_key,
    provider,
    signed,
    signed_with_what_is_public,
    unsigned,
)
from support.sites import HOST, Asked, opened

ORIGIN: Final = {"origin": HOST}
NAME: Final = "Ex & <b>ample</b>"
DAY_MS: Final = 24 * 60 * 60 * 1000
AWAY: Final = "does not do its part just now"

Instead = Callable[[BaseHTTPRequestHandler], tuple[int, dict[str, str], bytes] | None]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first",)) as found:
        yield found


@pytest.fixture
def idp() -> Iterator[LocalProvider]:
    with provider() as found:
        yield found


@pytest.fixture(autouse=True, scope="module")
def certificates() -> Iterator[None]:
    """Those of the machine, which are read once."""
    with mock.patch.object(httpx2, "create_ssl_context", cache(httpx2.create_ssl_context)):
        yield


@pytest.fixture
async def site(store: Store, uploads: Uploads, idp: LocalProvider) -> AsyncIterator[Asked]:
    registration = Registration(SignIn(issuer=idp.issuer, client_id=CLIENT, name=NAME), SECRET)
    async with opened(store, uploads=uploads, registration=registration) as asked:
        yield asked


@pytest.fixture
def ada(store: Store) -> str:
    return store.tokens.add("ada", (Scope.SUBMIT, Scope.LOGS), 365)[1]


async def begin(site: Asked, path: str = "/sign-in") -> str:
    """Presses the button of a page; returns where the browser goes on to."""
    found = await site.client.post(path, headers=ORIGIN)
    assert found.status_code == 200, found.text
    return onward(found)


def onward(found: httpx2.Response) -> str:
    """Where a page leads by itself."""
    link = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', found.text)
    assert link is not None, found.text
    return html.unescape(link[1])


def back(idp: LocalProvider, address: str) -> str:
    """Where the provider sends a browser to that came by this address, once it is signed in."""
    given = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    return idp.back(given)


async def come_back(site: Asked, address: str) -> httpx2.Response:
    """Comes from the provider: without the cookie of the session, which is Strict."""
    session = site.client.cookies.get(COOKIE)
    if session is not None:
        site.client.cookies.delete(COOKIE)
    found = await site.client.get(address)
    if session is not None and COOKIE not in found.cookies:
        site.client.cookies.set(COOKIE, session)
    return found


async def sign_in(site: Asked, idp: LocalProvider) -> httpx2.Response:
    """Signs in by the provider; returns the page where one comes back."""
    return await come_back(site, back(idp, await begin(site)))


async def asked(site: Asked, idp: LocalProvider) -> str:
    """Signs in to bind; returns the state in the form of the question."""
    found = await come_back(site, back(idp, await begin(site, "/sign-in/mine")))
    assert found.status_code == 200, found.text
    state = re.search(r'name="state" value="([^"]+)"', found.text)
    assert state is not None
    return state[1]


async def bind(site: Asked, idp: LocalProvider, token: str) -> httpx2.Response:
    """Binds who is at the provider to the author of a token, and signs out."""
    site.client.cookies.clear()
    site.client.cookies.set(COOKIE, token)
    data = {"state": await asked(site, idp)}
    found = await site.client.post("/sign-in/bind", data=data, headers=ORIGIN)
    site.client.cookies.clear()
    return found


def told(found: httpx2.Response) -> str:
    """What a page of trouble says."""
    line = re.search(r"<h1>.*?</h1>\s*<p>(.*?)</p>", found.text, re.DOTALL)
    assert line is not None
    return html.unescape(line[1])


def nothing_came_of_it(site: Asked, store: Store) -> None:
    """No session, no binding, and no secret in what the organiser was told."""
    assert COOKIE not in site.client.cookies
    assert store.bindings.every() == []
    assert [token.binding for token, *_ in store.tokens.every()] in ([], [""])
    for line in site.troubles:
        assert "\n" not in line
        assert "Traceback" not in line
        theirs = line.replace(NAME, "")  # that is the organiser's own
        assert not any(secret in theirs for secret in (SECRET, ACCESS_TOKEN, "eyJ", "<b>"))


# --- an honest provider


@pytest.mark.parametrize("alg", ["RS256", "ES256", "PS256"])
async def test_an_author_who_has_chosen_an_account_signs_in_by_it(
    site: Asked, store: Store, idp: LocalProvider, ada: str, alg: str
) -> None:
    """As themselves, for what their invitation is for, and for thirty days."""
    idp.sign = lambda claims: signed(claims, alg)
    assert (await bind(site, idp, ada)).headers["location"] == "/mine"
    assert (await site.get("/mine")).status_code == 401
    found = await sign_in(site, idp)
    assert "You are signed in as ada." in found.text
    assert onward(found) == "/mine"
    cookies = found.headers.get_list("set-cookie")
    (session,) = [one for one in cookies if one.startswith(f"{COOKIE}=bref_")]
    assert {"HttpOnly", "SameSite=strict"} <= set(session.split("; "))
    page = await site.get("/mine")
    assert "account-of-ada" in page.text
    ((token, _, use),) = [one for one in store.tokens.every() if one[0].binding]
    assert token.author == "ada"
    assert token.scopes == (Scope.SUBMIT, Scope.LOGS)
    assert token.expires_ms - token.made_ms == 30 * DAY_MS
    assert use is not None
    assert use.what == "sign-in"
    assert site.troubles == []


async def test_a_session_ends_with_its_invitation(
    site: Asked, store: Store, idp: LocalProvider
) -> None:
    invitation, text = store.tokens.add("ada", tuple(Scope), 2)
    await bind(site, idp, text)
    await sign_in(site, idp)
    assert {token.expires_ms for token, *_ in store.tokens.every()} == {invitation.expires_ms}


async def test_who_has_no_invitation_is_told_to_ask_for_one(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    found = await sign_in(site, idp)
    assert found.status_code == 403
    assert "ask the organiser for an invitation" in told(found)
    nothing_came_of_it(site, store)


async def test_the_provider_learns_and_tells_as_little_as_there_is_need_for(
    site: Asked, idp: LocalProvider
) -> None:
    """Browsers carry neither the secret nor the verifier; keys are fetched once."""
    for _ in range(2):
        address = await begin(site)
        given = parse_qs(urlsplit(address).query)
        await come_back(site, back(idp, address))
    assert set(given) == {
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method",
    }  # fmt: skip
    assert given["redirect_uri"] == [f"{HOST}/sign-in/done"]
    assert SECRET not in address
    asked_for = ["/.well-known/openid-configuration", "/keys", "/token", "/token"]
    assert idp.paths() == asked_for
    assert all(set(form) & {"client_secret"} == set() for _, form in idp.asked)


async def test_a_new_key_of_the_provider_is_looked_for(
    site: Asked, idp: LocalProvider, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in a while: it may have changed them since we looked."""
    monkeypatch.setattr(openid, "REST_S", 0.0)
    idp.instead["/keys"] = lambda _: (200, {}, b'{"keys":[]}')
    found = await sign_in(site, idp)
    assert "cannot be believed" in told(found)
    del idp.instead["/keys"]
    assert "ask the organiser" in told(await sign_in(site, idp))
    assert idp.paths().count("/.well-known/openid-configuration") == 1


# --- what is bound, and what ends it


async def test_an_account_is_bound_by_the_very_session_that_began_it(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """Not without it, not by another author's, and not from another site's page."""
    eve = store.tokens.add("eve", tuple(Scope), 1)[1]
    site.client.cookies.set(COOKIE, ada)
    for headers, session, status in (
        (ORIGIN, "", 401),
        (ORIGIN, eve, 400),
        ({"origin": "https://evil.example"}, ada, 403),
        (ORIGIN, store.tokens.add("ada", tuple(Scope), 1)[1], 400),
    ):
        site.client.cookies.set(COOKIE, ada)
        state = await asked(site, idp)
        site.client.cookies.set(COOKIE, session)
        found = await site.client.post("/sign-in/bind", data={"state": state}, headers=headers)
        assert found.status_code == status
    assert store.bindings.every() == []


async def test_a_browser_that_is_led_to_an_attackers_sign_in_binds_and_enters_nothing(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """Whether it is to be bound to the author at the browser, or to come in as the attacker."""
    eve = store.tokens.add("eve", tuple(Scope), 1)[1]
    idp.subject = "account-of-eve"
    assert (await bind(site, idp, eve)).status_code == 303
    for path in ("/sign-in", "/sign-in/mine"):
        site.client.cookies.set(COOKIE, eve)
        address = back(idp, await begin(site, path))
        site.client.cookies.clear()
        site.client.cookies.set(COOKIE, ada)
        await begin(site, "/sign-in/mine")  # the author has one of their own under way
        found = await come_back(site, address)
        assert found.status_code == 400
        assert "begun in another browser" in told(found)
        assert site.client.cookies.get(COOKIE) == ada
    assert [one.author for one in store.bindings.every()] == ["eve"]


async def test_a_sign_in_is_over_once_it_came_back(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """And its steps do not stand for each other."""
    address = back(idp, await begin(site))
    assert (await come_back(site, address)).status_code == 403
    assert (await come_back(site, address)).status_code == 400
    site.client.cookies.set(COOKIE, ada)
    state = await asked(site, idp)
    assert (await come_back(site, f"/sign-in/done?code=x&state={state}")).status_code == 400
    address = await begin(site, "/sign-in/mine")
    (state,) = parse_qs(urlsplit(address).query)["state"]
    found = await site.client.post("/sign-in/bind", data={"state": state}, headers=ORIGIN)
    assert found.status_code == 400
    assert store.bindings.every() == []


async def test_a_code_of_another_sign_in_is_refused(
    site: Asked, store: Store, idp: LocalProvider
) -> None:
    """That of an attacker, say, in one's own sign-in: its verifier is another one."""
    foreign = urlsplit(back(idp, await begin(site)))
    (code,) = parse_qs(foreign.query)["code"]
    (state,) = parse_qs(urlsplit(await begin(site)).query)["state"]
    found = await come_back(site, f"/sign-in/done?code={code}&state={state}")
    assert found.status_code == 400
    assert told(found) == f"{NAME} wants you to begin again."
    nothing_came_of_it(site, store)


async def test_an_account_is_of_one_author(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """Who chooses it again has it for the new invitation; what the old one allowed has ended."""
    await bind(site, idp, ada)
    await sign_in(site, idp)
    site.client.cookies.clear()
    found = await bind(site, idp, store.tokens.add("eve", tuple(Scope), 1)[1])
    assert (found.status_code, told(found)) == (400, "By that account another author signs in.")
    second, text = store.tokens.add("ada", (Scope.SUBMIT,), 1)
    assert (await bind(site, idp, text)).status_code == 303
    assert [(one.author, one.token) for one in store.bindings.every()] == [("ada", second.id)]
    assert [state for token, state, _ in store.tokens.every() if token.binding] == ["revoked"]
    for number in range(2, MOST_BINDINGS + 2):
        idp.subject = f"account-{number}"
        found = await bind(site, idp, ada)
    assert f"{MOST_BINDINGS} accounts at most" in told(found)


async def test_a_session_can_bind_but_not_outlive_the_invitation(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """What is bound in a session stands for the invitation behind it."""
    await bind(site, idp, ada)
    await sign_in(site, idp)
    session = site.client.cookies[COOKIE]
    idp.subject = "second"
    assert (await bind(site, idp, session)).status_code == 303
    invitation = store.tokens.by_text(ada)
    assert invitation is not None
    assert {one.token for one in store.bindings.every()} == {invitation.id}
    ended = store.tokens.revoke(invitation.id)
    assert (len(ended.tokens), len(ended.bindings)) == (2, 2)
    assert store.tokens.by_text(session) is None
    assert (await sign_in(site, idp)).status_code == 403


async def test_an_author_undoes_a_binding(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    """Their own only; the sessions that it has made end, and the link stays good."""
    await bind(site, idp, ada)
    await sign_in(site, idp)
    (binding,) = store.bindings.every()
    data = {"binding": binding.id}
    site.client.cookies.clear()
    site.client.cookies.set(COOKIE, store.tokens.add("eve", tuple(Scope), 1)[1])
    found = await site.client.post("/sign-in/undo", data=data, headers=ORIGIN)
    assert (found.status_code, len(store.bindings.every())) == (404, 1)
    site.client.cookies.set(COOKIE, ada)
    foreign = {"origin": "https://evil.example"}
    assert (await site.client.post("/sign-in/undo", data=data, headers=foreign)).status_code == 403
    found = await site.client.post("/sign-in/undo", data=data, headers=ORIGIN)
    assert (found.status_code, store.bindings.every()) == (303, [])
    assert [state for token, state, _ in store.tokens.every() if token.binding] == ["revoked"]
    assert (await site.get("/mine")).status_code == 200


async def test_signing_out_ends_a_session_and_no_invitation(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    await bind(site, idp, ada)
    await sign_in(site, idp)
    session = site.client.cookies[COOKIE]
    await site.client.post("/leave", headers=ORIGIN)
    assert store.tokens.by_text(session) is None
    site.client.cookies.clear()
    site.client.cookies.set(COOKIE, ada)
    await site.client.post("/leave", headers=ORIGIN)
    assert store.tokens.by_text(ada) is not None


async def test_sessions_of_a_day_are_bounded(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    await bind(site, idp, ada)
    for _ in range(MOST_SESSIONS):
        assert store.bindings.session(idp.issuer, idp.subject) is not None
    found = await sign_in(site, idp)
    assert (found.status_code, told(found)) == (
        400,
        f"You have signed in {MOST_SESSIONS} times today; try tomorrow.",
    )


# --- what is not believed


def tampered(claims: Claims) -> str:
    """Signed for another account, and changed since."""
    head, _, signature = signed({**claims, "sub": "another-account"}).split(".")
    return f"{head}.{signed(claims).split('.')[1]}.{signature}"


def bringing_its_key(claims: Claims) -> str:
    """Signed by a key that comes along in its head."""
    key = foreign_key("rsa")
    head = {"alg": "RS256", "kid": "rsa", "jwk": key.as_dict(private=False)}
    return jwt.encode(head, claims, key)


NOW: Final = int(time.time())

LIES: Final[dict[str, dict[str, object]]] = {
    "issuer": {"iss": "https://evil.example"},
    "no issuer": {"iss": None},
    "audience": {"aud": "another-site"},
    "audiences": {"aud": ["another-site", "a-third"]},
    "one of many": {"aud": [CLIENT, "another-site"]},
    "party": {"aud": [CLIENT, "another-site"], "azp": "another-site"},
    "expired": {"exp": NOW - 3600, "iat": NOW - 7200},
    "no end": {"exp": None},
    "end": {"exp": "tomorrow"},
    "not yet": {"nbf": NOW + 36_000},
    "future": {"iat": NOW + 36_000},
    "no time": {"iat": None},
    "nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "subject": {"sub": ["account-of-ada"]},
    "empty": {"sub": ""},
    "long": {"sub": "x" * 256},
    "hidden": {"sub": "account\u202eof\x00ada"},
    "hash": {"at_hash": "AAAA"},
}

FORGERIES: Final[dict[str, Callable[[Claims], str]]] = {
    "none": unsigned,
    "hmac": signed_with_what_is_public,
    "foreign": lambda claims: signed(claims, key=foreign_key("rsa")),
    "unknown": lambda claims: signed(claims, key=foreign_key("other")),
    "tampered": tampered,
    "own key": bringing_its_key,
    "no token": lambda _: "x",
    "parts": lambda _: "..",
    "huge": lambda claims: signed({**claims, "pad": "x" * 100_000}),
    "no json": lambda _: "e30.e30.e30",
}


@pytest.mark.parametrize("lie", LIES)
async def test_an_id_token_that_does_not_say_what_it_has_to_is_not_believed(
    site: Asked, store: Store, idp: LocalProvider, ada: str, lie: str
) -> None:
    idp.claims = LIES[lie]
    found = await sign_in(site, idp)
    assert (found.status_code, "cannot be believed" in told(found)) == (403, True)
    assert len(site.troubles) == 1
    nothing_came_of_it(site, store)


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_an_id_token_that_the_provider_has_not_signed_is_not_believed(
    site: Asked, store: Store, idp: LocalProvider, ada: str, forgery: str
) -> None:
    idp.sign = FORGERIES[forgery]
    found = await sign_in(site, idp)
    assert (found.status_code, "cannot be believed" in told(found)) == (403, True)
    assert len(site.troubles) == 1
    nothing_came_of_it(site, store)


async def test_a_small_difference_of_clocks_is_none(
    site: Asked, idp: LocalProvider, ada: str
) -> None:
    idp.claims = {"exp": int(time.time()) - 20, "iat": int(time.time()) + 20, "aud": [CLIENT]}
    assert "ask the organiser" in told(await sign_in(site, idp))


# --- what is no answer


def text(body: str | bytes, status: int = 200, **headers: str) -> Instead:
    """An answer, whatever was asked; headers have underlines where HTTP has dashes."""
    data = body.encode() if isinstance(body, str) else body
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (status, given, data)


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Sends for ever."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65_536)


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Says nothing for a while."""
    threading.Event().wait(3)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """Says a little, again and again, so that no wait for more is long."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        threading.Event().wait(0.02)


NO_ANSWERS: Final[dict[str, Instead]] = {
    "error": text("{}", 500),
    "gone": text("<html>gone</html>", 404),
    "elsewhere": text("", 302, location="http://localhost:1/"),
    "no json": text("<b>hello</b>"),
    "other json": text("[1]"),
    "deep": text('{"keys":' * 20_000),
    "no text": text(b"\xff\xfe{"),
    "endless": endless,
    "silent": silent,
    "dripping": dripping,
    "bomb": text(gzip.compress(bytes(1 << 24)), content_encoding="gzip"),
    "closes": lambda handler: handler.connection.close(),
    "types": text('{"access_token": {"a": 1}, "expires_in": {}, "id_token": 1, "keys": 1}'),
    "no tokens": text("{}"),
}


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/keys", "/token"])
@pytest.mark.parametrize("case", NO_ANSWERS)
async def test_a_provider_that_does_not_answer_as_it_should_costs_a_sentence(
    site: Asked,
    store: Store,
    idp: LocalProvider,
    monkeypatch: pytest.MonkeyPatch,
    *,
    path: str,
    case: str,
) -> None:
    """Soon, and in our own words; other pages come meanwhile."""
    monkeypatch.setattr(asking, "LONGEST_S", 0.5)
    idp.instead[path] = NO_ANSWERS[case]
    answers: list[httpx2.Response] = []

    async def go() -> None:
        found = await site.client.post("/sign-in", headers=ORIGIN)
        if found.status_code == 200:
            found = await come_back(site, back(idp, onward(found)))
        answers.append(found)

    with trio.fail_after(20):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(go)
            assert (await site.get("/join")).status_code == 200
    (found,) = answers
    assert found.status_code == 503
    assert AWAY in told(found)
    assert len(site.troubles) == 1
    nothing_came_of_it(site, store)


@pytest.mark.parametrize(
    "says",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": "http://192.0.2.1/token"},
        {"jwks_uri": "ftp://localhost/keys"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "https://me@evil.example/"},
        {"token_endpoint": "https://localhost:x/"},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
        {"jwks_uri": "http://localhost:1/keys"},
    ],
)
async def test_a_provider_that_says_of_itself_what_cannot_be_is_not_asked_further(
    site: Asked, store: Store, idp: LocalProvider, says: dict[str, object]
) -> None:
    """The next visitor does not ask it again at once, and the organiser is told once."""
    idp.says = says
    for _ in range(3):
        found = await site.client.post("/sign-in", headers=ORIGIN)
        assert (found.status_code, AWAY in told(found)) == (503, True)
    assert idp.paths() == ["/.well-known/openid-configuration"]
    assert len(site.troubles) == 1
    nothing_came_of_it(site, store)


async def test_a_client_that_the_provider_does_not_know_is_the_organisers_to_mend(
    store: Store, uploads: Uploads, idp: LocalProvider
) -> None:
    sign_in_settings = SignIn(issuer=idp.issuer, client_id=CLIENT, name=NAME)
    registration = Registration(sign_in_settings, "another")
    async with opened(store, uploads=uploads, registration=registration) as site:
        assert AWAY in told(await sign_in(site, idp))
        assert site.troubles == [f"sign-in: {NAME}: its token endpoint: invalid_client"]


async def test_a_provider_that_says_no_is_quoted_in_nothing(
    site: Asked, store: Store, idp: LocalProvider, ada: str
) -> None:
    (state,) = parse_qs(urlsplit(await begin(site)).query)["state"]
    query = f"error=access_denied&error_description=%3Cscript%3Eword&state={state}"
    found = await come_back(site, f"/sign-in/done?{query}")
    assert (found.status_code, "word" in found.text) == (403, False)
    assert "&lt;b&gt;ample" in found.text
    nothing_came_of_it(site, store)


@pytest.mark.parametrize("query", ["", "&iss=https://evil.example"])
async def test_who_comes_back_comes_from_the_provider(
    site: Asked, store: Store, idp: LocalProvider, query: str
) -> None:
    """It says who it is if it has said that it does."""
    idp.says = {"authorization_response_iss_parameter_supported": True}
    found = await come_back(site, back(idp, await begin(site)) + query)
    assert (found.status_code, told(found)) == (
        400,
        f"That does not come from {NAME}: begin again.",
    )
    found = await come_back(site, back(idp, await begin(site)) + f"&iss={idp.issuer}")
    assert "ask the organiser" in told(found)


# --- bounds, and what is not said


async def test_who_guesses_is_not_heard_for_a_while(site: Asked, ada: str) -> None:
    for _ in range(20):
        found = await come_back(site, "/sign-in/done?code=x&state=y")
        assert found.status_code == 400
    assert (await come_back(site, "/sign-in/done?code=x&state=y")).status_code == 429
    assert (await site.client.post("/sign-in", headers=ORIGIN)).status_code == 429
    site.client.cookies.set(COOKIE, ada)
    assert (await site.get("/mine")).status_code == 429


def test_who_is_on_the_way_is_remembered_for_minutes_and_not_without_end() -> None:
    def one(number: int) -> Begun:
        return Begun(state=str(number), nonce="", verifier="", redirect_uri="", onward="")

    pending = Pending()
    for number in range(MOST + 1):
        pending.put(one(number), "browser", 0.0)
    assert pending.take("0", "browser", 1.0) is None
    assert pending.take("1", "other", 1.0) is None
    assert pending.take("1", "browser", 1.0) == one(1)
    assert pending.take("1", "browser", 1.0) is None
    assert pending.take("2", "browser", LONGEST_S) is None


async def test_a_form_of_another_site_begins_nothing(site: Asked, ada: str) -> None:
    site.client.cookies.set(COOKIE, ada)
    for path in ("/sign-in", "/sign-in/mine", "/sign-in/bind", "/sign-in/undo"):
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "same-site"}, {}):
            found = await site.client.post(path, headers=headers)
            assert found.status_code == 403
            assert STATE_COOKIE not in found.cookies


async def test_the_pages_of_signing_in_are_not_for_programs_or_caches(
    site: Asked, idp: LocalProvider, ada: str
) -> None:
    paths = (await site.get("/openapi.json")).json()["paths"]
    assert not [path for path in paths if path.startswith("/sign-in")]
    for path in ("/sign-in", "/sign-in/mine"):
        site.client.cookies.set(COOKIE, ada)
        found = await site.client.post(path, headers=ORIGIN)
        assert found.headers["cache-control"] == "no-store"
        (cookie,) = found.headers.get_list("set-cookie")
        assert {"HttpOnly", "SameSite=lax", "Path=/sign-in"} <= set(cookie.split("; "))
        assert SECRET not in found.text


async def test_what_a_provider_calls_an_account_is_shown_as_text(
    site: Asked, idp: LocalProvider, ada: str
) -> None:
    idp.subject = "<script>alert(1)</script>"
    await bind(site, idp, ada)
    site.client.cookies.set(COOKIE, ada)
    page = (await site.get("/mine")).text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


async def test_a_site_without_a_provider_offers_none(store: Store, uploads: Uploads) -> None:
    async with opened(store, uploads=uploads) as site:
        assert "/sign-in" not in (await site.get("/join")).text
        assert (await site.client.post("/sign-in", headers=ORIGIN)).status_code == 404
