"""Starting a bot: its process, and its answer to the greeting."""

import errno
from collections.abc import Awaitable, Callable, Collection
from typing import Final

import trio
from msgspec.structs import replace

from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Ready
from referee.bots.find import BotSpec
from referee.errors import SHORTAGES, HostError, SandboxError, Shortage, shortage
from referee.match.leg import Ask, too_late
from referee.match.verdict import Blame, FaultCode, Freeze, Mishap, Verdict
from referee.play.evidence import Heard
from referee.play.off_turn import OffTurn
from referee.play.off_turn_table import LOOK_S, none_at_work
from referee.play.seat import Seat
from referee.sandbox import BotProcess, Sandbox

_OF_THE_HOST: Final = {*SHORTAGES, errno.EAGAIN}
"""Why a process may not start through no fault of the bot."""

DETAIL_KEPT: Final = 500
"""Characters of what went wrong here."""

_REST_S: Final = 5.0
"""How long bots may take to come to a stop, where they do not work: they may wait for the disk."""

_AT_ANY_TIME: Final = {FaultCode.OUTPUT, FaultCode.MEMORY}
"""What keeps its code when it is found at the start."""


class Void(HostError):
    """The deal under way is void, through no bot's doing."""

    def __init__(self, mishap: Mishap) -> None:
        """Says why."""
        super().__init__(mishap.detail)
        self.mishap = mishap


def mishap_of(error: BaseException) -> Mishap | None:
    """Say what ends a deal through no bot's doing, and no mistake of ours; None: it is another."""
    if isinstance(error, Void):
        return error.mishap
    if isinstance(error, SandboxError | Shortage):
        lacks = shortage(error) is not None
        return Mishap(Blame.HOST, str(error)[:DETAIL_KEPT], shortage=lacks)
    return None


async def launched(bot: BotSpec, sandbox: Sandbox, others: Collection[OffTurn] = ()) -> BotProcess:
    """Start a bot's process.

    Args:
        bot: whom to start.
        sandbox: where.
        others: those that live, of whom none may work meanwhile: to start a process can take a
            daemon, and all of the machine.

    Raises:
        SandboxError: no bot can be started.
        OSError: this one cannot, and that is its own fault.
    """
    try:
        return await _watched(sandbox.launch(bot), others)
    except OSError as error:
        if error.errno not in _OF_THE_HOST:
            raise
        line = f"bot {bot.name} cannot be started: {error.strerror}"
        raise SandboxError(line) from error


async def _watched(launch: Awaitable[BotProcess], others: Collection[OffTurn]) -> BotProcess:
    """Await a launch, and stop each of the other bots that works before it is over."""
    process: BotProcess | None = None
    failure: Exception | None = None
    try:
        async with none_at_work(others):
            try:
                process = await launch
            except Exception as error:  # raised below, as what it was: nurseries wrap
                failure = error
    except BaseException:  # broken off when it had just come: no seat has it, so none would end it
        if process is not None:
            process.kill()
            process.release()
        raise
    if process is None:
        assert failure is not None  # noqa: S101  # for mypy: a launch has one or the other
        raise failure
    return process


async def come_to_rest(bots: Collection[OffTurn]) -> None:
    """Stop bots, and wait until they have come to a stop, or are charged since they work on."""
    for bot in bots:
        bot.rest()
    with trio.move_on_after(_REST_S):
        while not all(bot.rests() for bot in bots):
            await trio.sleep(LOOK_S)
            for bot in bots:
                bot.check()


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
        seats: those that play already, of whom none may work meanwhile.

    Raises:
        SandboxError: no bot can be started.
        Void: it did not get ready, and that is no bot's doing.
    """
    try:
        process = await launched(bot, sandbox, [seat.off_turn for seat in seats])
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
