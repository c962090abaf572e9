"""Authors on the site: who they are, what they may hand in, and what becomes of it."""

import errno
import json
import re
import stat
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import httpx2
import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from trio.testing import MockClock

from ladder.core.facts import Decision, Deed
from ladder.core.retiring import WITHDRAWN
from ladder.core.tokens import Scope, hash_of
from ladder.files.signing import now_ms
from ladder.show.submit_json import AcceptedJson
from ladder.show.upload_json import UploadState
from ladder.store.receipts import receipt_of
from ladder.store.store import Store
from ladder.web import trial
from ladder.web.answers import COOKIE
from ladder.web.trial import SLOW_S, Trials
from ladder.web.trial_process import TrialOrder
from ladder.web.upload_file import plain_name
from ladder.web.uploads import MOST_TRIES, Upload, Uploads
from referee.bots.settings import SiteLimits
from referee.cli import run
from referee.errors import USAGE, HostError, RefereeError
from support.ladders import count, job, made, play, submit
from support.sites import HOST, Asked, opened

Submit = Callable[[TrialOrder], Awaitable[int]]
BOT: Final = b"#!/bin/sh\nexec true\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first", "random")) as found:
        yield found


@pytest.fixture
def token(store: Store) -> str:
    return store.tokens.add("ada", tuple(Scope), 1)[1]


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


class Endless(httpx2.AsyncByteStream):
    """Bytes without an end; no generator, which would mind that nobody reads them all."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        await trio.lowlevel.checkpoint()
        return bytes(1 << 16)


async def whole() -> AsyncGenerator[bytes, None]:
    """The bytes of a bot, as they come."""
    yield BOT


async def hand_in(
    site: Asked, token: str, content: bytes = BOT, file: str = "greedy.sh"
) -> dict[str, object]:
    found = await site.client.post(
        "/api/uploads", params={"file": file}, content=content, headers=bearer(token)
    )
    assert found.status_code == 202, found.text
    upload = found.json()
    assert isinstance(upload, dict)
    return upload


# --- who they are


def test_a_ladder_keeps_no_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its text is in none of its files; the link that is printed has it behind a #."""
    where = str(tmp_path / "ladder")
    made(where).close()
    assert run(["ladder", "invite", "ada", "--ladder", where, "--url", "https://l.example/"]) == 0
    link = capsys.readouterr().out.strip()
    address, _, text = link.partition("#")
    assert address == "https://l.example/join"
    for path in Path(where).rglob("*"):
        if path.is_file():
            assert text.encode() not in path.read_bytes()
    assert hash_of(text).encode() in Path(where, "ladder.db").read_bytes()


