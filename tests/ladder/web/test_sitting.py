"""Several people at a table: they come by a link, and each sees what their own seat is shown."""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from trio.testing import MockClock, wait_all_tasks_blocked

from ladder.core.tokens import Scope
from ladder.store.store import Store
from ladder.web.content import Refused
from ladder.web.person import LONGEST_WITH_OTHERS_S, Person, advice, otherwise
from ladder.web.table import LONGEST_WAIT_S, Table
from ladder.web.table_process import Ended
from ladder.web.tables import Tables
from protocol.codec import encode
from protocol.messages import Act, Clock, Deal, View
from referee.cli import run
from support.ladders import made, usual_pools
from support.sandboxes import need
from support.sites import HOST, Asked, opened, order

ASKED = re.compile(r'name="asked" value="([0-9a-f]+)"')
ACTIONS = re.compile(r'name="action" value="([^"]+)"')
CARDS = re.compile(r'data-card="([A-Z2-9][HDCS])"')
LINK = re.compile(rf'value="{re.escape(HOST)}/sit#([A-Za-z0-9_-]+)"')
FORM = {"bot": "1", "pool": "1", "deals": "1", "invites": "1"}
HELLO = (
    b'{"type":"hello","protocol":[1],"game":"briscola-2","options":{},"decks":1,"rules":'
    b'{"id":"briscola-2","revision":2,"digest":""},"bot":0,"bots":2,"limits":{"line":1,"match":1,'
    b'"depth":1,"note":1},"time":{"start_ms":1,"move_ms":1,"bank_ms":0,"inc_ms":0,"soft_ms":0,'
    b'"strikes":0},"seed":""}'
)
DEAL = encode(Deal(1, (0, 1), 0, 1, "briscola-2", {}, (0, 0))).rstrip(b"\n")
Headers = Mapping[str, str]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", usual_pools("sueca", "briscola-2")) as store:
        yield store


@pytest.fixture
async def site(store: Store) -> AsyncIterator[Asked]:
    async with opened(store, tables=Tables[Table](2, print)) as site:
        yield site


def author(store: Store, name: str) -> Headers:
    token = store.tokens.add(name, tuple(Scope), 1)[1]
    return {"authorization": f"Bearer {token}", "origin": HOST}


async def laid(site: Asked, host: Headers, **more: str) -> tuple[str, str]:
    """The address of a table that waits, and its invitation."""
    found = await site.client.post("/play", data={**FORM, **more}, headers=host)
    here = found.headers["location"]
    page = (await site.client.get(here, headers=host)).text
    (invitation,) = LINK.findall(page)
    return here, invitation


async def sat(site: Asked, invitation: str, name: str) -> Headers:
    """What the browser of a guest sends from then on."""
    form = {"invitation": invitation, "name": name}
    found = await site.client.post("/sit", data=form, headers={"origin": HOST})
    assert found.status_code == 303, found.text
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/;" in cookie, "who opens the link again is known"
    site.client.cookies.clear()
    return {"cookie": cookie.partition(";")[0], "origin": HOST}


async def plays(site: Asked, here: str, who: Headers) -> str:
    """The page of a person, who plays if they are asked."""
    page = (await site.client.get(here, headers=who)).text
    if asked := ASKED.search(page):
        form = {"asked": asked[1], "action": ACTIONS.findall(page)[0]}
        assert (await site.client.post(f"{here}/act", data=form, headers=who)).status_code == 303
    return page


def act(identity: str = "ab") -> Act:
    view = View("tricks", 0, 1, ["7D", "2H"], "D", "AD", 34, 0, [], [0, 0], [], [])
    return Act(identity, view, ("7D", "2H"), (), Clock(1, 1, 1))


