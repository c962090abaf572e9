"""A bot on its author's machine that plays against bots of the ladder: the site's end of it."""

import math
import secrets
from pathlib import Path
from typing import Final

import msgspec
import trio

from ladder.connection.messages import MOST_DATA, Begin, Data, Ended, Over, ToSite
from ladder.connection.resumable import OutOfStep
from ladder.connection.talk import NOT_UNDERSTOOD, Broken, Talk, Wire
from ladder.web import table_process
from ladder.web.rate_limit import Rate, RateLimit
from ladder.web.table import ID_BYTES
from ladder.web.table_match import play_beside
from ladder.web.table_process import TableOrder, TableReport

CLOCK: Final = "move=5s,bank=60s,inc=0s,start=60s,soft=0ms"
"""The clock of a connected bot: the network is between, and it may have to connect again."""

LEAVING_S: Final = 10.0
"""So long a connection stays when the match is over, for its author to hear how it ended."""

FLOOD: Final = Rate(burst=4000, a_second=200)
"""Envelopes of a bot, be there something new in them or not; more have to wait."""

LONGEST_S: Final = 600.0
LONGEST_DEAL_S: Final = 120.0
"""So long a match takes at most, and so much longer for each deal: its place is for others, too."""

_decode: Final = msgspec.json.Decoder(ToSite).decode


class ConnectedBot:
    """A bot that plays from elsewhere, in one match.

    Attributes:
        id: 24 hex digits; who knows it and has the author's token may connect again.
        author: whose it is.
        order: what is played.
        is_over: whether the match is.
        ended_at: when it ended, by trio's clock; infinite while it goes on.
    """

    def __init__(self, author: str, order: TableOrder) -> None:
        """Nothing is played yet, and no connection is there."""
        self.id = secrets.token_hex(ID_BYTES)
        self.author = author
        self.order = order
        self.is_over = False
        self.ended_at = math.inf
        self._over = Over("The match was broken off.")
        self._talk = Talk(self._hear, lambda: self._flood.take("", trio.current_time()))
        self._life = 0
        self._to_seat, _ = trio.open_memory_channel[bytes](0)
        self._flood = RateLimit(FLOOD)
        self._match, self._connection = trio.CancelScope(), trio.CancelScope()

    def has(self, author: str) -> bool:
        """Whether it is a bot of this author."""
        return self.author == author

    async def play(self) -> str:
        """Play the match to its end; for what it returns and raises see `play_beside`."""
        wrong = ""
        try:
            self._match.deadline = trio.current_time() + _longest_s(self.order)
            with self._match:
                wrong = await play_beside(self.order, {0: self._serve}, self._report, _keep_nothing)
                if wrong:
                    self._over = Over("The machine could not play this match.")
            if self._match.cancelled_caught and trio.current_time() >= self._match.deadline:
                self._over = Over("The match took too long, and was broken off.")
        finally:
            self.is_over, self.ended_at = True, trio.current_time()
            self._talk.say(self._over, last=True)
        return wrong

    async def attach(self, wire: Wire) -> None:
        """Talk over a connection, until it breaks, another takes its place, or all is said.

        Where the other end does not keep to the rules, the match is over.
        """
        self._connection.cancel()
        self._connection = trio.CancelScope()
        with self._connection:
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._see_out, nursery.cancel_scope)
                    await self._talked(wire)
                    nursery.cancel_scope.cancel()
            except* Broken:
                pass

    async def leave(self) -> None:
        """End the match, since its author begins another; return when it has ended."""
        self._leave("Another match was begun.")
        while not self.is_over:
            await self._talk.change()

    async def _talked(self, wire: Wire) -> None:
        try:
            await self._talk.over(wire)
        except OutOfStep as error:
            self._leave(f"The connection was given up: {error}.")

    async def _see_out(self, scope: trio.CancelScope) -> None:
        """End a connection once its author has heard how the match ended."""
        while not self.is_over:
            await self._talk.change()
        with trio.move_on_after(LEAVING_S):
            await self._talk.all_but(0)
        scope.cancel()

    def _leave(self, text: str) -> None:
        self._over = Over(text)
        self._match.cancel()

    def _say(self, message: msgspec.Struct) -> None:
        try:
            self._talk.say(message)
        except OutOfStep:
            self._leave("The bot was away for too long.")

    def _report(self, report: TableReport) -> None:
        if isinstance(report, table_process.Ended):
            text = "The match is over."
            if report.given_up:
                text = f"The machine gave the match up: {report.given_up}."
            self._over = Over(text, report.scores, report.faults)

    async def _serve(self, stream: trio.SocketStream) -> None:
        """Carry what is said between the referee and a process of the bot."""
        self._life += 1
        life = self._life
        self._to_seat, from_bot = trio.open_memory_channel[bytes](0)
        self._say(Begin(life))
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_pass_on, from_bot, stream)
                while data := await stream.receive_some(MOST_DATA):
                    self._say(Data(life, data))
                nursery.cancel_scope.cancel()
        except* trio.BrokenResourceError:
            pass  # the referee has ended it
        finally:
            from_bot.close()
            self._say(Ended(life))

    async def _hear(self, message: bytes) -> None:
        try:
            said = _decode(message)
        except NOT_UNDERSTOOD as error:
            raise OutOfStep(f"a message is not understood: {error}") from error
        if said.life != self._life or self.is_over:
            return
        try:
            match said:
                case Data():
                    await self._to_seat.send(said.data)
                case Ended():
                    self._to_seat.close()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # its process has ended


async def _pass_on(from_bot: trio.MemoryReceiveChannel[bytes], stream: trio.SocketStream) -> None:
    """Carry what a bot says, until its process has ended; then the referee sees that."""
    async for data in from_bot:
        await stream.send_all(data)
    await stream.send_eof()


async def _keep_nothing(record: Path) -> None:
    """The author's own machine has what there is to keep."""


def _longest_s(order: TableOrder) -> float:
    """Return how long a match may take."""
    return LONGEST_S + LONGEST_DEAL_S * order.deals