def test_an_organiser_sees_who_has_a_token_and_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--ladder", str(tmp_path / "ladder")]
    with made(tmp_path / "ladder") as store:
        assert run(["ladder", "invite", "ada", "--scope", "submit", "--json", *where]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["scopes"] == ["submit"]
        token = store.tokens.by_text(told["token"])
        assert token is not None
        store.tokens.note_use(token.id, "submit", "192.0.2.1")
        assert run(["ladder", "tokens", *where]) == 0
        shown = capsys.readouterr().out
        assert "submit from 192.0.2.1" in shown
        assert told["token"] not in shown
        assert run(["ladder", "revoke", "ada", *where]) == 0
        assert f"1 token revoked: {token.id}" in capsys.readouterr().out
        assert store.tokens.by_text(told["token"]) is None
        assert run(["ladder", "tokens", "--json", *where]) == 0
        assert json.loads(capsys.readouterr().out)["tokens"][0]["state"] == "revoked"


def test_an_organiser_sees_by_which_accounts_authors_sign_in_and_ends_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the id of one, or with the invitation that it stands for."""
    where = ["--ladder", str(tmp_path / "ladder")]
    with made(tmp_path / "ladder") as store:
        invitation, _ = store.tokens.add("ada", tuple(Scope), 365)
        for subject in ("first", "second"):
            store.bindings.add(invitation.id, "https://accounts.example", subject)
        first, second = store.bindings.every()
        assert store.bindings.session("https://accounts.example", "first") is not None
        assert run(["ladder", "tokens", *where]) == 0
        shown = capsys.readouterr().out
        assert all(word in shown for word in (first.id, second.id, "accounts.example", "second"))
        assert run(["ladder", "tokens", "--json", *where]) == 0
        told = json.loads(capsys.readouterr().out)
        assert [one["subject"] for one in told["bindings"]] == ["first", "second"]
        assert [one["binding"] for one in told["tokens"]] == [None, first.id]
        assert run(["ladder", "revoke", first.id, *where]) == 0
        session = told["tokens"][1]["id"]
        assert capsys.readouterr().out.splitlines() == [
            f"1 token revoked: {session}",
            f"1 binding removed: {first.id}",
        ]
        assert run(["ladder", "revoke", invitation.id, "--json", *where]) == 0
        assert json.loads(capsys.readouterr().out) == {
            "revoked": [invitation.id],
            "bindings": [second.id],
        }
        assert store.bindings.every() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["invite", "no body"], "make a name"),
        (["invite", "guest-ada"], "are of guests"),
        (["invite", "ada", "--scope", "all"], "there are submit, logs, play"),
        (["invite", "ada", "--url", "ladder.example"], "begins with http"),
        (["revoke", "nobody"], "no token 'nobody'"),
    ],
)
def test_a_wrong_invitation_is_said_in_a_line(
    store: Store, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(["ladder", *words, "--ladder", str(store.files)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


async def test_a_form_that_is_too_large_is_no_mistake_of_the_site(site: Asked) -> None:
    form = {"content-type": "application/x-www-form-urlencoded", "origin": HOST}
    request = site.client.build_request("POST", "/join", headers=form)
    request.stream = Endless()
    found = await site.client.send(request)
    assert (found.status_code, site.troubles) == (400, [])


async def test_a_token_ends_when_its_time_is_over(
    store: Store, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.tokens.by_text(token) is not None
    later = 2 * 24 * 60 * 60 * 1000
    now = type(store._database).now_ms
    monkeypatch.setattr(
        type(store._database), "now_ms", lambda self, connection: now(self, connection) + later
    )
    assert store.tokens.by_text(token) is None


async def test_signing_in_sets_a_cookie_that_no_script_and_no_other_site_can_use(
    site: Asked, token: str
) -> None:
    found = await site.client.post("/join", data={"token": token}, headers={"origin": HOST})
    assert (found.status_code, found.headers["location"]) == (303, "/mine")
    cookie = found.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}={token};")
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert "ada" in (await site.get("/mine")).text
    gone = await site.client.post("/leave", headers={"origin": HOST})
    assert 'referee_token=""' in gone.headers["set-cookie"]
    site.client.cookies.clear()
    assert (await site.get("/mine")).status_code == 401


@pytest.mark.parametrize(
    "path",
    ["/join", "/leave", "/mine/uploads", "/mine/retire", "/api/uploads", "/api/retire?bot=first"],
)
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {},
    ],
)
async def test_what_a_page_of_another_site_sends_is_refused(
    site: Asked, token: str, path: str, headers: dict[str, str]
) -> None:
    """Though the browser adds the cookie."""
    site.client.cookies.set(COOKIE, token)
    found = await site.client.post(path, headers=headers, content=BOT)
    assert found.status_code == 403
    assert not list((site.site.library._store.files / "uploads").glob("*.json"))


async def test_who_guesses_tokens_is_soon_not_heard(site: Asked, token: str) -> None:
    """Not even with a right one, for a while; another visitor is."""
    wrong = token[:-4] + "AAAA"
    statuses = [
        (await site.client.get("/api/me", headers=bearer(wrong))).status_code for _ in range(30)
    ]
    assert statuses[0] == 401
    assert statuses[-1] == 429
    assert (await site.client.get("/api/me", headers=bearer(token))).status_code == 429


async def test_a_token_that_is_for_something_else_is_refused(site: Asked, store: Store) -> None:
    text = store.tokens.add("ada", (Scope.PLAY,), 1)[1]
    found = await site.client.post("/api/uploads", content=BOT, headers=bearer(text))
    assert found.status_code == 403
    assert "submit" in found.json()["problem"]


async def test_a_revoked_token_is_refused_at_once(site: Asked, store: Store, token: str) -> None:
    assert (await site.client.get("/api/me", headers=bearer(token))).status_code == 200
    store.tokens.revoke("ada")
    found = await site.client.get("/api/me", headers=bearer(token))
    assert found.status_code == 401
    assert "revoked" in found.json()["problem"]


async def test_no_token_is_ever_in_an_answer_or_in_what_the_organiser_is_told(
    site: Asked, token: str
) -> None:
    site.client.cookies.set(COOKIE, token)
    await hand_in(site, token)
    for path in ("/mine", "/api/me", "/", "/metrics"):
        found = await site.get(path)
        assert token not in found.text
    assert not any(token in line for line in site.troubles)


# --- what they hand in


async def test_an_upload_waits_on_the_disk_for_its_trial(
    site: Asked, uploads: Uploads, store: Store, token: str
) -> None:
    upload = await hand_in(site, token)
    assert (upload["state"], upload["position"], upload["bytes"]) == ("waiting", 1, len(BOT))
    again = await site.client.get(f"/api/uploads/{upload['id']}", headers=bearer(token))
    assert again.json() == upload
    kept = uploads.file_of(uploads.find("ada", str(upload["id"])))
    assert kept.read_bytes() == BOT
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    (use,) = [use for _, _, use in store.tokens.every() if use is not None]
    assert use.what == "submit"


async def test_an_author_sees_what_a_trial_does_and_since_when(
    site: Asked, uploads: Uploads, token: str
) -> None:
    """Until it is over: then nothing is left of that."""
    stages: list[Path] = []

    def refuse(order: TrialOrder) -> None:
        Path(order.out).touch()
        Path(order.err).write_text("referee: it is none")

    async def submit(order: TrialOrder) -> int:
        stages.append(Path(order.words[order.words.index("--stage") + 1]))
        stages[0].write_text("building: make <all>\n")
        state = await site.client.get(f"/api/uploads/{identity}", headers=bearer(token))
        assert state.json()["stage"] == "building: make <all>"
        assert abs(state.json()["begun_ms"] - now_ms()) < 60_000
        page = (await site.client.get("/mine", headers=bearer(token))).text
        assert re.search(r"is being tried since \d+ s: building: make &lt;all&gt;", page)
        await trio.to_thread.run_sync(refuse, order)
        return USAGE

    identity = (await hand_in(site, token))["id"]
    found = await trials(uploads, submit, [])._tried(await uploads.next())
    await uploads.change(found)
    assert found.why == "it is none"
    assert not stages[0].exists()
    state = await site.client.get(f"/api/uploads/{identity}", headers=bearer(token))
    assert state.json()["stage"] is None


async def test_a_form_hands_in_a_file_without_any_script(
    site: Asked, uploads: Uploads, token: str
) -> None:
    site.client.cookies.set(COOKIE, token)
    found = await site.client.post(
        "/mine/uploads",
        files={"file": ("my bot.sh", BOT)},
        data={"name": "mine"},
        headers={"origin": HOST},
    )
    assert (found.status_code, found.headers["location"]) == (303, "/mine")
    (upload,) = uploads.of("ada")
    assert (upload.file, upload.name, upload.bytes) == ("mybot.sh", "mine", len(BOT))
    assert "waits: number 1 of the queue" in (await site.get("/mine")).text


async def test_a_form_without_a_file_or_with_a_wrong_name_is_refused(
    site: Asked, uploads: Uploads, token: str
) -> None:
    site.client.cookies.set(COOKIE, token)
    send = site.client.post
    own = {"origin": HOST}
    found = await send("/mine/uploads", data={"name": "x"}, headers=own)
    assert (found.status_code, "Choose a file" in found.text) == (400, True)
    file = {"file": ("a", BOT)}
    found = await send("/mine/uploads", files=file, data={"name": "a b"}, headers=own)
    assert (found.status_code, "make a name" in found.text) == (400, True)
    assert uploads.of("ada") == []


async def test_more_than_is_taken_is_refused_and_leaves_nothing(
    site: Asked, uploads: Uploads, store: Store, token: str
) -> None:
    """Whether its length is said or not; and so is nothing at all."""

    large = bytes((1 << 20) + 1)
    said = await site.client.post("/api/uploads", content=large, headers=bearer(token))
    request = site.client.build_request("POST", "/api/uploads", headers=bearer(token))
    del request.headers["content-length"]
    request.stream = Endless()
    unsaid = await site.client.send(request)
    empty = await site.client.post("/api/uploads", content=b"", headers=bearer(token))
    assert [one.status_code for one in (said, unsaid, empty)] == [413, 413, 400]
    assert "1 MiB" in unsaid.json()["problem"]
    left = [path.name for path in (store.files / "uploads").iterdir()]
    assert left == [".lock"]
    assert not uploads.places._coming


async def test_an_author_has_no_more_than_their_share_of_the_queue(
    site: Asked, store: Store, token: str
) -> None:
    """Nor of a day; another author's bots are still taken in."""
    for _ in range(SiteLimits().waiting):
        await hand_in(site, token)
    found = await site.client.post("/api/uploads", content=BOT, headers=bearer(token))
    assert found.status_code == 429
    assert "still wait" in found.json()["problem"]
    other = store.tokens.add("bob", tuple(Scope), 1)[1]
    assert (await hand_in(site, other))["position"] == SiteLimits().waiting + 1


async def test_an_author_hands_in_so_many_a_day(site: Asked, uploads: Uploads, token: str) -> None:
    uploads.limits = SiteLimits(uploads=2, waiting=100)
    await hand_in(site, token)
    await hand_in(site, token)
    found = await site.client.post("/api/uploads", content=BOT, headers=bearer(token))
    assert "2 bots in a day" in found.json()["problem"]


@pytest.mark.parametrize("query", ["nam=it", "name=a%20b", "file=a%0Ab"])
async def test_what_the_api_does_not_describe_is_refused_and_costs_nothing(
    site: Asked, store: Store, uploads: Uploads, token: str, query: str
) -> None:
    """Nor does anything of it become an upload: a misspelt name would be lost without a word."""
    found = await site.client.post(f"/api/uploads?{query}", content=BOT, headers=bearer(token))
    assert found.status_code == 400
    assert query.partition("=")[0] in found.json()["problem"]
    assert (uploads.of("ada"), store.tokens.used_today("ada", "submit")) == ([], 0)


async def test_nobody_sees_what_others_hand_in(site: Asked, store: Store, token: str) -> None:
    upload = await hand_in(site, token)
    other = store.tokens.add("bob", tuple(Scope), 1)[1]
    found = await site.client.get(f"/api/uploads/{upload['id']}", headers=bearer(other))
    assert found.status_code == 404
    assert (await site.client.get("/api/me", headers=bearer(other))).json()["uploads"] == []


def test_a_second_site_takes_no_bots_of_the_same_ladder(store: Store, uploads: Uploads) -> None:
    with pytest.raises(RefereeError, match="--no-uploads"):
        Uploads(store.files, SiteLimits())


async def test_an_upload_outlives_a_site_that_is_killed(
    store: Store, uploads: Uploads, token: str
) -> None:
    """What was being tried waits again; what had not come whole is not there."""

    first = await uploads.receive("ada", "a.sh", "", whole())
    second = await uploads.receive("ada", "b.sh", "", whole())
    assert (await uploads.next()).id == first.id
    (store.files / "uploads" / "half.part").write_bytes(b"half")
    uploads.close()  # as the kernel does for who is killed
    with closing(Uploads(store.files, SiteLimits())) as after:
        assert [one.id for one in after.waiting()] == [first.id, second.id]
        assert after.waiting()[0].tries == 1
        assert not list((store.files / "uploads").glob("*.part"))


@given(st.text(max_size=80))
def test_the_name_of_a_file_leads_nowhere(file: str) -> None:
    name = plain_name(file)
    assert name
    assert name.isascii()
    assert not name.startswith(".")
    assert "/" not in name
    assert len(name) <= 48


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("greedy.zip", "greedy.zip"),
        ("C:\\bots\\my bot.py", "mybot.py"),
        ("../../etc/passwd", "passwd"),
        ("..", "bot"),
        (".bashrc", "bashrc"),
        ("x" * 60 + ".zip", "x" * 32 + ".zip"),
        ("☃", "bot"),
    ],
)
def test_a_file_keeps_what_can_be_kept_of_its_name(file: str, name: str) -> None:
    assert plain_name(file) == name


