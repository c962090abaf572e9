"""Matches between two sample bots in this process: what an act costs, and a start."""

import os
import time
from pathlib import Path
from statistics import mean, median
from typing import Final

import trio
from msgspec import Struct

from protocol.messages import Answer
from referee.bots.find import BotSource
from referee.errors import HostError
from referee.match.clock import parse_time
from referee.match.leg import Ask, Leg
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.terms import Terms, all_options
from referee.match.verdict import Freeze, Receipt
from referee.play.conductor import play_match
from referee.record.writer import Recorder
from referee.sandbox import BotProcess, Sandbox

GAME: Final = "briscola-2"
C_BOT: Final = "sample:first-c"
KEY: Final = "bench"
SEATS: Final = 2
_LONGEST_START_S: Final = 30


class Cost(Struct, frozen=True):
    """What a match cost, in microseconds an act.

    Attributes:
        act: from the first question of a deal to its end.
        whole: the whole match, with starts and everything between the deals.
    """

    act: float
    whole: float


def terms(freeze: Freeze = Freeze.AUTO) -> Terms:
    """Return how everything here is played."""
    return Terms(game=GAME, options=all_options(GAME, {}), time=parse_time(""), freeze=freeze)


def _plan(deals: int, freeze: Freeze = Freeze.AUTO) -> MatchPlan:
    return make_plan(MatchConfig(terms=terms(freeze), bots=SEATS, deals=deals, key=KEY, dealer=0))


def questions(deals: int) -> list[Ask]:
    """Return all that is asked in a match of bots that play the first legal action.

    The first `SEATS` of it are greetings, one for each place in order.
    """
    leg, asked = Leg(_plan(deals).leg(0)), []
    while leg.next_deal() is not None:
        for place in leg.to_start():
            asked.append(hello := leg.greet(place))
            hello.connection.hear(b'{"type":"ready","protocol":1,"name":"x"}\n')
        leg.open_deal()
        while (ask := leg.ask()) is not None:
            asked.append(ask)
            action = ask.legal[0]
            ask.connection.hear(b'{"id":"%b","action":"%b"}\n' % (ask.id.encode(), action.encode()))
            leg.answered(Answer(ask.id, action), Receipt(0, 0, 0, 0))
        leg.close_deal()
    return asked


def mean_line(deals: int = 20) -> int:
    """How long the line of an act is in such matches, in bytes, on average."""
    acts = questions(deals)[SEATS:]
    return round(mean(len(ask.line.splitlines()[-1]) + 1 for ask in acts))


async def cost_of_acts(
    sandbox: Sandbox, bot: BotSource, freeze: Freeze, deals: int, record: Path
) -> Cost:
    """Plays a match of a bot against itself, and keeps its record.

    Raises:
        HostError: it could not be played to its end.
    """
    spec = await sandbox.prepare(bot)
    recorder = Recorder(record)
    begin = time.perf_counter_ns()
    try:
        scope = trio.CancelScope()
        plan = _plan(deals, freeze)
        done = await play_match(plan, [spec, spec], sandbox, recorder, interrupt=scope)
    finally:
        recorder.close()
    whole_us = (time.perf_counter_ns() - begin) / 1000
    troubles = [row.detail for row in done.totals.faults]
    troubles += [row.detail for row in done.totals.voids]
    if troubles:
        raise HostError(
            f"bench: a match of {bot.typed} in {sandbox.name} went wrong: {troubles[0]}"
        )
    acts = done.totals.acts
    return Cost(act=done.wall_us / acts, whole=whole_us / acts)


async def first_line(process: BotProcess, hello: bytes, bot: BotSource, sandbox: Sandbox) -> None:
    """Greet a bot, and wait until there is something to read of it.

    Raises:
        HostError: it says nothing.
    """
    os.write(process.stdin, hello)
    with trio.move_on_after(_LONGEST_START_S) as waiting:
        await trio.lowlevel.wait_readable(process.stdout)
    if waiting.cancelled_caught:
        raise HostError(f"bench: {bot.typed} says nothing in {sandbox.name}")


def end(process: BotProcess) -> None:
    """End a bot that was started, and let go of it."""
    process.kill()
    trio.lowlevel.notify_closing(process.stdout)
    process.release()


async def lives(sandbox: Sandbox, bot: BotSource, times: int) -> tuple[float, float]:
    """Milliseconds from a bot's start to its first line, and to its end: medians.

    Raises:
        HostError: it said nothing.
    """
    spec = await sandbox.prepare(bot)
    first, whole = [], []
    for _ in range(times):
        begin = time.perf_counter()
        process = await sandbox.launch(spec)
        try:
            await first_line(process, b'{"type":"hello"}\n', bot, sandbox)
            first.append(time.perf_counter() - begin)
        finally:
            end(process)
        whole.append(time.perf_counter() - begin)
    return median(first) * 1000, median(whole) * 1000
