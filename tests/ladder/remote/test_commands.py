"""`submit --to`, `status` and `logs`: what they ask a site for, and say of its answers."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import httpx2
import pytest

from ladder.commands import submit_remotely
from ladder.core.tokens import token_text
from ladder.remote.site_client import VARIABLE, SiteClient
from referee.cli import run

URL: Final = "http://ladder.test"
TOKEN: Final = token_text(bytes(4), bytes(32))
ME: Final = {"author": "ada", "scopes": ["submit"], "expires_ms": 1, "uploads": []}
Handler = Callable[[httpx2.Request], httpx2.Response]


def upload(state: str, **more: object) -> dict[str, object]:
    return {
        "id": "ab" * 12,
        "author": "ada",
        "file": "bot.sh",
        "bytes": 3,
        "at_ms": 1,
        "state": state,
        "position": 0,
        "begun_ms": None,
        "stage": None,
        "why": None,
        "accepted": None,
    } | more


@pytest.fixture
def bot(tmp_path: Path) -> str:
    path = tmp_path / "bot.sh"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], None]:
    """Has a function stand in for the site."""
    monkeypatch.setenv(VARIABLE, TOKEN)
    monkeypatch.setattr(submit_remotely, "AGAIN_S", 0.0)

    def use(handler: Handler) -> None:
        client = partial(SiteClient, transport=httpx2.MockTransport(handler))
        monkeypatch.setattr(submit_remotely, "SiteClient", client)

    return use


def test_a_bot_is_sent_as_it_lies_there_and_its_trial_is_waited_for(
    bot: str, answers: Callable[[Handler], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """With the token in a header, and never in an address; a refusal is exit code 1."""
    states = [
        upload("waiting", position=2),
        upload("trying"),
        upload("trying", stage="building: make"),
        upload("refused", why="it\nfails"),
    ]
    asked: list[httpx2.Request] = []

    def site(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        if request.url.path == "/api/me":
            return httpx2.Response(200, json=ME)
        if request.method == "POST":
            assert request.read() == Path(bot).read_bytes()
            assert dict(request.url.params) == {"file": "bot.sh", "name": "mine"}
        return httpx2.Response(202, json=states.pop(0))

    answers(site)
    assert run(["submit", bot, "--to", URL, "--name", "mine"]) == 1
    assert states == []
    assert all(one.headers["authorization"] == f"Bearer {TOKEN}" for one in asked)
    assert not any(TOKEN in str(one.url) for one in asked)
    told = capsys.readouterr()
    assert "refused: it\nfails" in told.err
    assert "number 2 of the queue" in told.err
    assert "bot.sh: is being tried\n" in told.err
    assert "bot.sh: is being tried: building: make\n" in told.err
    assert TOKEN not in told.out + told.err


def test_one_that_is_no_bot_stops_none_of_the_others(
    bot: str, answers: Callable[[Handler], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def site(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/api/me":
            return httpx2.Response(200, json=ME)
        return httpx2.Response(202, json=upload("refused", why="no"))

    answers(site)
    assert run(["submit", "/nothing", bot, "--to", URL, "--json"]) == 1
    refused = json.loads(capsys.readouterr().out)["refused"]
    assert [one["path"] for one in refused] == ["/nothing", bot]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx2.Response(401, json={"problem": "That token is not valid."}), "is not valid"),
        (httpx2.Response(502, text="<html>"), "it answers 502"),
        (httpx2.Response(200, text="<html>"), "no site of a ladder"),
        (httpx2.Response(429, json={"problem": "later\x1b[2J"}), "later\\x1b[2J"),
    ],
)
def test_what_a_site_refuses_is_said_in_a_line(
    answer: httpx2.Response,
    said: str,
    bot: str,
    answers: Callable[[Handler], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers(lambda _: answer)
    for words in (["submit", bot, "--to", URL], ["status", "--to", URL], ["logs", "--to", URL]):
        assert run(words) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1


def test_a_site_that_cannot_be_reached_is_trouble_of_the_host(
    bot: str, answers: Callable[[Handler], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def away(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    answers(away)
    assert run(["submit", bot, "--to", URL]) == 3
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "ladder.test"], "write http://HOST"),
        (["--to", URL, "--author", "x"], "--author does not go with --to"),
        (["--to", URL, "--game", "x"], "--game does not go with --to"),
        (["--to", URL, "--ladder", "x"], "--to or --ladder"),
        (["--to", URL, "--name", "a b"], "make a name"),
    ],
)
def test_what_was_typed_wrong_is_said_before_a_site_is_asked(
    words: list[str],
    said: str,
    bot: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(VARIABLE, TOKEN)
    assert run(["submit", bot, *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("token", "said"), [("", "set REFEREE_TOKEN"), ("secret", "begins with bref_")]
)
def test_without_a_token_nothing_is_asked(
    token: str,
    said: str,
    bot: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(VARIABLE, token)
    assert run(["submit", bot, "--to", URL]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "secret" not in told


def test_a_whole_invitation_serves_as_a_token(
    answers: Callable[[Handler], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(VARIABLE, f"{URL}/join#{TOKEN}")
    answers(lambda _: httpx2.Response(200, json=ME))
    assert run(["status", "--to", URL]) == 0
    assert "ada has handed in nothing yet" in capsys.readouterr().out


def test_logs_are_printed_by_deal_and_act(
    answers: Callable[[Handler], None], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"leg": 1, "deal": 2, "act": 3, "text": "one\ntwo\x1b[2J\n"},
        {"leg": 1, "deal": 0, "act": 0, "text": "end\n"},
    ]
    log = {"match": 7, "at_ms": 1, "game": "briscola-2", "bot": "mine", "lines": lines}

    def site(request: httpx2.Request) -> httpx2.Response:
        assert dict(request.url.params) == {"bot": "mine", "match": "7"}
        return httpx2.Response(200, json={"author": "ada", "logs": [log], "is_cut": True})

    answers(site)
    assert run(["logs", "mine", "--to", URL, "--match", "7"]) == 0
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "match 7, briscola-2: mine",
        "   deal 1.2 act 3 | one",
        "   deal 1.2 act 3 | two\\x1b[2J",
        "   end of leg 1 act 0 | end",
    ]
    assert "there is more" in told.err
