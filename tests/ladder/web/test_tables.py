"""People play against bots of the ladder in their browser."""

import errno
import json
import math
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx2
import pytest
import trio
from msgspec.structs import replace
from trio.testing import MockClock, wait_all_tasks_blocked

from ladder.core.tokens import Scope
from ladder.store.database import DatabaseGone
from ladder.store.store import Store
from ladder.web.content import EnoughForNow, Refused
from ladder.web.person import LONGEST_THOUGHT_S, Person, Said
from ladder.web.table import Score, Table
from ladder.web.table_match import sit
from ladder.web.table_process import Compared, plan_of
from ladder.web.tables import KEPT_OF_ONE, Tables
from protocol.codec import encode
from protocol.messages import Act, Clock, Deal, View
from referee.cli import run
from referee.errors import HostError
from referee.people.par import Par
from referee.sandbox.procfs import children
from support.ladders import made, usual_pools
from support.sandboxes import need
from support.sites import Asked, opened, order, started

ASKED = re.compile(r'name="asked" value="([0-9a-f]+)"')
ACTIONS = re.compile(r'name="action" value="([^"]+)"')
HIDDEN = re.compile(r'type="hidden" name="(bot|pool|deals|invites)" value="([0-9]+)"')
FORM = {"bot": "1", "pool": "1", "deals": "1"}
HELLO = (
    b'{"type":"hello","protocol":[1],"game":"briscola-2","options":{},"decks":1,"rules":'
    b'{"id":"briscola-2","revision":2,"digest":""},"bot":0,"bots":2,"limits":{"line":1,"match":1,'
    b'"depth":1,"note":1},"time":{"start_ms":1,"move_ms":1,"bank_ms":0,"inc_ms":0,"soft_ms":0,'
    b'"strikes":0},"seed":""}\n'
)
DEAL = encode(Deal(1, (0, 1), 0, 1, "briscola-2", {}, (0, 0)))
PROGRAM = "ladder.web.table_process"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", usual_pools("briscola-2", "sueca")) as store:
        yield store


@pytest.fixture
def tables() -> Tables[Table]:
    return Tables[Table](1, print)


@pytest.fixture
async def site(store: Store, tables: Tables[Table]) -> AsyncIterator[Asked]:
    async with opened(store, tables=tables) as site:
        yield site


def token_of(store: Store, author: str, *scopes: Scope) -> dict[str, str]:
    token = store.tokens.add(author, scopes or tuple(Scope), 1)[1]
    return {"authorization": f"Bearer {token}"}


SCORED = Said("left", {"who": "a score"})


def question(identity: str = "ab") -> Act:
    view = View("tricks", 0, 1, ["7D", "2H"], "D", "AD", 34, 0, [], [0, 0], [], [])
    return Act(identity, view, ("7D", "2H"), (), Clock(1, 1, 1))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thought about a deal takes as long as it does, however many play on this machine."""
    for longest in ("person._LONGEST_ADVICE_S", "table_match._LONGEST_HEARING_S"):
        monkeypatch.setattr(f"ladder.web.{longest}", math.inf)


@pytest.mark.slow
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("pool", ["1", "2"])
async def test_a_person_plays_a_match_to_its_end(
    store: Store, site: Asked, pool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Card by card; then there is par, a record that holds, and a film of it."""
    need("bwrap", root=True)
    headers = token_of(store, "ada")
    found = await site.client.post("/play", data={**FORM, "pool": pool}, headers=headers)
    assert found.status_code == 303
    here = found.headers["location"]
    page = (await site.client.get(here, headers={**headers, "accept-language": "it-IT"})).text
    assert '<main id="main" lang="it"' in page
    assert "<h1>Tu e " in page
    page = ""
    with trio.fail_after(50):
        while 'class="open"' not in page:
            page = (await site.client.get(here, headers=headers)).text
            if (asked := ASKED.search(page)) is None:
                await trio.sleep(0.02)
                continue
            form = {"asked": asked[1], "action": ACTIONS.findall(page)[0]}
            done = await site.client.post(f"{here}/act", data=form, headers=headers)
            assert done.status_code == 303
    assert "The match is over: you " in page
    assert "Par, what greedy gets with your cards" in page
    assert "greedy would have played " in page
    assert re.search(r"[+-][\d.]+ a deal above par over 1 \(95 %", page)
    (played,) = (await site.client.get("/api/play", headers=headers)).json()["games"]
    assert (played["pool"], played["deals"]) == (int(pool), 1)
    assert played["low"] < played["above_par"] < played["high"]
    assert played["game"] in (await site.client.get("/play", headers=headers)).text
    again = dict(HIDDEN.findall(page))
    assert again == {**FORM, "pool": pool, "deals": "1"}
    found = await site.client.post("/play", data=again, headers=headers)
    assert found.headers["location"] not in (here, "/play")
    await site.client.post(f"{found.headers['location']}/leave", headers=headers)

    record = tmp_path / "record"
    record.write_bytes((await site.client.get(f"{here}/record", headers=headers)).content)
    assert run(["replay", str(record), "--verify"]) == 0
    capsys.readouterr()
    film = (await site.client.get(f"{here}/film.json", headers=headers)).json()
    assert json.dumps(film).count('"you"') == 1
    assert site.troubles == []
    assert not store.matches_of([1, 2], 5), "no result of the ladder comes of it"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("person", "of", "deals"), [("ada", "1", 1), ("ada", "10", 0), ("author-of-first", "1", 0)]
)
async def test_a_deal_that_is_left_is_played_to_its_end_and_counts(
    store: Store,
    tables: Tables[Table],
    site: Asked,
    *,
    person: str,
    of: str,
    deals: int,
) -> None:
    """So to leave what goes badly gains nothing; of several deals, or against one's own bot, none
    counts."""
    need("bwrap", root=True)
    headers = token_of(store, person)
    form = {**FORM, "deals": of}
    here = (await site.client.post("/play", data=form, headers=headers)).headers["location"]
    page = (await site.client.get(here, headers=headers)).text
    asked = ASKED.search(page)
    assert asked is not None
    card = {"asked": asked[1], "action": ACTIONS.findall(page)[0]}
    await site.client.post(f"{here}/act", data=card, headers=headers)
    await site.client.post(f"{here}/leave", headers=headers)
    table = tables.find(here.rpartition("/")[2])
    with trio.fail_after(50):
        while math.isinf(table.ended_at):
            await table.people[0].changed.wait()
    assert sum(store.people.of(person).get(1, {}).values()) == deals
    assert ("a deal above par over 1" in (await site.client.get(here, headers=headers)).text) == (
        deals > 0
    )
    assert site.troubles == []


