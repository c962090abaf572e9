"""A life of a bot in which it is told nothing, so that what every life of it reads is in memory.

What a life with cards has read is dropped at its end (`referee.sandbox.page_cache`), but for what
was in memory before. Without a life before the first, each would read its programs anew from the
disk. What this one has read is dropped, too, and the files it had opened are then read by us: so
they are in memory whole, with no trace of how it had read them.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

import trio

from referee.bots.find import BotSpec
from referee.errors import SandboxError
from referee.sandbox import BotProcess
from referee.sandbox.opened_files import OpenedFiles, bring_folder

_LONGEST_S: Final = 1.0
_LOOK_S: Final = 0.002


class _Launcher(Protocol):
    async def launch(self, bot: BotSpec) -> BotProcess:
        """Start a bot."""


class Warming:
    """Gives every bot one such life."""

    def __init__(self, toolchains: Iterable[str]) -> None:
        """No bot has had it yet; `toolchains` are the folders that bots see beside /usr."""
        self._hashes: set[str] = set()
        self._folders = ("/usr", *toolchains)

    async def warm(self, bot: BotSpec, sandbox: _Launcher) -> None:
        """Start a bot that has not had it, wait until it is idle, a second at most, and end it."""
        if bot.hash in self._hashes:
            return
        self._hashes.add(bot.hash)
        with OpenedFiles(self._folders) as opened:
            try:
                process = await sandbox.launch(bot)
            except (SandboxError, OSError):
                return  # a match that starts it is told
            try:
                with trio.move_on_after(_LONGEST_S):
                    while process.status() is None and not process.waits_for_input():
                        opened.look(process.threads)
                        await trio.sleep(_LOOK_S)
                opened.look(process.threads)
                opened.listen_no_more()
            finally:
                process.kill()
                process.release()
            await trio.to_thread.run_sync(opened.bring)
        await trio.to_thread.run_sync(bring_folder, Path(bot.folder))
