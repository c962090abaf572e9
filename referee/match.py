"""Conducts a match: starts the bots, carries questions and answers, writes the record.

Decides nothing itself: what is asked, what an answer is worth and when it is over is `Leg`'s.
"""

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final, Protocol

import trio
from msgspec import Struct

from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Answer, Ready
from referee.bots import BotSpec
from referee.config import MatchPlan
from referee.errors import HostError, innermost
from referee.leg import Ask, DealResult, DealStart, Leg, late
from referee.record import (
    FORMAT,
    WIRE,
    ActLine,
    BotLine,
    DealLine,
    EndLine,
    FaultLine,
    Header,
    LegLine,
    Line,
    Sealed,
    StartLine,
    deal_end_line,
)
from referee.result import Totals
from referee.sandbox import Sandbox
from referee.seat import Heard, Seat
from referee.verdict import Evidence, FaultCode, Verdict

_OF_THE_HOST: Final = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}
"""Why a process may not start through no fault of the bot."""

_CLEAR_EVERY: Final = 100
"""Deals between two looks for what living bots have orphaned."""


class LineWriter(Protocol):
    """Where the lines of the record go."""

    def write(self, line: Line) -> None:
        """Writes a line without a hash."""

    def seal(self, line: Sealed) -> None:
        """Writes a line with the hash of what came before."""


class MatchResult(Struct, frozen=True):
    """A match that is over, one way or the other.

    Attributes:
        wall_us: time spent between the first question and the end of each deal, in all.
        used_us: what each bot's clock was charged, in all.
    """

    end: EndLine
    totals: Totals
    wall_us: int
    used_us: tuple[int, ...]


async def play_match(
    plan: MatchPlan,
    bots: Sequence[BotSpec],
    sandbox: Sandbox,
    recorder: LineWriter,
    *,
    interrupt: trio.CancelScope,
    watch: Callable[[DealResult], None] = lambda _: None,
) -> MatchResult:
    """Plays a match to its end, or until it is interrupted; closes the record either way.

    Args:
        plan: what was agreed.
        bots: who plays, in the order of the plan's bots.
        sandbox: where they run.
        recorder: takes the record's lines; what it raises ends the match.
        interrupt: cancelled by whoever wants the match to stop; not entered before.
        watch: is told of every finished deal.

    Raises:
        HostError: the record cannot be written.
    """
    conductor = _Conductor(plan, bots, sandbox, recorder, watch)
    failure: Exception | None = None
    with _one_core(), interrupt:
        async with trio.open_nursery() as nursery:
            try:
                await conductor.play(nursery)
            except Exception as error:  # raised again below, where no nursery wraps it
                failure = error
            finally:
                conductor.end_all()
                nursery.cancel_scope.cancel()
    if failure is not None:
        raise innermost(failure)
    return conductor.finish()


