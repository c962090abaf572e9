"""A bot at home plays in a match elsewhere: whatever it does, the end of the match is heard."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from ladder.connection.messages import Begin, Data, Ended, Over
from ladder.connection.talk import Talk, Wire
from ladder.remote.connected_bot import ConnectedBot
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.wires import connected


@pytest.mark.parametrize("does", ["exec sleep 600 <&-", "exec sleep 600", "exit"])
async def test_a_bot_that_does_not_read_holds_nothing_up(does: str, tmp_path: Path) -> None:
    program = tmp_path / "deaf.sh"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)

    async def nothing(_: bytes) -> None: ...

    site = Talk(nothing)
    site.say(Begin(1))
    for _ in range(200):
        site.say(Data(1, bytes(4096)))
    site.say(Ended(1))
    site.say(Over("done"))

    async def dial(talk: Callable[[Wire], Awaitable[None]]) -> None:
        here, there = connected()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(site.over, there)
            nursery.start_soon(talk, here)
            await site.all_but(0)
            nursery.cancel_scope.cancel()

    async with opened(SandboxName.BARE) as sandbox:
        bot = await sandbox.prepare(find(str(program), Settings()))
        with trio.fail_after(30):
            assert await ConnectedBot(sandbox, bot, print).play(dial) == Over("done")
