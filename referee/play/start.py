"""Starting a bot: its process, and its answer to the greeting."""

import errno
from collections.abc import Callable, Collection
from typing import Final

from msgspec.structs import replace

from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Ready
from referee.bots.find import BotSpec
from referee.errors import SHORTAGES, HostError, SandboxError
from referee.match.leg import Ask, too_late
from referee.match.verdict import FaultCode, Freeze, Mishap, Verdict
from referee.play.evidence import Heard
from referee.play.seat import Seat
from referee.sandbox import BotProcess, Sandbox

_OF_THE_HOST: Final = {*SHORTAGES, errno.EAGAIN}
"""Why a process may not start through no fault of the bot."""

_AT_ANY_TIME: Final = {FaultCode.OUTPUT, FaultCode.MEMORY}
"""What keeps its code when it is found at the start."""


class Void(HostError):
    """The deal under way is void, through no bot's doing."""

    def __init__(self, mishap: Mishap) -> None:
        """Says why."""
        super().__init__(mishap.detail)
        self.mishap = mishap


async def launched(bot: BotSpec, sandbox: Sandbox) -> BotProcess:
    """Start a bot's process.

    Raises:
        SandboxError: no bot can be started.
        OSError: this one cannot, and that is its own fault.
    """
    try:
        return await sandbox.launch(bot)
    except OSError as error:
        if error.errno not in _OF_THE_HOST:
            raise
        line = f"bot {bot.name} cannot be started: {error.strerror}"
        raise SandboxError(line) from error


async def start_bot(
    ask: Ask,
    bot: BotSpec,
    sandbox: Sandbox,
    *,
    freeze: Freeze,
    lives: Callable[[Seat], None],
    seats: Collection[Seat] = (),
) -> Heard | Verdict:
    """Starts a bot and waits until it is ready.

    Args:
        ask: the greeting.
        bot: whom to start.
        sandbox: where.
        freeze: when it is to be stopped later on.
        lives: is told of the process as soon as there is one, and has to end it.
        seats: those that play already, and are to rest meanwhile.

    Raises:
        SandboxError: no bot can be started.
        Void: it did not get ready, and that is no bot's doing.
    """
    try:
        process = await launched(bot, sandbox)
    except OSError as error:
        return Verdict(ask.place, FaultCode.STARTUP, f"it cannot be started: {error}")
    seat = Seat(ask.place, process, freeze, seats)
    lives(seat)
    heard = await seat.ask(ask)
    if isinstance(heard, Mishap):
        raise Void(heard)
    if isinstance(heard, Verdict):
        code = heard.code if heard.code in _AT_ANY_TIME else FaultCode.STARTUP
        return replace(heard, code=code, detail=f"after hello: {heard.detail}")
    ready, receipt = heard
    if receipt.complete > ask.allowance_us:
        excuse = seat.excuse(receipt, ask.allowance_us)
        if excuse is not None:
            raise Void(excuse)
        detail = too_late(ask.allowance_us)
        return Verdict(ask.place, FaultCode.STARTUP, detail, seat.evidence(receipt))
    if isinstance(ready, Ready) and ready.protocol != PROTOCOL_VERSION:
        return Verdict(
            ask.place,
            FaultCode.STARTUP,
            f"it chose protocol {ready.protocol}, which was not offered",
            seat.evidence(receipt),
        )
    return heard
