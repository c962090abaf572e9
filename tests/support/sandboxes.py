"""Real sandboxes for tests, and small programs to run in them."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
import trio

from referee.bots import BotSpec, find
from referee.sandbox import BotProcess, Sandbox
from referee.settings import Settings

NO_SKIP = "REFEREE_NO_SKIP"
"""Set where nothing may be skipped: in CI."""


def need(*programs: str, root: bool = False) -> None:
    """Skips a test where something is missing; fails it where nothing may be skipped."""
    missing = [name for name in programs if shutil.which(name) is None]
    why = f"no {', '.join(missing)}" if missing else ""
    if root and os.geteuid() != 0:
        why = "it takes root"
    if why and os.environ.get(NO_SKIP):
        pytest.fail(why)
    if why:
        pytest.skip(why)


def python_bot(folder: Path, text: str, limits: str = "") -> str:
    """A folder with a Python program as a bot."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(text)
    toml = f'name = "{folder.name}"\ncommand = "python3 -S bot.py"\n[limits]\n{limits}\n'
    (folder / "bot.toml").write_text(toml)
    return str(folder)


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
    """Those of these processes that are there."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]