@pytest.mark.slow
async def test_a_table_is_for_who_sits_there(
    store: Store, tables: Tables[Table], site: Asked
) -> None:
    """Who has no token, or one for something else, does not play; others see nothing of it."""
    need("bwrap", root=True)
    assert (await site.client.post("/play", data=FORM)).status_code == 401
    reader = token_of(store, "eve", Scope.SUBMIT)
    assert (await site.client.post("/play", data=FORM, headers=reader)).status_code == 403
    ada, bob = token_of(store, "ada"), token_of(store, "bob")
    here = (await site.client.post("/play", data=FORM, headers=ada)).headers["location"]
    for path in ("", "/live", "/record", "/film.json"):
        assert (await site.client.get(here + path, headers=bob)).status_code == 404
    for path in ("/act", "/leave"):
        assert (await site.client.post(here + path, headers=bob)).status_code == 404
    again = await site.client.post("/play", data={**FORM, "pool": "2"}, headers=ada)
    assert again.headers["location"] == here, "one table each"
    told = "You still sit at this table"
    assert told in (await site.client.get(here, headers=ada)).text
    table = tables.find(here.rpartition("/")[2])
    person = table.people[0]
    with trio.fail_after(50):
        await table.bots_have_played(person)
    assert person.seen.asked is not None
    person.choose(person.seen.asked.id, person.seen.asked.legal[0])
    assert told not in (await site.client.get(here, headers=ada)).text, "until they play"
    full = await site.client.post("/play", data=FORM, headers=bob)
    assert full.status_code == 429
    assert "tables are taken" in full.text
    await site.client.post(f"{here}/leave", headers=ada)
    with trio.fail_after(50):
        while math.isinf(table.ended_at):  # its process takes the place until then
            await table.people[0].changed.wait()
    assert (await site.client.post("/play", data=FORM, headers=bob)).status_code == 303
    assert "You have left the table." in (await site.client.get(here, headers=ada)).text


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 400),
        ({"bot": "x"}, 400),
        ({"bot": "9"}, 404),
        ({"pool": "9"}, 404),
        ({"deals": "11"}, 400),
        ({"deals": "0"}, 400),
        ({"bot": "1" * 20}, 400),
    ],
)
async def test_what_there_is_not_is_not_played(
    store: Store, site: Asked, form: dict[str, str], status: int
) -> None:
    wish = {**FORM, **form} if form else {}
    found = await site.client.post("/play", data=wish, headers=token_of(store, "ada"))
    assert found.status_code == status
    assert site.troubles == []


