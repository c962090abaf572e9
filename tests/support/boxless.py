"""Lets what was submitted run bare, where no sandbox is to be had: our own bots, in tests.

`lift_the_ban` changes this process, and the workers that it starts.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from referee.bots.find import BotSource, BotSpec
from referee.sandbox import Sandbox, choose
from referee.sandbox.bare import Bare, BareProcess
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.names import SandboxName
from referee.workers import child, worker


class Boxless(Bare):
    """A bare sandbox under the name of another, which takes any bot."""

    name = "bwrap"
    how = "a test, without isolation"

    async def prepare(self, found: BotSource) -> BotSpec:
        """As for a bot of our own."""
        return await super().prepare(replace(found, submitted=False))

    async def launch(self, bot: BotSpec) -> BareProcess:
        """As a bot of our own."""
        return await super().launch(replace(bot, submitted=False))


@asynccontextmanager
async def _made(name: SandboxName, place: SandboxFolders) -> AsyncIterator[Sandbox]:
    yield Bare(place.run) if name is SandboxName.BARE else Boxless(place.run)


def lift_the_ban() -> None:
    """Makes `--sandbox bwrap` a bare one, here and in workers."""
    vars(choose)["_made"] = _made
    vars(child)["_COMMAND"] = (sys.executable, "-P", __file__)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    lift_the_ban()
    worker.main()
