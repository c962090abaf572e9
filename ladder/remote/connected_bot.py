"""A bot on this machine that plays against bots of a ladder's site: our end of it."""

import math
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import trio

from ladder.connection.messages import MOST_DATA, Begin, Data, Ended, Over, ToAuthor
from ladder.connection.resumable import OutOfStep
from ladder.connection.talk import NOT_UNDERSTOOD, Broken, Talk, Wire
from referee.bots.find import BotSpec
from referee.errors import HostError
from referee.sandbox import BotProcess, Sandbox

AWAY_S: Final = 120.0
"""When a site was not reached for so long, it is given up."""

_FIRST_WAIT_S: Final = 0.25
_LONGEST_WAIT_S: Final = 10.0
_MOST_SAID: Final = 64
_MOST_LIVES: Final = 10_000
"""So many processes of our bot a site begins in a match at most."""
_MOST_UNREAD: Final = 1024
"""A bot that leaves so much unread, beside what its pipe holds, has ended as far as we care."""

_decode: Final = msgspec.json.Decoder(ToAuthor).decode

Dial = Callable[[Callable[[Wire], Awaitable[None]]], Awaitable[None]]
"""Connects, and lets something talk over the connection; raises `Broken` where there is none."""


class ConnectedBot:
    """A bot of ours in one match on a site."""

    def __init__(self, sandbox: Sandbox, bot: BotSpec, tell: Callable[[str], None]) -> None:
        """Nothing is played yet.

        Args:
            sandbox: where the bot runs.
            bot: was made ready there.
            tell: is told what becomes of the connection.
        """
        self._sandbox, self._bot, self._tell = sandbox, bot, tell
        self._talk = Talk(self._hear)
        self._over: Over | None = None
        self._life = 0
        self._connected = False
        self._heard = 0
        """How many messages have come."""
        self._process = trio.CancelScope()
        self._to_bot, _ = trio.open_memory_channel[bytes](0)
        self._nursery: trio.Nursery | None = None

    async def play(self, dial: Dial) -> Over:
        """Play a match to its end; return how it ended.

        Raises:
            RefereeError: the site does not let us play.
            HostError: the site cannot be reached, or the bot cannot be started.
        """
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            over = await self._dialled(dial)
            nursery.cancel_scope.cancel()
        return over

    async def _dialled(self, dial: Dial) -> Over:
        """Connect until the match is over."""
        wait_s, until = _FIRST_WAIT_S, -math.inf  # a site that was never there is not waited for
        while True:
            heard = self._heard
            try:
                await dial(self._talk_over)
            except Broken as error:
                why = str(error)
            except OutOfStep as error:
                raise HostError(f"the site does not keep to the rules: {error}") from error
            else:
                why = "the connection was closed"
            if self._over is not None:
                return self._over
            if self._heard > heard or (self._connected and until < 0):
                wait_s, until = _FIRST_WAIT_S, trio.current_time() + AWAY_S
            if trio.current_time() > until:
                away = "" if until < 0 else f"; it was away for {AWAY_S:.0f} s"
                raise HostError(f"{why}{away}")
            self._tell(f"{why}; connecting again")
            await trio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    async def _talk_over(self, wire: Wire) -> None:
        self._connected = True
        await self._talk.over(wire)

    async def _hear(self, message: bytes) -> None:
        try:
            said = _decode(message)
        except NOT_UNDERSTOOD as error:
            raise OutOfStep(f"a message is not understood: {error}") from error
        self._heard += 1
        match said:
            case Begin():
                if said.life != self._life + 1 or said.life > _MOST_LIVES:
                    raise OutOfStep(f"process {said.life} of the bot is to begin")
                self._begin(said.life)
            case Data() if said.life == self._life:
                self._pass_on(said)
            case Ended() if said.life == self._life:
                self._process.cancel()
            case Over():
                self._over = said

    def _pass_on(self, said: Data) -> None:
        """Have the bot told; never waits for it, or the end of its process would not be heard."""
        try:
            self._to_bot.send_nowait(said.data)
        except trio.BrokenResourceError:
            pass  # it reads no more, or has ended
        except trio.WouldBlock:
            self._process.cancel()
            self._talk.say(Ended(said.life))

    def _begin(self, life: int) -> None:
        self._process.cancel()
        self._life, self._process = life, trio.CancelScope()
        self._to_bot, from_site = trio.open_memory_channel[bytes](_MOST_UNREAD)
        assert self._nursery is not None  # noqa: S101  # `play` has opened it
        self._nursery.start_soon(self._live, life, from_site, self._process)

    async def _live(
        self, life: int, from_site: trio.MemoryReceiveChannel[bytes], scope: trio.CancelScope
    ) -> None:
        """Run a process of the bot to its end, and say what it says."""
        with from_site, scope:
            process = await self._sandbox.launch(self._bot)
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_feed, process, from_site)
                    nursery.start_soon(_show, process)
                    while data := await _read(process.stdout):
                        await self._talk.all_but(_MOST_SAID)
                        self._talk.say(Data(life, data))
                    nursery.cancel_scope.cancel()
            finally:
                process.kill()
                for end in (process.stdin, process.stdout, process.stderr):
                    trio.lowlevel.notify_closing(end)
                process.release()
        if not scope.cancel_called:
            self._talk.say(Ended(life))


async def _feed(process: BotProcess, lines: trio.MemoryReceiveChannel[bytes]) -> None:
    """Write to a bot what it is told, until it hears no more."""
    with lines:
        async for data in lines:
            rest = memoryview(data)
            while rest:
                try:
                    rest = rest[os.write(process.stdin, rest) :]
                except BlockingIOError:
                    await trio.lowlevel.wait_writable(process.stdin)
                except OSError:
                    return


async def _show(process: BotProcess) -> None:
    """Show what a bot writes to its stderr."""
    while data := await _read(process.stderr):
        sys.stderr.buffer.write(data)
        sys.stderr.flush()


async def _read(end: int) -> bytes:
    """Return what there is to read, as soon as there is something; b"" at the end."""
    while True:
        try:
            return os.read(end, MOST_DATA)
        except BlockingIOError:
            await trio.lowlevel.wait_readable(end)
        except OSError:
            return b""