# --- what they take out again


def facts_of(store: Store) -> list[Decision]:
    """What was decided, in order."""
    with store.facts() as reader:
        return [fact for _, fact in reader.facts() if isinstance(fact, Decision)]


async def test_an_author_withdraws_a_bot_by_two_forms_without_any_script(
    site: Asked, store: Store, token: str
) -> None:
    """What that means is said before; the fact is what `referee ladder retire` writes."""
    bot = submit(store, "greedy", "ada")
    site.client.cookies.set(COOKIE, token)
    assert 'action="/mine/retire"' in (await site.get("/mine")).text
    asks = await site.get("/mine/retire?bot=greedy")
    assert "as soon as you hand in a bot of this name" in asks.text
    assert facts_of(store) == []
    found = await site.client.post("/mine/retire", data={"bot": "greedy"}, headers={"origin": HOST})
    assert (found.status_code, found.headers["location"]) == (303, "/mine")
    assert run(["ladder", "retire", "random", "--reason", "x", "--ladder", str(store.files)]) == 0
    own, by_command = facts_of(store)
    told = Decision(deed=Deed.RETIRED, entrant=bot.entrant, reason=WITHDRAWN, at_ms=own.at_ms)
    assert own == told
    assert by_command == replace(told, entrant=2, reason="x", at_ms=by_command.at_ms)
    page = (await site.get("/mine")).text
    words = "retired: withdrawn by its author; hand in its next version, and it plays again"
    assert page.count(words) == 1
    assert 'action="/mine/retire"' not in page
    assert [use.what for _, _, use in store.tokens.every() if use is not None] == ["retire"]


