"""One end of a conversation over connections that may break."""

from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec
import trio

from ladder.connection.messages import LONGEST, Envelope
from ladder.connection.resumable import OutOfStep, Resumable
from referee.errors import innermost

BEAT_S: Final = 10.0
"""So often at least each end lets the other hear of it."""

SILENT_S: Final = 30.0
"""A connection over which nothing has come for so long is broken."""

NOT_UNDERSTOOD: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What msgspec raises of bytes that are not what was to come."""

_decode: Final = msgspec.json.Decoder(Envelope).decode


class Broken(Exception):
    """A connection is over; the conversation may go on over another one."""


def expected_in(
    found: BaseExceptionGroup[BaseException], kinds: tuple[type[Exception], ...]
) -> BaseException:
    """Return an error of these kinds out of a group that has no others.

    Raises:
        BaseExceptionGroup: the others, as where a connection breaks that was cancelled just then.
    """
    ours, others = found.split(kinds)
    if ours is None or others is not None:
        raise (others or found) from None
    return innermost(ours)


class Wire(Protocol):
    """A connection, which carries whole messages."""

    async def send(self, envelope: bytes) -> None:
        """Send a message.

        Raises:
            Broken: the connection is over.
        """

    async def receive(self) -> bytes:
        """Return the next message; for what it raises see `send`."""


class Talk:
    """A conversation."""

    def __init__(
        self,
        hear: Callable[[bytes], Awaitable[None]],
        pause: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Nothing is said yet.

        Args:
            hear: is told each message of the other end once, in order. It may be cancelled when a
                connection breaks, and is told again then.
            pause: says for how many seconds nothing more is listened to, before each envelope.
        """
        self._hear = hear
        self._pause = pause
        self._state = Resumable()
        self._changed = trio.Event()

    def say(self, message: msgspec.Struct, *, last: bool = False) -> None:
        """Have a message said, now or over the next connection; the last one in any case.

        Raises:
            OutOfStep: the other end has confirmed nothing for too long.
        """
        self._state.say(msgspec.json.encode(message), last=last)
        self._tell()

    async def change(self) -> None:
        """Wait until something was said or heard."""
        await self._changed.wait()

    async def all_but(self, most: int) -> None:
        """Wait until no more messages than these are not confirmed."""
        while self._state.kept > most:
            await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def over(self, wire: Wire) -> None:
        """Talk over a connection until it breaks.

        Raises:
            Broken: it has, or nothing came for too long.
            OutOfStep: the other end does not keep to the rules.
        """
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._speak, wire)
                await self._listen(wire)
        except BaseExceptionGroup as found:
            raise expected_in(found, (Broken, OutOfStep)) from found

    async def _listen(self, wire: Wire) -> None:
        while True:
            with trio.move_on_after(SILENT_S) as waiting:
                text = await wire.receive()
            if waiting.cancelled_caught:
                raise Broken(f"nothing came for {SILENT_S:.0f} s")
            while pause_s := self._pause():  # noqa: ASYNC110  # a bucket fills by time alone
                await trio.sleep(pause_s)
            await self._heard(text)

    async def _heard(self, text: bytes) -> None:
        if len(text) > LONGEST:
            raise OutOfStep("a message is too long")
        try:
            envelope = _decode(text)
        except NOT_UNDERSTOOD as error:
            raise OutOfStep(f"a message is not understood: {error}") from error
        self._state.confirm(envelope.heard)
        if envelope.number > 0 and self._state.is_new(envelope.number):
            await self._hear(bytes(envelope.message))
            self._state.heard += 1
        self._tell()

    async def _speak(self, wire: Wire) -> None:
        said, confirmed = 0, -1
        while True:
            changed, state = self._changed, self._state
            for number, message in state.after(said):
                confirmed = state.heard
                envelope = Envelope(number, confirmed, msgspec.Raw(message))
                await wire.send(msgspec.json.encode(envelope))
                said = number
            if confirmed != state.heard:
                confirmed = state.heard
                await wire.send(msgspec.json.encode(Envelope(0, confirmed)))
            with trio.move_on_after(BEAT_S) as waiting:
                await changed.wait()
            if waiting.cancelled_caught:
                confirmed = -1
