"""What a request brings is read in one code only, in time, and holds nothing back from others."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
import trio
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message
from trio.testing import MockClock

from ladder.core.tokens import Scope
from ladder.store.store import Store
from ladder.web.answers import COOKIE
from ladder.web.connections import PATIENCE_S, SLOWEST
from ladder.web.content import EnoughForNow, Told, TooSlow
from ladder.web.forms import LARGEST_FORM, bytes_of, sent_form
from ladder.web.guard import guarded
from ladder.web.rate_limit import Rate
from ladder.web.seldom import SAID_EVERY_S
from ladder.web.upload_places import MOST_WAITING, Places
from ladder.web.uploads import Uploads
from referee.bots.settings import SiteLimits
from support.ladders import made
from support.sites import HOST, Asked

BOT: Final = b"#!/bin/sh\nexec true\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first",)) as found:
        yield found


def bearer(store: Store, author: str = "ada") -> dict[str, str]:
    return {"authorization": f"Bearer {store.tokens.add(author, tuple(Scope), 1)[1]}"}


@pytest.mark.parametrize("charset", ["punycode", "undefined", "utf-7", "idna", '"unicode_escape"'])
@pytest.mark.parametrize("path", ["/mine/uploads", "/mine/retire", "/join"])
async def test_a_form_in_another_code_is_not_read(
    site: Asked, store: Store, charset: str, path: str
) -> None:
    """A third of a megabyte of punycode stopped the site for five seconds."""
    site.client.cookies.set(COOKIE, bearer(store)["authorization"].partition(" ")[2])
    kind = f"multipart/form-data; boundary=x; charset={charset}"
    headers = {"content-type": kind, "origin": HOST}
    value = b"a" * 1000 + b"-" + b"a" * 1000
    form = b'--x\r\ncontent-disposition: form-data; name="name"\r\n\r\n' + value + b"\r\n--x--\r\n"
    found = await site.client.post(path, content=form, headers=headers)
    assert found.status_code == 400
    assert "UTF-8" in found.text
    assert site.troubles == []


def request(*messages: Message, length: int | None = 3000) -> Request:
    """A form whose bytes come as messages, and then no more do; `length` is what it says."""
    left = list(messages)

    async def receive() -> Message:
        if not left:
            await trio.sleep_forever()
        return left.pop(0)

    headers = [(b"content-type", b"application/x-www-form-urlencoded")]
    headers += [] if length is None else [(b"content-length", b"%d" % length)]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
    return Request({**scope, "client": ("192.0.2.1", 1)}, receive)


PART: Final[Message] = {"type": "http.request", "body": b"a=", "more_body": True}


async def test_the_text_beside_a_file_is_short() -> None:
    asked = request({"type": "http.request", "body": b"name=" + b"a" * 2000, "more_body": False})
    with pytest.raises(MultiPartException):
        async with sent_form(asked, file=1 << 20):
            raise AssertionError("it is too long")


@pytest.mark.parametrize("size", [100, LARGEST_FORM])
async def test_a_body_that_does_not_come_is_waited_for_as_long_as_its_size_says(
    autojump_clock: MockClock, size: int
) -> None:
    patience = pytest.approx(PATIENCE_S + size / SLOWEST)
    with pytest.raises(TooSlow):
        async with sent_form(request(PART, length=size)):
            raise AssertionError("it is not whole")
    assert trio.current_time() == patience
    begun, length = trio.current_time(), size if size < LARGEST_FORM else None
    with pytest.raises(TooSlow):
        assert [part async for part in bytes_of(request(PART, length=length), LARGEST_FORM)] == []
    assert trio.current_time() - begun == patience


@pytest.mark.parametrize(
    ("length", "why"), [(None, "how long"), (9000, "8,192 bytes"), (40 << 20, "8,192 bytes")]
)
async def test_a_form_says_how_long_it_is(length: int | None, why: str) -> None:
    """A file without an end would fill the disk."""
    with pytest.raises(Told, match=why):
        async with sent_form(request(PART, length=length)):
            raise AssertionError("it is too long")
    with pytest.raises(Told, match="how long" if length is None else "3 MiB"):
        async with sent_form(request(PART, length=length and 40 << 20), file=3 << 20):
            raise AssertionError("it is too long")


async def test_who_goes_in_the_midst_of_a_form_is_no_trouble_of_the_organiser(site: Asked) -> None:
    async def endpoint(asked: Request) -> Response:
        async with sent_form(asked):
            return Response()

    answered = guarded(site.site, "test", endpoint)
    found = await answered(request(PART, {"type": "http.disconnect"}))
    assert found.status_code == 400
    assert site.troubles == []


async def test_of_the_same_trouble_the_organiser_hears_once_a_minute(
    site: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endpoint(_: Request) -> Response:
        raise ValueError("a mistake")

    answered = guarded(site.site, "test", endpoint)
    for _ in range(30):
        assert (await answered(request())).status_code == 500
    assert len(site.troubles) == 1
    now = trio.current_time()
    monkeypatch.setattr("ladder.web.seldom.trio.current_time", lambda: now + 2 * SAID_EVERY_S)
    await answered(request())
    assert "(29 more since the last)" in site.troubles[1]


# --- how many


@pytest.mark.parametrize(
    ("limits", "taken"),
    [(SiteLimits(upload=1), SiteLimits().waiting), (SiteLimits(uploads=2, waiting=100), 2)],
)
async def test_who_asks_for_all_at_once_gets_no_more_than_one_after_the_other(
    site: Asked, store: Store, uploads: Uploads, limits: SiteLimits, taken: int
) -> None:
    uploads.limits, statuses, headers = limits, list[int](), bearer(store)

    async def hand_in() -> None:
        found = await site.client.post("/api/uploads", content=BOT, headers=headers)
        statuses.append(found.status_code)

    async with trio.open_nursery() as nursery:
        for _ in range(12):
            nursery.start_soon(hand_in)
    assert statuses.count(202) == taken
    assert statuses.count(429) == 12 - taken
    assert len(uploads.open_authors()) == taken
    assert not uploads.places.locks._locks


def test_a_bot_that_comes_slowly_has_its_place_meanwhile() -> None:
    places, limits = Places(), SiteLimits()
    with ExitStack() as coming:
        for _ in range(limits.waiting):
            coming.enter_context(places.kept(limits, "ada", 0, 0, []))
        with pytest.raises(EnoughForNow), places.kept(limits, "ada", 0, 0, []):
            raise AssertionError
        with places.kept(limits, "bob", 0, 0, []):
            pass
        waiting = ["eve"] * (MOST_WAITING - limits.waiting)
        with pytest.raises(EnoughForNow), places.kept(limits, "bob", 0, 0, waiting):
            raise AssertionError
    with places.kept(limits, "ada", 0, 0, []):
        pass


# --- who


async def test_a_token_that_was_revoked_shuts_out_no_one(site: Asked, store: Store) -> None:
    """The browser forgets it where it is of use no more."""
    stale = bearer(store)["authorization"].partition(" ")[2]
    store.tokens.revoke("ada")
    good = bearer(store, "bob")
    for _ in range(40):
        site.client.cookies.set(COOKIE, stale)
        assert (await site.get("/join")).status_code == 200
    found = await site.get("/mine", accept="text/html")
    assert found.status_code == 401
    assert f'{COOKIE}=""' in found.headers["set-cookie"]
    assert (await site.client.get("/api/me", headers=good)).status_code == 200


async def test_a_link_to_sign_in_puts_no_other_author_in_ones_place(
    site: Asked, store: Store
) -> None:
    ada, eve = (bearer(store, name)["authorization"].partition(" ")[2] for name in ("ada", "eve"))
    site.client.cookies.set(COOKIE, ada)
    for token, status in ((eve, 400), (ada, 303)):
        found = await site.client.post("/join", data={"token": token}, headers={"origin": HOST})
        assert found.status_code == status
    site.client.cookies.delete(COOKIE)
    found = await site.client.post("/join", data={"token": eve}, headers={"origin": HOST})
    assert found.status_code == 303


async def test_no_page_is_made_for_a_host_that_cannot_be(site: Asked) -> None:
    found = await site.get("/feed.atom", host="a" * 300)
    assert found.status_code == 400
    assert (await site.get("/feed.atom", host="a" * 200)).status_code == 200


async def test_pages_that_there_are_not_count_for_their_visitor(site: Asked) -> None:
    site.site.asking.rate = Rate(burst=5, a_second=0.001)
    assert [(await site.get("/none")).status_code for _ in range(6)] == [404] * 5 + [429]