async def test_a_program_withdraws_a_bot_and_is_told_what_the_command_tells(
    site: Asked, store: Store, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    submit(store, "greedy", "ada")
    found = await site.client.post("/api/retire?bot=greedy", headers=bearer(token))
    assert run(["ladder", "bots", "#3", "--json", "--ladder", str(store.files)]) == 0
    (bot,) = json.loads(capsys.readouterr().out)
    assert (found.status_code, found.json()) == (200, bot)
    assert (bot["playing"], bot["why_not"]) == (False, "retired: withdrawn by its author")


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        ("?bot=first", (404, "no bot of this name")),
        ("?bot=nothing", (404, "no bot of this name")),
        ("", (404, "no bot of this name")),
        ("?bot=a%20b", (400, "bot")),
        ("?bots=greedy", (400, "not known")),
        ("?bot=lazy", (400, "does not play any more: why not")),
    ],
)
async def test_only_a_bot_of_one_s_own_that_plays_can_be_withdrawn(
    site: Asked, store: Store, token: str, bot: str, told: tuple[int, str]
) -> None:
    """Whose it is besides is not told, nothing is decided, and it is no use of the token."""
    submit(store, "lazy", "ada", "greedy")
    assert (
        run(["ladder", "retire", "lazy", "--reason", "why not", "--ladder", str(store.files)]) == 0
    )
    found = await site.client.post(f"/api/retire{bot}", headers=bearer(token))
    assert found.status_code == told[0]
    assert told[1] in found.json()["problem"]
    assert len(facts_of(store)) == 1
    assert store.tokens.used_today("ada", "retire") == 0


