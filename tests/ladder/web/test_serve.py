"""`referee serve` as a process: how it begins, what it refuses, how it ends, and after a kill."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from ladder.core.tokens import Scope
from ladder.runner import play
from ladder.show.upload_json import UploadState
from referee.cli import run
from referee.errors import RefereeError
from support.ladders import made
from support.postgres import Mode, Postgres
from support.sandboxes import need
from support.sites import Serving, served, started

pytestmark = pytest.mark.slow

BOT = (Path(__file__).parents[3] / "sample_bots" / "first_bot.py").read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made(tmp_path / "ladder").close()
    return tmp_path / "ladder"


def refused(*words: str) -> str:
    """What the command says instead of serving; one line, and exit code 2 or 3."""
    done = subprocess.run(
        [sys.executable, "-m", "referee", "serve", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (2, 3), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def follow(url: str, heard: list[str]) -> None:
    """Hears what an open page hears, and whether it was ended in good order."""
    with httpx2.stream("GET", f"{url}/ladder.live", timeout=60) as events:
        for line in events.iter_lines():
            heard.append(line)  # noqa: PERF402  # each as it comes
    heard.append("whole")


def test_a_site_answers_and_ends_when_it_is_told_to(folder: Path) -> None:
    """Though a page still follows."""
    with served(folder, "--no-run", "--no-uploads") as url:
        assert httpx2.get(url).status_code == 200
        assert httpx2.get(f"{url}/mine").status_code == 404
        following = threading.Thread(target=follow, args=(url, heard := list[str]()))
        following.start()
        until = time.monotonic() + 20
        while not heard and time.monotonic() < until:
            time.sleep(0.02)
    following.join(20)
    assert heard[0] == ": open"
    assert heard[-1] == "whole"


def test_an_address_that_is_taken_is_said_in_a_line(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ("--ladder", str(folder), "--no-run", "--no-uploads", "--port", port)
        assert "in use" in refused(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tls", "no-cert", "no-key"), "No such file"),
        (("--port", "70000"), "65535"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_served(
    tmp_path: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", "--ladder", str(tmp_path / "new"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("words", [(), ("--no-run",), ("--no-uploads",)])
def test_without_a_sandbox_it_neither_plays_nor_takes_in_bots(
    tmp_path: Path,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Bots of strangers have nowhere to run: it does not begin, and makes no ladder."""

    def none(*_: object, strangers: bool) -> None:
        assert strangers
        raise RefereeError("no sandbox works here")

    monkeypatch.setattr(play, "opened_for", none)
    assert run(["serve", "--ladder", str(tmp_path / "new"), *words]) == 2
    assert "no sandbox works here" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_behind_a_proxy_who_asks_is_who_the_proxy_says(folder: Path) -> None:
    """Only then: elsewhere anybody could name another."""
    alone = ("--no-run", "--no-uploads")
    for words, behind in ((alone, False), ((*alone, "--proxy"), True)):
        with served(folder, *words) as url:
            headers = {"x-forwarded-host": "ladder.example", "x-forwarded-proto": "https"}
            feed = httpx2.get(f"{url}/feed.atom", headers=headers)
            assert ("https://ladder.example/feed.atom" in feed.text) is behind
            assert ("strict-transport-security" in feed.headers) is behind


# --- killed


@pytest.fixture
def author(folder: Path) -> Iterator[dict[str, str]]:
    with made(folder) as store:
        yield {"authorization": f"Bearer {store.tokens.add('ada', tuple(Scope), 1)[1]}"}


def site(folder: Path) -> Serving:
    return started(folder, "--no-run", "--sandbox", "bwrap")


def uploads_of(url: str, author: dict[str, str]) -> list[dict[str, object]]:
    found = httpx2.get(f"{url}/api/me", headers=author).json()["uploads"]
    assert isinstance(found, list)
    return found


def hand_in(url: str, author: dict[str, str], name: str) -> str:
    asked = {"file": "bot.py", "name": name}
    found = httpx2.post(f"{url}/api/uploads", params=asked, content=BOT, headers=author)
    assert found.status_code == 202, found.text
    return str(found.json()["id"])


