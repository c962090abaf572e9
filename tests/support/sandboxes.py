"""Real sandboxes for tests, and small programs to run in them."""

import os
import shutil
import threading
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
import trio
from msgspec.structs import replace

from referee.bots.find import BotSource, BotSpec, find
from referee.bots.settings import Settings
from referee.sandbox import BotProcess, Sandbox
from referee.sandbox.bare import Bare, BareProcess
from referee.sandbox.build import SOURCE_FOLDER
from referee.sandbox.copies import Copies
from referee.sandbox.first_reads import read_once
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.janitor import run_of

NO_SKIP = "REFEREE_NO_SKIP"
"""Set where nothing may be skipped: in CI."""


SPINNERS = """
import os, signal, sys
signal.alarm(30)
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print("spinning", flush=True)
for line in sys.stdin:
    print("still here", flush=True)
print("end", flush=True)
while True: pass
"""
"""A program that never rests, nor do its two daemons; until its input ends, it answers lines."""


_LAST_LEGAL = """
import json, os, signal, sys, time
acts = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"bot"}', flush=True)
    if message["type"] == "act":
        acts += 1
        DOES
        print(json.dumps({"id": message["id"], "action": message["legal"][-1]}), flush=True)
"""


class Troubled(Bare):
    """A sandbox that breaks down for good after some deals."""

    def __init__(self, deals: int) -> None:
        super().__init__()
        self._deals = deals

    def trouble(self) -> str | None:
        """Whether it has broken down."""
        self._deals -= 1
        return None if self._deals >= 0 else "the daemon is gone"


class Copying(Bare):
    """Prepares bots as real sandboxes do, from copies in a store, and then runs them bare.

    For what becomes of copies on machines without a sandbox; it runs what was submitted, too, so
    only a test's own bots belong into it.
    """

    name = "bwrap"

    def __init__(self, home: Path, settings: Settings = Settings()) -> None:  # noqa: B008  # frozen
        """The store, and all else that it needs, is below a folder."""
        super().__init__(run_of(os.getpid()))
        self.store = home / "store"
        self._copies = Copies(
            SandboxFolders(
                run=run_of(os.getpid()),
                root=False,
                settings=settings,
                hierarchies=None,
                spares=None,
                landlock=False,
                work=home / "work",
                store=self.store,
                staged={},
            )
        )

    async def prepare(self, found: BotSource) -> BotSpec:
        """As Bubblewrap does."""
        return await self._copies.prepare(found, self)

    def temporarily(self, found: BotSource) -> AbstractAsyncContextManager[BotSpec]:  # type: ignore[override]  # of the same protocol
        """As Bubblewrap does."""
        return self._copies.temporarily(found, self)

    def hold(self, bot: BotSpec) -> bool:
        """As Bubblewrap does."""
        return self._copies.hold(bot)

    def release(self, bot: BotSpec) -> None:
        """As Bubblewrap does."""
        self._copies.release(bot)

    def close(self) -> None:
        """As Bubblewrap does."""
        self._copies.close()

    async def launch(self, bot: BotSpec) -> BareProcess:
        """Starts a test's bot; a build in a folder beside its sources, as sandboxes give it one."""
        if bot.is_build:
            work = Path(bot.folder).with_name("work")
            work.mkdir()
            words = (word.replace(f" {SOURCE_FOLDER}/", f" {bot.folder}/") for word in bot.command)
            bot = replace(bot, folder=str(work), command=tuple(words))
        return await super().launch(replace(bot, submitted=False))


def lacking(why: str) -> NoReturn:
    """Leaves a test out for want of something; fails it where nothing may be skipped."""
    if os.environ.get(NO_SKIP):
        pytest.fail(why)
    pytest.skip(why)


def need(*programs: str, root: bool = False) -> None:
    """Leaves a test out where a program is missing, or we are not root; as `lacking` does."""
    missing = [name for name in programs if shutil.which(name) is None]
    if root and os.geteuid() != 0:
        lacking("it takes root")
    if missing:
        lacking(f"no {', '.join(missing)}")
    if {"bwrap", "dockerd"} & {*programs}:
        _read_the_machine()


@cache
def _read_the_machine() -> None:
    """Does what commands do before bots of strangers play: tests have less patience with those."""
    if os.geteuid() == 0:
        read_once(("/usr",), lambda _: None, threading.Event())


def need_sandbox(name: str) -> None:
    """Leave a test of `--sandbox NAME` out where that takes a program that is missing."""
    if name != "bare":
        need(name)


def with_rust() -> Settings:
    """Settings that show bots the Rust compiler, where it lies outside /usr."""
    found = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup")) / "toolchains"
    folders = sorted(map(str, found.glob("stable-*"))) if found.is_dir() else []
    return Settings(toolchains=tuple(folders[:1]))


def python_bot(folder: Path, text: str, limits: str = "") -> str:
    """A folder with a Python program as a bot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(text)
    toml = f'name = "{folder.name}"\ncommand = "python3 -S bot.py"\n[limits]\n{limits}\n'
    (folder / "bot.toml").write_text(toml)
    return str(folder)


def bot_that(folder: Path, does: str = "pass") -> str:
    """A bot that plays its last legal action, and does something before; `acts` counts them."""
    return python_bot(folder, _LAST_LEGAL.replace("DOES", does))


async def prepared(sandbox: Sandbox, typed: str, settings: Settings | None = None) -> BotSpec:
    """A bot, ready to be launched."""
    return await sandbox.prepare(find(typed, settings or Settings()))


async def line_of(process: BotProcess, within_s: float = 10) -> str:
    """The next line that a process writes; what is there when it takes too long."""
    data = b""
    with trio.move_on_after(within_s):
        while not data.endswith(b"\n"):
            await trio.lowlevel.wait_readable(process.stdout)
            more = os.read(process.stdout, 1)
            if not more:
                break
            data += more
    return data.decode().strip()


async def ended(process: BotProcess, within_s: float = 10) -> str | None:
    """How a process ended, or None when it did not."""
    with trio.move_on_after(within_s):
        await trio.lowlevel.wait_readable(process.exited_fd)
    return process.status()


def finish(*processes: BotProcess) -> None:
    """Ends processes that a test has talked to."""
    for process in processes:
        process.kill()
        for descriptor in (process.stdout, process.exited_fd):
            trio.lowlevel.notify_closing(descriptor)
        process.release()


def living(pids: Iterable[int]) -> list[int]:
    """Those of these processes that live; who is only to be buried by its parent does not."""
    return [pid for pid in pids if _state(pid) not in {"", "Z", "X"}]


def _state(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[0]