@pytest.mark.parametrize("at_once", [False, True])
async def test_an_author_withdraws_so_many_bots_a_day(
    store: Store, uploads: Uploads, token: str, *, at_once: bool
) -> None:
    uploads.limits = SiteLimits(uploads=1)
    submit(store, "greedy", "ada")
    submit(store, "lazy", "ada", "greedy")
    statuses: list[int] = []

    async with opened(store, uploads=uploads) as site, trio.open_nursery() as nursery:

        async def withdraw(bot: str) -> None:
            found = await site.client.post(f"/api/retire?bot={bot}", headers=bearer(token))
            statuses.append(found.status_code)

        for bot in ("greedy", "lazy"):
            if at_once:
                nursery.start_soon(withdraw, bot)
            else:
                await withdraw(bot)
    assert (sorted(statuses) if at_once else statuses) == [200, 429]


# --- what becomes of it


async def known(_: str) -> bool:
    """Every author has a token."""
    return True


def trials(uploads: Uploads, submit: Submit, told: list[str], *, away: bool = False) -> Trials:
    return Trials(uploads, (submit,), "bwrap", told.append, lambda: away, known)


async def waiting(uploads: Uploads) -> Upload:
    """An upload that is being tried."""

    await uploads.receive("ada", "greedy.sh", "", whole())
    return await uploads.next()