@pytest.mark.thorough
@pytest.mark.parametrize("after_s", [0.0, 0.4, 1.5])
def test_a_site_that_is_killed_loses_no_upload_and_takes_none_in_twice(
    folder: Path, author: dict[str, str], after_s: float
) -> None:
    """Whenever it is: before the trial, while the bot is tried, or while it is taken in."""
    need("bwrap", root=True)
    serving = site(folder)
    names = ("one", "two")
    ids = {hand_in(serving.url, author, name) for name in names}
    time.sleep(after_s)
    serving.process.send_signal(signal.SIGKILL)
    serving.process.wait()

    serving = site(folder)
    try:
        until = time.monotonic() + 120
        states: dict[object, object] = {}
        while set(states.values()) != {UploadState.ACCEPTED} and time.monotonic() < until:
            found = uploads_of(serving.url, author)
            states = {upload["id"]: upload["state"] for upload in found}
            time.sleep(0.2)
        assert states == dict.fromkeys(ids, "accepted")
    finally:
        serving.process.terminate()
        assert serving.process.wait(30) == 0
    with made(folder) as store:
        mine = [one for one in store.refresh().entrants.values() if one.author == "ada"]
        assert sorted(one.name for one in mine) == sorted(names)
    assert not list((folder / "uploads").glob("*.bot"))
    assert run(["ladder", "verify", "--ladder", str(folder)]) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("after_s", [0.0, 0.8, 1.6])
def test_a_database_that_is_killed_loses_no_upload_and_takes_none_in_twice(
    postgres: Postgres, database: str, tmp_path: Path, after_s: float
) -> None:
    """Before the trial, while the bot is tried, or while it is taken in; then it is away a while.

    The site goes on, says that it is away, and takes the bots in once the database is back.
    """
    need("bwrap", root=True)
    typed = f"{database}?files={tmp_path / 'files'}"
    with made(typed) as store:
        author = {"authorization": f"Bearer {store.tokens.add('ada', tuple(Scope), 1)[1]}"}
    serving = started(typed, "--no-run", "--sandbox", "bwrap")
    try:
        ids = {hand_in(serving.url, author, name) for name in ("one", "two")}
        time.sleep(after_s)
        postgres.stop(Mode.IMMEDIATE)
        until = time.monotonic() + 30
        while httpx2.get(f"{serving.url}/healthz").status_code == 200:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert httpx2.get(f"{serving.url}/api/me", headers=author).status_code == 503
        postgres.start()
        states: dict[object, object] = {}
        until = time.monotonic() + 120
        while set(states.values()) != {UploadState.ACCEPTED} and time.monotonic() < until:
            with suppress(KeyError):  # it may not be back yet
                found = uploads_of(serving.url, author)
                states = {upload["id"]: upload["state"] for upload in found}
            time.sleep(0.2)
        assert states == dict.fromkeys(ids, "accepted")
    finally:
        postgres.start()
        serving.process.terminate()
        assert serving.process.wait(30) == 0
    with made(typed) as store:
        mine = [one for one in store.refresh().entrants.values() if one.author == "ada"]
        assert sorted(one.name for one in mine) == ["one", "two"]
    assert run(["ladder", "verify", "--ladder", typed]) == 0


@pytest.mark.thorough
def test_an_upload_that_had_not_come_whole_is_not_there(
    folder: Path, author: dict[str, str]
) -> None:
    need("bwrap", root=True)
    serving = site(folder)
    host, _, port = serving.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port))) as half:
        head = f"POST /api/uploads?file=a.py HTTP/1.1\r\nhost: {host}\r\ncontent-length: 99999\r\n"
        half.sendall(f"{head}authorization: {author['authorization']}\r\n\r\nhalf".encode())
        until = time.monotonic() + 20
        while not list((folder / "uploads").glob("*.part")) and time.monotonic() < until:
            time.sleep(0.02)
        assert list((folder / "uploads").glob("*.part"))
        serving.process.kill()
        serving.process.wait()
    serving = site(folder)
    try:
        assert uploads_of(serving.url, author) == []
        assert not list((folder / "uploads").glob("*.part"))
    finally:
        serving.process.terminate()
        serving.process.wait(30)
