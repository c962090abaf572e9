"""Bots of an event may be zips."""

import json
import os
import secrets
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ladder.event import zips
from ladder.submissions import copy_in
from ladder.submissions.copy_in import HandedIn
from referee.bots.settings import CopyLimits, Settings
from referee.cli import run
from referee.sandbox import choose
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.folders import store_folder
from referee.sandbox.names import SandboxName
from support.events import ToyPool
from support.sandboxes import need

pytestmark = pytest.mark.slow

EVENT = """
name = "zips"
blocks = 1
records = false
workers = 1
sandbox = "{sandbox}"
[[game]]
id = "briscola-2"
[[bot]]
path = "./mine.zip"
[[bot]]
path = "./mine"
name = "folder"
"""


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A bot as a folder and as a zip of it, and the file of an event of both."""
    need("bwrap")
    assert run(["new", "mine", "--language", "python", "--folder", str(tmp_path)]) == 0
    shutil.make_archive(str(tmp_path / "mine"), "zip", tmp_path / "mine")
    (tmp_path / "event.toml").write_text(EVENT.format(sandbox="bwrap"))
    capsys.readouterr()
    return tmp_path


def test_a_zip_plays_as_its_folder_does(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the same bot by its hash; an event that goes on finds it unpacked."""
    for _ in range(2):
        assert run(["event", "run", str(folder / "event.toml"), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
    (header, *_) = (folder / "event" / "log.jsonl").read_text().splitlines()
    entrants = json.loads(header)["plan"]["entrants"]
    assert len({entrant["hash"] for entrant in entrants}) == 1
    assert [entrant["name"] for entrant in entrants] == ["mine", "folder"]
    assert len(list((folder / "event" / "bots").iterdir())) == 1
    assert found["key"]


@pytest.mark.parametrize("strangers", [True, False])
def test_the_machine_is_read_before_bots_of_strangers_play(
    strangers: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that none of them is the first to read something; one's own may be."""
    asked = list[Settings]()

    async def read_first(settings: Settings, _: object) -> None:
        asked.append(settings)

    monkeypatch.setattr("ladder.commands.event.read_first", read_first)
    if not strangers:
        (folder / "event.toml").write_text(EVENT.format(sandbox="bwrap").replace(".zip", ""))
    assert run(["event", "run", str(folder / "event.toml"), "--no-check"]) == 0
    assert len(asked) == strangers


def test_a_pipe_is_no_zip_and_is_not_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says what it is."""
    (folder / "mine.zip").unlink()
    os.mkfifo(folder / "mine.zip")
    assert run(["event", "run", str(folder / "event.toml")]) == 2
    assert "is no bot: it is a named pipe" in capsys.readouterr().err


def test_a_zip_that_is_exchanged_is_kept_under_no_other_name(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner could bring in another bot as an opponent's, whose zip was there first."""
    take = copy_in.taken

    def exchanged_and_taken(path: str, *words: Any) -> HandedIn:
        (folder / "mine" / "more").touch()
        shutil.make_archive(str(folder / "mine"), "zip", folder / "mine")
        return take(path, *words)

    monkeypatch.setattr(zips, "taken", exchanged_and_taken)
    assert run(["event", "run", str(folder / "event.toml")]) == 2
    assert "it was changed while it was being unpacked" in capsys.readouterr().err
    assert list((folder / "event").rglob("*")) == [folder / "event" / "bots"]


def test_a_zip_that_is_none_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it is left, and nothing was begun."""
    whole = (folder / "mine.zip").read_bytes()
    (folder / "mine.zip").write_bytes(whole[: len(whole) // 2])
    assert run(["event", "run", str(folder / "event.toml")]) == 2
    assert "mine.zip': it is damaged" in capsys.readouterr().err
    assert list((folder / "event").rglob("*")) == [folder / "event" / "bots"]


@pytest.mark.parametrize(
    ("sandbox", "said"),
    [
        ("bare", "what a zip has in it runs in a sandbox only; unpack it yourself, and name the"),
        ("auto", "the bots of strangers run in a sandbox only, and none works here (bwrap: "),
    ],
)
def test_what_comes_as_a_zip_never_runs_without_a_sandbox(
    sandbox: str,
    said: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not even where it was unpacked, and has played, before the sandbox went away."""
    event, log = folder / "event.toml", folder / "event" / "log.jsonl"

    def is_refused() -> bool:
        event.write_text(EVENT.format(sandbox=sandbox))
        with monkeypatch.context() as machine:
            machine.setattr(bubblewrap, "PROGRAMS", "/no/such/folder")
            machine.setattr(choose, "by_strength", lambda: (SandboxName.BWRAP,))
            code = run(["event", "run", str(event), "--no-check"])
        event.write_text(EVENT.format(sandbox="bwrap"))
        return code == 2 and said in capsys.readouterr().err

    assert is_refused()
    assert run(["event", "run", str(event)]) == 0
    whole = log.read_text().splitlines(keepends=True)
    log.write_text("".join(whole[:2]))
    assert is_refused()
    assert log.read_text() == "".join(whole[:2])


def test_what_bots_were_built_to_is_held_until_the_event_is_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever else wants the room: a build that fails from some time on would end the event."""
    built = f"built-{secrets.token_hex(8)}"
    settings = (folder / "mine" / "bot.toml").read_text()
    (folder / "mine" / "bot.toml").write_text(f'build = "touch {built}"\n{settings}')
    kept: list[str] = []

    @asynccontextmanager
    async def opened(workers: int | None, sandbox: SandboxName) -> AsyncIterator[ToyPool]:
        CopyStore(store_folder(), CopyLimits(size=1, number=1)).trim()
        kept.extend(path.parent.name for path in store_folder().glob(f"*/{built}"))
        yield ToyPool()

    monkeypatch.setattr("ladder.commands.players.opened_pool", opened)
    (folder / "event.toml").write_text(EVENT.format(sandbox="bwrap").replace("mine.zip", "mine"))
    run(["event", "run", str(folder / "event.toml"), "--no-check"])
    assert len(kept) == 1
    assert kept[0].endswith("-built")
