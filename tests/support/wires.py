"""Connections in memory, for what `ladder.connection` says over them."""

import math

import trio

from ladder.connection.talk import Broken


class Pipe:
    """One end of a connection in memory, which breaks after so many messages."""

    def __init__(
        self,
        to: trio.MemorySendChannel[bytes],
        of: trio.MemoryReceiveChannel[bytes],
        lasts: float = math.inf,
    ) -> None:
        self._to, self._of, self._left = to, of, lasts

    async def send(self, envelope: bytes) -> None:
        if not self._left:
            raise Broken("cut")
        self._left -= 1
        try:
            await self._to.send(envelope)
        except trio.BrokenResourceError as error:
            raise Broken("gone") from error

    async def receive(self) -> bytes:
        try:
            return await self._of.receive()
        except trio.EndOfChannel as error:
            raise Broken("gone") from error


def connected(lasts: tuple[float, float] = (math.inf, math.inf)) -> tuple[Pipe, Pipe]:
    to_one, of_one = trio.open_memory_channel[bytes](2)
    to_other, of_other = trio.open_memory_channel[bytes](2)
    return Pipe(to_other, of_one, lasts[0]), Pipe(to_one, of_other, lasts[1])