@contextmanager
def _one_core() -> Iterator[None]:
    """Keeps us and the bots we start on one core: they take turns, and hand over faster so."""
    before = os.sched_getaffinity(0)
    with open("/proc/self/stat") as stat:
        last_used = int(stat.read().rpartition(")")[2].split()[36])
    os.sched_setaffinity(0, {last_used if last_used in before else min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class _Conductor:
    def __init__(
        self,
        plan: MatchPlan,
        bots: Sequence[BotSpec],
        sandbox: Sandbox,
        recorder: LineWriter,
        watch: Callable[[DealResult], None],
    ) -> None:
        self._plan = plan
        self._bots = bots
        self._sandbox = sandbox
        self._recorder = recorder
        self._watch = watch
        self._totals = Totals(len(bots))
        self._used_us = [0] * len(bots)
        self._wall_ns = 0
        self._seats: dict[int, Seat] = {}
        self._open_leg: Leg | None = None

    async def play(self, nursery: trio.Nursery) -> None:
        self._recorder.write(self._header())
        faults = [0] * len(self._bots)
        for number, seating in enumerate(self._plan.seatings):
            self._open_leg = leg = Leg(self._plan.leg(number), faults)
            self._recorder.write(LegLine(number, seating, self._plan.dealer))
            while (start := leg.next_deal()) is not None:
                await self._play_deal(leg, start, nursery)
            await self._part(leg)
            self._totals.end_leg(leg)
            self._open_leg = None
            faults = leg.course.faults
            if self._totals.stopped:
                break

    def _header(self) -> Header:
        plan = self._plan
        return Header(
            record=FORMAT,
            wire=WIRE,
            referee=version("briscola-referee"),
            game=plan.game,
            options=plan.options,
            rules=plan.name,
            bots=tuple(BotLine(bot.name, bot.hash) for bot in self._bots),
            decks=plan.decks,
            given=bool(plan.given),
            seating=str(plan.seating),
            legs=len(plan.seatings),
            on_fault=plan.on_fault,
            time=plan.control,
        )

    async def _play_deal(self, leg: Leg, start: DealStart, nursery: trio.Nursery) -> None:
        recorder = self._recorder
        deck = " ".join(start.deck)
        recorder.write(DealLine(start.deal, start.key, deck, start.dealer, start.bots))
        await self._start_bots(leg, nursery)
        leg.open_deal()
        begin = time.perf_counter_ns()
        while (ask := leg.ask()) is not None:
            heard = await self._seats[ask.place].ask(ask)
            verdict = heard if isinstance(heard, Verdict) else self._answered(leg, ask, heard)
            if verdict is not None:
                await self._fault(leg, ask.place, verdict)
        deal = leg.close_deal()
        recorder.seal(deal_end_line(deal))
        self._wall_ns += time.perf_counter_ns() - begin
        self._totals.add_deal(deal)
        self._watch(deal)
        if start.deal % _CLEAR_EVERY == 0:
            self._sandbox.clear()
        await trio.lowlevel.checkpoint()

    def _answered(self, leg: Leg, ask: Ask, heard: Heard) -> Verdict | None:
        """Records and carries out an answer, or says what is wrong with it."""
        answer, receipt = heard
        assert isinstance(answer, Answer)  # noqa: S101  # the connection lets nothing else pass
        verdict = leg.judge(answer, receipt)
        if verdict is not None:
            evidence = self._seats[ask.place].evidence(receipt)
            return Verdict(verdict.code, verdict.detail, evidence)
        self._recorder.write(
            ActLine(answer.action, receipt, answer.note, answer.eval, answer.extra)
        )
        leg.answered(answer, receipt)
        self._used_us[leg.plan.course.seating[ask.place]] += receipt.complete
        return None

    async def _start_bots(self, leg: Leg, nursery: trio.Nursery) -> None:
        """Starts the processes that this deal still needs, all at once."""
        heard: dict[int, Heard | Verdict] = {}

        async def start(ask: Ask) -> None:
            bot = self._bots[leg.plan.course.seating[ask.place]]
            heard[ask.place] = await self._start(ask, bot, nursery)

        asks = [leg.greet(place) for place in leg.to_start()]
        if not asks:
            return
        async with trio.open_nursery() as starting:
            for ask in asks:
                starting.start_soon(start, ask)
        for ask in asks:
            found = heard[ask.place]
            if isinstance(found, Verdict):
                await self._fault(leg, ask.place, found)
                continue
            ready, receipt = found
            assert isinstance(ready, Ready)  # noqa: S101  # the connection lets nothing else pass
            self._recorder.write(
                StartLine(ask.place, receipt.complete, PROTOCOL_VERSION, ready.name, ready.version)
            )

    async def _start(self, ask: Ask, bot: BotSpec, nursery: trio.Nursery) -> Heard | Verdict:
        try:
            process = self._sandbox.launch(bot)
        except OSError as error:
            if error.errno in _OF_THE_HOST:
                raise HostError(f"bot {bot.name} cannot be started: {error.strerror}") from error
            return Verdict(FaultCode.STARTUP, f"it cannot be started: {error}", Evidence())
        seat = self._seats[ask.place] = Seat(process)
        nursery.start_soon(seat.drain_stderr)
        heard = await seat.ask(ask)
        if isinstance(heard, Verdict):
            code = heard.code if heard.code is FaultCode.OUTPUT else FaultCode.STARTUP
            return Verdict(code, f"after hello: {heard.detail}", heard.evidence)
        ready, receipt = heard
        if receipt.complete > ask.allowance_us:
            return Verdict(FaultCode.STARTUP, late(ask.allowance_us).detail, seat.evidence(receipt))
        if isinstance(ready, Ready) and ready.protocol != PROTOCOL_VERSION:
            return Verdict(
                FaultCode.STARTUP,
                f"it chose protocol {ready.protocol}, which was not offered",
                seat.evidence(receipt),
            )
        return heard

    async def _fault(self, leg: Leg, place: int, verdict: Verdict) -> None:
        """Records a fault, then tells the bot, then ends its process."""
        self._recorder.write(FaultLine(place, verdict.code, verdict.detail, verdict.evidence))
        bot = leg.plan.course.seating[place]
        self._totals.add_fault(leg.deal.start.deal, bot, verdict)
        line = leg.faulted(place, verdict)
        seat = self._seats.pop(place, None)
        if seat is not None:
            await seat.dismiss(line)
            self._sandbox.clear()

    async def _part(self, leg: Leg) -> None:
        """Says farewell to the processes of a leg, and judges what they still say."""
        verdicts: dict[int, Verdict | None] = {}

        async def part(place: int, line: bytes) -> None:
            connection = leg.voices[place].connection
            verdicts[place] = await self._seats[place].part(line, connection)

        async with trio.open_nursery() as parting:
            for place, line in leg.farewells().items():
                parting.start_soon(part, place, line)
        for place, verdict in sorted(verdicts.items()):
            if verdict is not None:
                self._recorder.write(
                    FaultLine(place, verdict.code, verdict.detail, verdict.evidence)
                )
                bot = leg.plan.course.seating[place]
                leg.course.faults[bot] += 1
                self._totals.add_fault(0, bot, verdict)
        self._seats.clear()
        self._sandbox.sweep()

    def end_all(self) -> None:
        """Ends every process that still runs."""
        for seat in self._seats.values():
            seat.end()
        self._seats.clear()
        self._sandbox.sweep()

    def finish(self) -> MatchResult:
        """Closes the record, of a match that is over or was interrupted."""
        if self._open_leg is not None:
            self._totals.end_leg(self._open_leg)
        end = self._totals.result(len(self._plan.seatings))
        self._recorder.seal(end)
        return MatchResult(end, self._totals, self._wall_ns // 1000, tuple(self._used_us))