def answers(code: str) -> Submit:
    """A Python program that stands in for `referee submit`."""

    def told(order: TrialOrder) -> int:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        Path(order.out).write_bytes(done.stdout)
        Path(order.err).write_bytes(done.stderr)
        return done.returncode

    async def submit(order: TrialOrder) -> int:
        return await trio.to_thread.run_sync(told, order, abandon_on_cancel=True)

    return submit


async def test_a_bot_that_is_taken_in_says_what_it_has_become(
    store: Store, uploads: Uploads
) -> None:
    entrant = store.roster.entrants[1]
    accepted = AcceptedJson(
        entrant=1,
        bot="first",
        author="ada",
        version=1,
        hash=entrant.hash,
        source=entrant.source,
        new=True,
        receipt=receipt_of(store, entrant, lambda _: None),
        left_out=(),
    )
    printed = {"ladder": "x", "taken_in": [msgspec.to_builtins(accepted)], "refused": []}
    submit = answers(f"print({json.dumps(json.dumps(printed))})")
    upload = await waiting(uploads)
    found = await trials(uploads, submit, [])._tried(upload)
    assert (found.state, found.accepted) == (UploadState.ACCEPTED, accepted)
    await uploads.change(found)
    assert not uploads.file_of(found).exists()


async def test_a_refusal_is_told_as_the_command_tells_it(uploads: Uploads) -> None:
    """With its lines, and without what could turn them round; the file is gone then."""
    why = "bot './greedy.sh' does not build\nsee it at home: make \N{RIGHT-TO-LEFT OVERRIDE}"
    printed = {"ladder": "x", "taken_in": [], "refused": [{"path": "greedy.sh", "why": why}]}
    submit = answers(f"print({json.dumps(json.dumps(printed))}); raise SystemExit(1)")
    found = await trials(uploads, submit, [])._tried(await waiting(uploads))
    assert found.state is UploadState.REFUSED
    assert found.why == "bot './greedy.sh' does not build\nsee it at home: make \\u202e"


async def test_the_page_of_an_author_has_what_was_found_before_how_to_see_it(
    site: Asked, uploads: Uploads, token: str
) -> None:
    why = "bot './greedy.sh': <b> is late (SPEC 10)\nwhat to do: flush\nsee it at home: make"
    refused = replace(await waiting(uploads), state=UploadState.REFUSED, why=why)
    await uploads.change(refused)
    site.client.cookies.set(COOKIE, token)
    page = (await site.get("/mine")).text
    finding = "bot &#39;./greedy.sh&#39;: &lt;b&gt; is late"
    assert f'<strong class="bad">refused</strong>: {finding} (<a href="/docs/protocol#' in page
    assert "<pre>what to do: flush\nsee it at home: make</pre>" in page


async def test_what_is_wrong_usage_of_the_command_is_a_refusal(uploads: Uploads) -> None:
    submit = answers("import sys; print('referee: no zip', file=sys.stderr); sys.exit(2)")
    found = await trials(uploads, submit, [])._tried(await waiting(uploads))
    assert (found.state, found.why) == (UploadState.REFUSED, "no zip")


async def test_a_machine_that_gives_no_answer_tries_again_a_few_times(uploads: Uploads) -> None:
    """No bot is refused for what it did not do, and none waits for ever."""
    submit = answers("raise SystemExit(3)")
    told: list[str] = []
    upload = await waiting(uploads)
    for _ in range(MOST_TRIES - 1):
        found = await trials(uploads, submit, told)._tried(upload)
        assert found.state is UploadState.WAITING
        await uploads.change(found)
        upload = await uploads.next()
    found = await trials(uploads, submit, told)._tried(upload)
    assert found.state is UploadState.REFUSED
    assert "no fault that was seen of it" in found.why
    assert len(told) == MOST_TRIES


async def test_a_database_that_is_away_uses_up_no_tries(uploads: Uploads) -> None:
    """However long: nothing is found out of a bot meanwhile."""
    submit = answers("raise SystemExit(3)")
    upload = await waiting(uploads)
    for _ in range(2 * MOST_TRIES):
        found = await trials(uploads, submit, [], away=True)._tried(upload)
        assert (found.state, found.tries) == (UploadState.WAITING, 0)
        await uploads.change(found)
        upload = await uploads.next()


