"""A life of a bot in which it is told nothing, so that what every life of it reads is in memory.

What a life with cards has read is dropped at its end (`referee.sandbox.page_cache`), but for what
was in memory before. Without a life before the first, each would read its programs anew from the
disk.
"""

from typing import Final, Protocol

import trio

from referee.bots.find import BotSpec
from referee.errors import SandboxError
from referee.sandbox import BotProcess

_LONGEST_S: Final = 1.0
_LOOK_S: Final = 0.002


class _Warmable(BotProcess, Protocol):
    def keep_cache(self) -> None:
        """Let what it has read stay in memory when it has ended."""


class _Launcher(Protocol):
    async def launch(self, bot: BotSpec) -> _Warmable:
        """Start a bot."""


class Warming:
    """Gives every bot one such life."""

    def __init__(self) -> None:
        """No bot has had it yet."""
        self._hashes: set[str] = set()

    async def warm(self, bot: BotSpec, sandbox: _Launcher) -> None:
        """Start a bot that has not had it, wait until it is idle, a second at most, and end it."""
        if bot.hash in self._hashes:
            return
        self._hashes.add(bot.hash)
        try:
            process = await sandbox.launch(bot)
        except (SandboxError, OSError):
            return  # a match that starts it is told
        try:
            process.keep_cache()
            await _idle(process)
        finally:
            process.kill()
            process.release()


async def _idle(process: BotProcess) -> None:
    with trio.move_on_after(_LONGEST_S):
        while process.status() is None and not process.waits_for_input():  # noqa: ASYNC110  # no event tells
            await trio.sleep(_LOOK_S)