async def test_a_page_of_another_site_plays_for_no_one(store: Store, site: Asked) -> None:
    token = token_of(store, "ada")["authorization"].removeprefix("Bearer ")
    site.client.cookies.set("referee_token", token)
    found = await site.client.post("/play", data=FORM, headers={"origin": "https://evil.test"})
    assert found.status_code == 403


async def test_only_what_is_asked_and_legal_is_played() -> None:
    """An answer counts once, whichever window it comes from."""
    person = Table("ada", order()).people[0]
    played: list[str] = []

    async def sit() -> None:
        played.append(await person._answer(question(), b""))

    with pytest.raises(Refused, match="asked before"):
        person.choose("ab", "7D")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(sit)
        await wait_all_tasks_blocked()
        for asked, action in (("cd", "7D"), ("ab", "AS"), ("ab", "")):
            with pytest.raises(Refused):
                person.choose(asked, action)
        person.choose("ab", "7D")
        with pytest.raises(Refused, match="asked before"):
            person.choose("ab", "2H")
    assert played == ["7D"]


async def test_who_has_gone_away_leaves_the_table(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For others, after a quarter of an hour without a card."""
    table = Table("ada", order())

    async def away(*_: object) -> str:
        await table.people[0]._answer(question(), b"")
        return ""

    monkeypatch.setattr("ladder.web.table.play_beside", away)
    begun = trio.current_time()
    await table.play()
    assert trio.current_time() - begun == LONGEST_THOUGHT_S
    assert table.result(table.people[0]) == "You were away for too long."


@pytest.mark.slow
async def test_a_match_that_cannot_be_played_is_for_the_organiser_to_hear() -> None:
    """The person hears that it was the machine; the table is free again."""
    troubles: list[str] = []
    tables = Tables[Table](1, troubles.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tables.run)
        await wait_all_tasks_blocked()
        table = tables.open(Table("ada", replace(order(), bot="/no/such/bot")))
        with pytest.raises(EnoughForNow):
            tables.open(Table("bob", order()))
        while not table.is_over:
            await table.people[0].changed.wait()
        assert table.result(table.people[0]) == "The machine could not play this match."
        while not troubles:
            await trio.lowlevel.checkpoint()
        assert tables.of("ada") is None
        nursery.cancel_scope.cancel()
    assert "the table of ada: bot '/no/such/bot': there is no such file" in troubles[0]


def asked_of(person: Person) -> str:
    """The id of the question that a person is asked; "" for none."""
    return "" if person.seen.asked is None else person.seen.asked.id


async def test_a_process_that_was_ended_is_followed_by_another_while_the_person_thinks(
    tmp_path: Path,
) -> None:
    """As in a void deal: what the first one asked is asked no more, and the second has answers."""
    person = Table("ada", order()).people[0]
    with trio.socket.socket(trio.socket.AF_UNIX) as listener:
        await listener.bind(str(tmp_path / "seat"))
        listener.listen(1)
        async with AsyncExitStack() as seats, trio.open_nursery() as nursery:
            nursery.start_soon(sit, listener, person.serve, nursery)
            for number in ("ab", "cd"):
                seat = await seats.enter_async_context(
                    await trio.open_unix_socket(str(tmp_path / "seat"))
                )
                await seat.send_all(HELLO)
                assert b'"ready"' in await seat.receive_some()
                assert asked_of(person) == "", "what the one before has asked is over"
                await seat.send_all(DEAL + encode(question(number)))
                while asked_of(person) != number:
                    await person.changed.wait()
            with pytest.raises(Refused, match="asked before"):
                person.choose("ab", "7D")
            person.choose("cd", "2H")
            answer = json.loads(await seat.receive_some())
            nursery.cancel_scope.cancel()
    assert answer == {"id": "cd", "action": "2H"}


async def test_a_mistake_of_ours_costs_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wrong(*_: object) -> str:
        raise ValueError("a mistake")

    monkeypatch.setattr("ladder.web.table.play_beside", wrong)
    troubles: list[str] = []
    tables = Tables[Table](1, troubles.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tables.run)
        await wait_all_tasks_blocked()
        for _ in range(2):
            table = tables.open(Table("ada", order()))
            await wait_all_tasks_blocked()
            assert table.result(table.people[0]) == "The match was broken off."
        nursery.cancel_scope.cancel()
    assert [one.count("ValueError: a mistake") for one in troubles] == [1, 1]


async def test_what_is_kept_of_a_person_has_a_bound(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three tables that are over, and so many begun: of one who sits down and leaves all day."""

    async def nothing(*_: object) -> str:
        return ""

    monkeypatch.setattr("ladder.web.table.play_beside", nothing)
    tables = Tables[Table](100, print)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tables.run)
        for _ in range(10):
            await wait_all_tasks_blocked()
            tables.open(Table("ada", order()))
        await wait_all_tasks_blocked()
        assert len(tables._all) == 1 + KEPT_OF_ONE
        with pytest.raises(EnoughForNow, match="too often"):
            tables.open(Table("ada", order()))
        await trio.sleep(60)
        tables.open(Table("ada", order()))
        nursery.cancel_scope.cancel()