@pytest.mark.slow
async def test_two_people_play_with_bots_and_neither_is_sent_the_others_cards(
    store: Store, site: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A guest without an account sits with an author; the record of it holds."""
    need("bwrap", root=True)
    ada = author(store, "ada")
    here, invitation = await laid(site, ada)
    bob = await sat(site, invitation, "bob")
    await site.client.post(f"{here}/begin", headers=ada)
    hands: dict[str, set[str]] = {"ada": set(), "bob": set()}
    page = ""
    with trio.fail_after(60):
        while 'class="open"' not in page:
            for name, who in (("ada", ada), ("bob", bob)):
                page = await plays(site, here, who)
                if ASKED.search(page):
                    hand = page[page.index('class="hand"') : page.index("</section>")]
                    hand = hand.partition('class="trick last"')[0]
                    hands[name] |= set(CARDS.findall(hand))
            await trio.sleep(0.01)
    assert len(hands["ada"]) == len(hands["bob"]) == 10
    assert not hands["ada"] & hands["bob"]
    assert re.search(r"The match is over: ada [+-]\d+, you [+-]\d+, first#1 [+-]\d+", page)
    record = tmp_path / "record"
    record.write_bytes((await site.client.get(f"{here}/record", headers=bob)).content)
    assert run(["replay", str(record), "--verify"]) == 0
    capsys.readouterr()
    film = (await site.client.get(f"{here}/film.json", headers=ada)).json()
    assert json.dumps(film["bots"]) == '["ada", "guest-bob", "first#1", "first#2"]'
    assert site.troubles == []


@pytest.mark.slow
async def test_who_leaves_is_followed_by_a_bot_and_the_others_play_on(
    store: Store, site: Asked
) -> None:
    need("bwrap", root=True)
    ada = author(store, "ada")
    here, invitation = await laid(site, ada, pool="2")
    bob = await sat(site, invitation, "bob")
    await site.client.post(f"{here}/begin", headers=ada)
    page = ""
    with trio.fail_after(60):
        while not ASKED.search(await plays(site, here, bob)):
            await plays(site, here, ada)
            await trio.sleep(0.01)
        await site.client.post(f"{here}/leave", headers=bob)
        assert "You have left the table." in (await site.client.get(here, headers=bob)).text
        while 'class="open"' not in page:
            page = await plays(site, here, ada)
            await trio.sleep(0.01)
    assert "The match is over: you " in page
    assert "guest-bob has left: a bot plays on for them" in page
    assert "The referee:" not in page, "no fault came of it"
    assert site.troubles == []


async def test_an_invitation_is_for_a_table_that_waits_and_its_guests_do_what_guests_may(
    store: Store, site: Asked
) -> None:
    ada = author(store, "ada")
    here, invitation = await laid(site, ada)
    bob = await sat(site, invitation, "bob")
    page = (await site.client.get(here, headers=bob)).text
    assert invitation not in page, "it is the host's to pass on"
    assert (await site.client.post(f"{here}/begin", headers=bob)).status_code == 400
    assert (await site.client.get(here)).status_code == 401
    other, _ = await laid(site, author(store, "eve"))
    assert (await site.client.get(other, headers=bob)).status_code == 401
    for name, why in (("bob", "There is a"), *((one, "no name") for one in ("", "a/b", "x" * 27))):
        form = {"invitation": invitation, "name": name}
        found = await site.client.post("/sit", data=form, headers={"origin": HOST})
        assert found.status_code == 400, name
        assert why in found.text
    again = {"invitation": invitation, "name": "bob2"}
    found = await site.client.post("/sit", data=again, headers=bob)
    assert found.headers["location"] == here
    assert "guest-bob2" not in (await site.client.get(here, headers=ada)).text, "one seat each"
    evil = {**bob, "origin": "https://evil.test"}
    for path in ("/seat", "/leave"):
        found = await site.client.post(here + path, data={"seat": "3"}, headers=evil)
        assert found.status_code == 403
    assert (await site.client.post("/sit", data=again, headers=evil)).status_code == 403
    await site.client.post(f"{here}/leave", headers=ada)
    assert "ada has left: the match is over." in (await site.client.get(here, headers=bob)).text
    late = await site.client.post("/sit", data=again, headers={"origin": HOST})
    assert late.status_code == 404
    assert site.troubles == []


async def test_blanks_in_the_name_of_a_guest_are_no_mistake(store: Store, site: Asked) -> None:
    ada = author(store, "ada")
    here, invitation = await laid(site, ada)
    await sat(site, invitation, " Zio  Beppe ")
    assert "guest-Zio-Beppe" in (await site.client.get(here, headers=ada)).text


async def test_an_invitation_says_who_invites_and_to_what(store: Store, site: Asked) -> None:
    _, invitation = await laid(site, author(store, "ada"), deals="4")
    form = {"invitation": invitation}
    said = await site.client.post("/sit/invited", data=form, headers={"origin": HOST})
    assert said.text == "ada invites you to sueca, 4 deals."
    seated = [await sat(site, invitation, name) for name in ("bob", "eve", "fay")]
    full = await site.client.post("/sit/invited", data=form, headers={"origin": HOST})
    assert full.status_code == 400
    assert "4 deals. All seats are taken just now" in full.text
    known = await site.client.post("/sit/invited", data=form, headers=seated[0])
    assert known.text == said.text, "who sits there finds back"
    evil = await site.client.post("/sit/invited", data=form, headers={"origin": "https://evil"})
    assert evil.status_code == 403


@pytest.mark.parametrize("path", ["/sit", "/sit/invited"])
async def test_invitations_cannot_be_tried_out(store: Store, site: Asked, path: str) -> None:
    await laid(site, author(store, "ada"))
    tried = [
        (await site.client.post(path, data={"invitation": text}, headers={"origin": HOST}))
        for text in ["", "é", "\udcff".encode("utf-8", "surrogatepass").decode("latin-1")] * 8
    ]
    found = {answer.status_code for answer in tried}
    assert found == {404, 429}
    assert site.troubles == []


async def test_an_author_who_is_invited_sits_there_by_their_name(store: Store, site: Asked) -> None:
    """And at one table only."""
    ada, bob = author(store, "ada"), author(store, "bob")
    here, invitation = await laid(site, ada)
    form = {"invitation": invitation, "name": "king"}
    assert "Sit down as bob" in (await site.client.get("/sit", headers=bob)).text
    assert "Your name at the table" in (await site.client.get("/sit")).text
    for _ in range(2):
        found = await site.client.post("/sit", data=form, headers=bob)
        assert found.headers["location"] == here
        assert "set-cookie" not in found.headers
    page = (await site.client.get(here, headers=ada)).text
    assert "<li>bob" in page
    assert "king" not in page
    still = await site.client.post("/play", data=FORM, headers=bob)
    assert still.headers["location"] == here
    await site.client.post(f"{here}/leave", headers=bob)
    other, second = await laid(site, bob)
    found = await site.client.post("/sit", data={"invitation": second, "name": ""}, headers=ada)
    assert found.headers["location"] == here
    assert other != here


async def test_people_choose_their_seats_until_it_begins() -> None:
    table = Table("ada", replace(order(), seats=4, partners=((0, 2), (1, 3))), invites=True)
    ada = table.people[0]
    bob, eve = table.sit("bob", ""), table.sit("eve", "")
    assert table.people == {0: ada, 1: bob, 2: eve}
    table.move(bob, 3)
    table.move(ada, 1)
    assert table.people == {1: ada, 2: eve, 3: bob}
    for seat in (1, 4, -1):
        with pytest.raises(Refused, match="not free"):
            table.move(eve, seat)
    with pytest.raises(Refused, match="There is a bob"):
        table.sit("bob", "")
    eve.leave()
    assert table.sit("max", "") is table.people[0]
    assert table.names(bob) == ["max", "ada", "first", "you"]
    table.begin()
    with pytest.raises(Refused):
        table.move(bob, 2)
    with pytest.raises(Refused, match="has begun"):
        table.sit("sue", "")


async def test_a_full_table_takes_no_one_more() -> None:
    table = Table("ada", order(), invites=True)
    table.sit("bob", "")
    with pytest.raises(Refused, match="all seats are taken"):
        table.sit("eve", "")


async def test_a_table_does_not_wait_for_ever(autojump_clock: MockClock) -> None:
    table = Table("ada", order(), invites=True)
    assert await table.play() == ""
    assert trio.current_time() == pytest.approx(LONGEST_WAIT_S)
    assert table.result(table.people[0]) == "The table has waited for too long."
    assert not table.waits


async def test_others_do_not_wait_long_for_who_has_gone_away(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot goes on in their place, at once from then on."""
    table = Table("ada", order(), invites=True)
    bob = table.sit("bob", "")
    table.begin()
    monkeypatch.setattr("ladder.web.person.advice", lambda lines, act: act.legal[1])
    begun = trio.current_time()
    for _ in range(2):
        assert await bob._answer(act(), b"") == "2H"
    assert trio.current_time() - begun == pytest.approx(LONGEST_WITH_OTHERS_S)
    result = "You were away for too long. A bot plays on for you; this page says later how it ends."
    assert table.result(bob) == result
    assert [one.parts for one in table.gone(table.people[0])] == [{"who": "bob"}]
    assert not table.is_over


async def test_who_has_left_sees_how_the_match_ended_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ended(_: object, seats: object, hear: Callable[[Ended], None], keep: object) -> str:
        hear(Ended((3, -3)))
        return ""

    monkeypatch.setattr("ladder.web.table.play_beside", ended)
    table = Table("ada", order(), invites=True)
    bob = table.sit("bob", "")
    table.begin()
    bob.leave()
    await table.play()
    assert table.result(bob) == "You have left the table. The match is over: ada +3, you -3."


async def test_who_has_played_sees_at_once_that_another_person_is_asked() -> None:
    """And does not wait for their card."""
    table = Table("ada", order(), invites=True)
    ada, bob = table.people[0], table.sit("bob", "")
    table.begin()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.bots_have_played, ada)
        await wait_all_tasks_blocked()
        ada.tell()
        await wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 1
        bob.seen.asked = act()
        bob.tell()
        await wait_all_tasks_blocked()
        assert not nursery.child_tasks