async def test_an_upload_of_an_author_who_was_erased_leaves_nothing(uploads: Uploads) -> None:
    """It had come only after that, with a token that was valid when it began."""
    submit = answers("raise SystemExit(2)")
    upload = await uploads.receive("ada", "greedy.sh", "", whole())
    uploads.stage_file(upload).touch()  # as a trial that an erasure has come into

    async def unknown(author: str) -> bool:
        return author != "ada"

    trial = Trials(uploads, (submit,), "bwrap", print, lambda: False, unknown)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trial.run)
        await uploads.change_of(upload)
        await uploads.change_of(upload)
        nursery.cancel_scope.cancel()

    assert uploads.of("ada") == []
    assert not list(uploads.file_of(upload).parent.glob(f"{upload.id}*"))


async def test_no_trial_begins_while_the_database_is_away(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "_LOOK_S", 0.001)
    submit = answers("raise SystemExit(2)")
    await uploads.receive("ada", "a.sh", "", whole())
    looks: list[UploadState] = []

    def is_away() -> bool:
        (upload,) = uploads._all.values()
        looks.append(upload.state)
        return len(looks) <= 5

    async with trio.open_nursery() as nursery:
        nursery.start_soon(Trials(uploads, (submit,), "bwrap", print, is_away, known).run)
        with trio.fail_after(30):
            while not all(one.is_over for one in uploads._all.values()):
                await uploads._news.wait()
        nursery.cancel_scope.cancel()
    assert looks[:6] == [UploadState.WAITING] * 6


async def test_a_trial_without_an_end_is_ended(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "LONGEST_S", 0.2)
    submit = answers("import time; time.sleep(600)")
    told: list[str] = []
    found = await trials(uploads, submit, told)._tried(await waiting(uploads))
    assert found.state is UploadState.WAITING
    assert "took longer" in told[0]


async def test_uploads_are_tried_one_at_a_time_in_their_order(
    uploads: Uploads, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    code = f"open({str(log)!r}, 'a').write('x'); raise SystemExit(2)"
    submit = answers(code)

    for author in ("ada", "bob", "eve"):
        await uploads.receive(author, "a.sh", "", whole())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trials(uploads, submit, []).run)
        with trio.fail_after(30):
            while uploads.waiting() or not all(one.is_over for one in uploads._all.values()):
                trying = [one for one in uploads._all.values() if one.state is UploadState.TRYING]
                assert len(trying) <= 1
                await uploads._news.wait()
        nursery.cancel_scope.cancel()
    assert log.read_text() == "xxx"