def test_a_person_has_no_clock_and_sits_first() -> None:
    plan = plan_of(order())
    assert plan.clocks[0].move_ms == 24 * 60 * 60 * 1000
    assert len(plan.seatings) == 1


@pytest.mark.slow
def test_a_site_that_is_stopped_leaves_no_match_behind(tmp_path: Path) -> None:
    need("bwrap", root=True)
    with made(tmp_path / "ladder") as store:
        headers = token_of(store, "ada")
        site = started(tmp_path / "ladder", "--no-run", "--sandbox", "bwrap")
        try:
            found = httpx2.post(f"{site.url}/play", data=FORM, headers=headers, timeout=60)
            assert found.status_code == 303
            matches = [one for one in children(site.process.pid) if PROGRAM in command_of(one)]
            assert len(matches) == 1
            site.process.terminate()
            assert site.process.wait(30) == 0
        finally:
            site.process.kill()
            site.process.wait()
    assert not any(map(command_of, matches))


def command_of(pid: int) -> str:
    """The command line of a process; "" if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


async def test_a_machine_without_files_left_is_told_of_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none_left(*_: object) -> trio.socket.SocketType:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("ladder.web.table_match.trio.socket.socket", none_left)
    with pytest.raises(HostError, match="a table: Too many open files"):
        await Table("ada", order()).play()


def scoring(told: list[int | None]) -> Score:
    async def score(above: int | None) -> Said:
        told.append(above)
        return SCORED

    return score


@pytest.mark.parametrize(
    ("happens", "counts"),
    [
        ("compared", [-5]),
        ("compared, left", [-5]),
        ("left, too slow", [None]),
        ("left, no par", []),
        ("dealt again, compared", []),
        ("not left", []),
    ],
)
async def test_what_counts_of_a_deal_is_not_for_the_person_to_choose(
    happens: str, counts: list[int], autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deal that is left counts, however slow the bots are; one dealt again after a mishap not."""
    told: list[int | None] = []
    table = Table("ada", order(), score=scoring(told))
    (ada,) = table.people.values()

    async def played(*_: object) -> str:
        ada.seen.deal, ada.lives = 1, 2 if "again" in happens else 1
        if "left" in happens and "not" not in happens:
            ada.leave()
        if "compared" in happens:
            table._hear(Compared(1, Par(10, 20, 5, 10)))
        if "no par" in happens:
            table._hear(Compared(1, None))
        if "slow" in happens:
            await trio.sleep_forever()
        return ""

    monkeypatch.setattr("ladder.web.table.play_beside", played)
    await table.play()
    assert told == counts
    assert table.is_over
    assert (SCORED in ada.seen.words) == bool(counts)


async def test_a_table_is_over_though_the_score_cannot_be_written_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    troubles: list[str] = []

    async def away(_: int | None) -> Said:
        raise DatabaseGone("the database does not answer")

    async def played(*_: object) -> str:
        table._hear(Compared(1, Par(10, 20, 5, 10)))
        table.people[0].lives = 1
        return ""

    monkeypatch.setattr("ladder.web.table.play_beside", played)
    tables = Tables[Table](1, troubles.append)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tables.run)
        await wait_all_tasks_blocked()
        table = tables.open(Table("ada", order(), score=away))
        await wait_all_tasks_blocked()
        assert tables.of("ada") is None
        tables.open(Table("bob", order()))
        nursery.cancel_scope.cancel()
    assert troubles == ["the table of ada: the database does not answer"]


async def test_as_many_processes_play_as_there_are_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """One who leaves has given no table free before its process has ended; and sits at one."""

    async def for_ever(*_: object) -> None:
        table.people[0].seen.deal = 1
        await trio.sleep_forever()

    monkeypatch.setattr("ladder.web.table.play_beside", for_ever)
    tables = Tables[Table](2, print)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tables.run)
        await wait_all_tasks_blocked()
        table = tables.open(Table("ada", order(), score=scoring([])))
        await wait_all_tasks_blocked()
        with pytest.raises(EnoughForNow, match="already"):
            tables.open(Table("ada", order()))
        table.people[0].leave()
        tables.open(Table("ada", order()))
        with pytest.raises(EnoughForNow, match="taken"):
            tables.open(Table("bob", order()))
        nursery.cancel_scope.cancel()
