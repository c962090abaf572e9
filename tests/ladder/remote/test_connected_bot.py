"""A bot at home plays in a match elsewhere: whatever it does, the end of the match is heard."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from ladder.connection.messages import Begin, Data, Ended, Over
from ladder.connection.resumable import OutOfStep
from ladder.connection.talk import Talk, Wire, expected_in
from ladder.remote.connected_bot import ConnectedBot
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.errors import HostError
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


@pytest.mark.parametrize("lives", [(2,), (1, 1), (0,), (10_001,)])
async def test_a_site_begins_one_process_after_the_other(lives: tuple[int, ...]) -> None:
    """One that begins others does not keep to the rules: its match is over for us."""

    async def nothing(_: bytes) -> None: ...

    site = Talk(nothing)
    for life in lives:
        site.say(Begin(life))

    async def dial(talk: Callable[[Wire], Awaitable[None]]) -> None:
        here, there = connected()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(site.over, there)
                await talk(here)
        except BaseExceptionGroup as found:
            raise expected_in(found, (OutOfStep,)) from found

    async with opened(SandboxName.BARE) as sandbox:
        bot = await sandbox.prepare(find("sample:first", Settings()))
        with (
            trio.fail_after(30),
            pytest.RaisesGroup(
                pytest.RaisesExc(HostError, match="of the bot is to begin"), flatten_subgroups=True
            ),
        ):
            await ConnectedBot(sandbox, bot, print).play(dial)