async def test_the_host_who_leaves_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is their table, and they have one at a time; of a guest it goes on without."""

    async def for_ever(*_: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr("ladder.web.table.play_beside", for_ever)
    table = Table("ada", order(), invites=True)
    ada, bob = table.people[0], table.sit("bob", "")
    table.begin()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.play)
        await wait_all_tasks_blocked()
        is_over = []
        for one in (bob, ada):
            one.leave()
            is_over.append(table.is_over)
        assert is_over == [False, True]
    assert table.result(bob) == "You have left the table."


async def test_for_who_is_sent_away_before_it_begins_no_bot_plays_on() -> None:
    table = Table("ada", order(), invites=True)
    bob = table.sit("bob", "")
    table.send_away(1)
    assert table.result(bob) == "ada has sent you away."


async def test_the_host_sends_a_guest_away_who_cannot_come_back(store: Store, site: Asked) -> None:
    ada = author(store, "ada")
    here, invitation = await laid(site, ada)
    bob = await sat(site, invitation, "bob")
    for who, seat, status in ((bob, "1", 400), (ada, "1", 400), (ada, "3", 400), (ada, "2", 303)):
        form = {"seat": seat}
        found = await site.client.post(f"{here}/send-away", data=form, headers=who)
        assert found.status_code == status
    assert (await site.client.get(here, headers=bob)).status_code == 401
    form = {"invitation": invitation, "name": "bob"}
    again = await site.client.post("/sit", data=form, headers={"origin": HOST})
    assert again.status_code == 404
    page = (await site.client.get(here, headers=ada)).text
    assert "guest-bob" not in page
    assert LINK.findall(page) != [invitation]


async def test_one_browser_has_one_seat_as_author_before_as_guest(
    store: Store, site: Asked
) -> None:
    ada, bob = author(store, "ada"), author(store, "bob")
    here, invitation = await laid(site, ada)
    seat = await sat(site, invitation, "x")
    both = {**ada, **seat}
    assert "/sit#" in (await site.client.get(here, headers=both)).text, "she is the host"
    form = {"invitation": invitation, "name": ""}
    found = await site.client.post("/sit", data=form, headers={**bob, **seat})
    assert found.headers["location"] == here
    page = (await site.client.get(here, headers=ada)).text
    assert "<li>bob" in page
    assert "guest-x" not in page


async def test_one_who_has_left_sits_nowhere_else() -> None:
    """However long the form takes that was to move them."""
    table = Table("ada", replace(order(), seats=4), invites=True)
    bob = table.sit("bob", "")
    bob.leave()
    with pytest.raises(Refused, match="not free"):
        table.move(bob, 3)
    assert table.names() == ["ada", "first#1", "first#2", "first#3"]


def test_a_bot_of_ours_plays_what_is_legal_in_the_place_of_who_left() -> None:
    line = encode(act()).rstrip(b"\n")
    assert advice((HELLO, DEAL, line), act()) in ("7D", "2H")


def test_a_person_hears_where_a_bot_of_ours_would_have_played_otherwise() -> None:
    line = encode(act()).rstrip(b"\n")
    own = advice((HELLO, DEAL, line), act())
    (other,) = {"7D", "2H"} - {own}
    faces = {"7D": "7♦", "2H": "2♥"}
    chosen = [(line, act(), own), (line, act(), other), (line, act(), own)]
    assert otherwise((HELLO, DEAL), chosen) == f"2: {faces[other]} / {faces[own]}"
    assert otherwise((HELLO, DEAL), chosen[:1]) == ""


async def test_a_match_goes_on_where_no_process_can_say_what_else_was_to_play(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("ladder.web.person.otherwise", none_left)
    ada = Person("ada", "ada", lambda _: ["you"], lambda _: None)
    ada._chosen_so_far = [(b"", act(), "7D")]
    await ada._compare()
    assert ada.seen.words == []


async def test_a_page_that_shows_how_a_match_ended_is_not_sent_it_again(
    store: Store, site: Asked
) -> None:
    """The browser asks no more then; one that has an earlier page is told first."""
    ada = author(store, "ada")
    here, _ = await laid(site, ada)
    await site.client.post(f"{here}/leave", headers=ada)
    first = (await site.client.get(f"{here}/live?has=0", headers=ada)).text
    assert "You have left the table." in first
    assert first.endswith("event: over\ndata: \n\n")
    has = re.findall(r"^id: (\w+)$", first, re.MULTILINE)[-1]
    again = await site.client.get(f"{here}/live?has=0", headers={**ada, "last-event-id": has})
    assert again.text == ": still here\n\nevent: over\ndata: \n\n"


def test_a_person_of_a_table_is_found_by_what_is_theirs() -> None:
    """No author is taken for a guest, and no guest for another."""
    table = Table("ada", order(), invites=True)
    bob: Person = table.sit("bob", "")
    assert table.person_of("ada") is table.people[0]
    assert table.person_of(secret=bob.secret) is bob
    assert table.person_of(secret=table.people[0].secret) is None
    for secret in ("", "x", "é", "\ud800"):
        assert table.person_of(secret=secret) is None
    assert table.person_of("bob") is None