async def test_a_trial_that_takes_long_keeps_other_authors_no_longer(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Never two of one author are under way."""
    monkeypatch.setattr(trial, "_LOOK_S", 0.001)
    monkeypatch.setattr(trial, "SLOW_S", 0.01)
    begun: list[tuple[int, str]] = []

    def runs(at: int) -> Submit:
        async def submit(order: TrialOrder) -> int:
            author = order.words[order.words.index("--author") + 1]
            begun.append((at, author))
            if author == "slow":
                await trio.sleep_forever()
            raise HostError("that was enough")

        return submit

    for author in ("slow", "slow", "ada", "bob"):
        await uploads.receive(author, "a.sh", "", whole())
    one_by_one = Trials(uploads, (runs(0), runs(1)), "bwrap", lambda _: None, lambda: False, known)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(one_by_one.run)
        with trio.fail_after(30):
            while len({author for _, author in begun}) < 2:
                await uploads._news.wait()
        nursery.cancel_scope.cancel()
    assert begun == [(0, "slow"), (1, "ada")]


async def test_a_second_trial_begins_only_beside_one_that_takes_long(
    uploads: Uploads, mock_clock: MockClock
) -> None:
    async def submit(_: TrialOrder) -> int:
        return 0

    found = Trials(uploads, (submit,) * 3, "bwrap", print, lambda: False, known)
    assert not found._take_long(1)
    found._begun_at[0] = trio.current_time()
    mock_clock.jump(SLOW_S - 1)
    assert not found._take_long(1)
    mock_clock.jump(1)
    assert found._take_long(1)
    assert not found._take_long(2), "the second one is free"


# --- what their bots wrote


@pytest.fixture
async def talked(tmp_path: Path) -> AsyncIterator[tuple[Asked, Store]]:
    """A site of a ladder where two bots that write to stderr have met, of ada and of bob."""
    with made(tmp_path / "talk", bots=()) as store:
        for author in ("ada", "bob"):
            submit(store, f"of-{author}", author, "stderr_then_illegal")
        match = await play(store, job(store, (1, 2)))
        count(store, match)
        with closing(Uploads(store.files, SiteLimits())) as uploads:
            async with opened(store, uploads=uploads) as asked:
                yield asked, store


async def test_authors_read_what_their_own_bots_wrote_and_nothing_else(
    talked: tuple[Asked, Store],
) -> None:
    site, store = talked
    for author, other in (("ada", "bob"), ("bob", "ada")):
        text = store.tokens.add(author, (Scope.LOGS,), 1)[1]
        for query in ("", f"?bot=of-{author}", "?match=1"):
            found = (await site.client.get(f"/api/logs{query}", headers=bearer(text))).json()
            (log,) = found["logs"]
            assert (log["match"], log["bot"]) == (1, f"of-{author}")
            assert {line["text"] for line in log["lines"]} == {"why I play this\n"}
        refused = await site.client.get(f"/api/logs?bot=of-{other}", headers=bearer(text))
        assert refused.status_code == 404


async def test_the_page_of_logs_has_what_their_own_bots_wrote_deal_by_deal(
    talked: tuple[Asked, Store],
) -> None:
    """And that of one match, where its page leads to it."""
    site, store = talked
    text = store.tokens.add("ada", (Scope.LOGS,), 1)[1]
    for query in ("", "?bot=of-ada", "?match=1"):
        page = (await site.client.get(f"/mine/logs{query}", headers=bearer(text))).text
        assert '<a href="/matches/1">Match 1</a>: of-ada' in page
        assert re.search(
            r"<h3>Deal [12]\.[12]</h3>\n<pre tabindex=\"0\">why I play this\n</pre>", page
        )
        assert "of-bob" not in page
    assert 'href="/mine/logs?match=1"' in (await site.get("/matches/1")).text
    for query in ("?bot=of-bob", "?match=99", "?bot=<b>"):
        found = await site.client.get(f"/mine/logs{query}", headers=bearer(text))
        assert found.status_code == 404
    found = await site.get("/mine/logs")
    assert found.status_code == 401
    assert 'href="/join"' in found.text


@pytest.mark.parametrize(
    "query", ["?bot=nobody", "?match=99", "?bot=", "?match=x", "?bot=a b", "?bots=it"]
)
async def test_logs_that_there_are_not_are_refused(talked: tuple[Asked, Store], query: str) -> None:
    site, store = talked
    text = store.tokens.add("ada", (Scope.LOGS,), 1)[1]
    found = await site.client.get(f"/api/logs{query}", headers=bearer(text))
    assert found.status_code in (400, 404)
    assert found.json()["problem"]


async def test_logs_need_a_token_for_them(talked: tuple[Asked, Store]) -> None:
    site, store = talked
    assert (await site.get("/api/logs")).status_code == 401
    text = store.tokens.add("ada", (Scope.SUBMIT,), 1)[1]
    assert (await site.client.get("/api/logs", headers=bearer(text))).status_code == 403


async def test_a_full_disk_costs_no_upload_and_is_no_mistake_of_the_site(
    site: Asked, uploads: Uploads, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who hands in is told to come again; what was being tried is tried when there is room."""
    kept = await hand_in(site, token)
    submit = answers("raise SystemExit(2)")

    def full(_: Uploads, __: Upload) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Uploads, "_save", full)
        found = await site.client.post("/api/uploads", content=BOT, headers=bearer(token))
        assert found.status_code == 503
        assert site.troubles == ["/api/uploads: uploads: No space left on device"]
        with pytest.raises(HostError, match="No space left"):
            await trials(uploads, submit, []).run()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trials(uploads, submit, []).run)
        with trio.fail_after(30):
            while not uploads.find("ada", str(kept["id"])).is_over:
                await uploads.change_of(uploads.find("ada", str(kept["id"])))
        nursery.cancel_scope.cancel()
    assert len(uploads.of("ada")) == 1
