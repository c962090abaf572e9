"""Conducts a match: starts the bots, carries questions and answers, writes the record.

Decides nothing itself: what is asked, what an answer is worth and when it is over is `Leg`'s.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Answer, Ready
from referee.bots.find import BotSpec
from referee.errors import HostError, RefereeError, SandboxError, innermost
from referee.match.leg import Ask, DealResult, DealStart, Leg
from referee.match.lines import EndLine, LineWriter, StartLine
from referee.match.match import Match
from referee.match.plan import MatchPlan
from referee.match.totals import Totals
from referee.match.verdict import Blame, FaultCode, Mishap, Verdict
from referee.play.affinity import one_core
from referee.play.evidence import Heard
from referee.play.header import header
from referee.play.last_seen import LastSeen
from referee.play.off_turn import OffTurn
from referee.play.off_turn_table import none_at_work
from referee.play.pace import held_back
from referee.play.pipe_calls import PipeCalls
from referee.play.seat import Seat
from referee.play.standstill import OwnWait
from referee.play.start import DETAIL_KEPT, Void, come_to_rest, mishap_of, start_bot
from referee.play.tee import Tee
from referee.play.usual_act import Unusual, play_usual
from referee.record.stderr_log import Moment, StderrLog
from referee.sandbox import Sandbox

_BACK_OFF_S: Final = 0.5
_SHARE_NS: Final = 20_000_000
"""So long deals follow each other at once; then all else that runs in trio has a turn."""
_CLEAR_EVERY: Final = 100
"""Deals between two looks for what living bots have orphaned."""


class MatchResult(Struct, frozen=True):
    """A match that is over, one way or the other.

    Attributes:
        wall_us: time spent between the first question and the end of each deal, in all.
        bug: our own mistake that made a deal void, if there was one.
    """

    end: EndLine
    match: Match
    wall_us: int
    bug: BaseException | None

    @property
    def totals(self) -> Totals:
        """What was brought."""
        return self.match.totals

    @property
    def given_up(self) -> Mishap | None:
        """What made a deal void for the last time, if that ended the match."""
        return self.match.given_up


async def play_match(
    plan: MatchPlan,
    bots: Sequence[BotSpec],
    sandbox: Sandbox,
    recorder: LineWriter,
    *,
    interrupt: trio.CancelScope,
    watch: Callable[[DealResult], None] = lambda _: None,
    stderr: StderrLog | None = None,
    tee: Tee | None = None,
) -> MatchResult:
    """Plays a match to its end, or until it is interrupted; closes the record either way.

    Args:
        plan: what was agreed.
        bots: who plays, in the order of the plan's bots.
        sandbox: where they run; open until the match is over.
        recorder: takes the record's lines; what it raises ends the match.
        interrupt: cancelled by a caller that wants the match to stop; not entered before.
        watch: is told of every finished deal.
        stderr: keeps what bots write there; None: only what belongs to a fault is kept.
        tee: takes all that is said; acts then go the long way.

    Raises:
        HostError: the record, or what bots write to stderr, cannot be written.
        RefereeError: a bot may not run here.
    """
    conductor = _MatchConductor(plan, bots, sandbox, recorder, watch=watch, stderr=stderr, tee=tee)
    failure: Exception | None = None
    with closing(conductor.own_wait), one_core(), interrupt, conductor.calls.watched():
        try:
            await conductor.play()
        except Exception as error:  # raised again below, as what it was before nurseries wrapped it
            failure = error
        finally:
            conductor.end_all()
    if failure is not None:
        raise innermost(failure)
    return conductor.finish()


class _MatchConductor:
    def __init__(
        self,
        plan: MatchPlan,
        bots: Sequence[BotSpec],
        sandbox: Sandbox,
        recorder: LineWriter,
        *,
        watch: Callable[[DealResult], None],
        stderr: StderrLog | None,
        tee: Tee | None,
    ) -> None:
        self._plan, self._bots, self._sandbox = plan, bots, sandbox
        self._recorder = recorder
        self._watch = watch
        self._stderr = stderr
        self._tee = tee
        self._match = Match(plan, recorder.write)
        self._wall_ns = 0
        self._shared_ns = 0
        """When all else last had its turn, between two deals."""
        self.own_wait, self.calls = OwnWait(), PipeCalls()
        self._last_seen = LastSeen()
        self._seats: dict[int, Seat] = {}
        self._bug: BaseException | None = None

    async def play(self) -> None:
        self._recorder.write(header(self._plan, self._bots, self._sandbox))
        match = self._match
        while (leg := match.next_leg()) is not None:
            while (start := match.next_deal()) is not None:
                await self._play_deal(leg, start)
            if match.given_up is not None:
                return
            await self._end_leg(leg)

    async def _play_deal(self, leg: Leg, start: DealStart) -> None:
        """Plays a deal to its end, or until a mishap makes it void."""
        await self._end_benched(leg)
        mishap = await self._attempt(leg)
        if mishap is not None:
            await self._void(mishap)
            return
        self._watch(self._match.close_deal())
        if start.deal % _CLEAR_EVERY == 0:
            self._sandbox.clear()
        await self._let_others_run()

    async def _let_others_run(self) -> None:
        """A look at all else that trio has to do, often enough: it costs as much as half an act."""
        if time.perf_counter_ns() - self._shared_ns > _SHARE_NS:
            await trio.lowlevel.checkpoint()
            self._shared_ns = time.perf_counter_ns()

    async def _end_benched(self, leg: Leg) -> None:
        """Ends the processes of bots that play no more, where one has several in a leg."""
        for place in [place for place in self._seats if not leg.voices[place].listening]:
            seat = self._seats.pop(place)
            async with none_at_work(self._off_turns()):
                await seat.end_aside()

    async def _attempt(self, leg: Leg) -> Mishap | None:
        """Plays the cards of a deal, or says what went wrong through no bot's doing."""
        try:
            await self._check_memory()
            await self._start_bots(leg)
            self._begin_deal()
            leg.open_deal()
            await self._ask_all(leg)
            if (trouble := self._sandbox.trouble()) is not None:
                raise SandboxError(trouble)
        except Exception as error:
            found = innermost(error)
            if (mishap := mishap_of(found)) is not None:
                return mishap
            if isinstance(found, HostError | RefereeError):
                raise
            self._bug = found
            return Mishap(Blame.REFEREE, f"a bug of the referee: {found!r}"[:DETAIL_KEPT])
        return None

    def _begin_deal(self) -> None:
        self.own_wait.begin()
        for seat in self._seats.values():
            seat.off_turn.begin_deal()

    async def _ask_all(self, leg: Leg) -> None:
        """Asks until the deal is over."""
        start_bot = time.perf_counter_ns()
        pace_s = self._plan.terms.pace_ms / 1000
        self._tell_frozen()  # of those that worked while others were started
        while True:
            self._last_seen.see(self._off_turns())
            asked_at = trio.current_time() if pace_s else 0.0
            asked = self._ask(leg, quick=not pace_s and self._tee is None)
            if asked is None:
                break
            ask, heard = asked
            seat = self._seats[ask.place]
            waits = heard is None
            if heard is None:
                self._recorder.flush()
                heard = await seat.finish()
            self._write_down(ask)
            verdict = heard if isinstance(heard, Verdict) else self._answered(ask, heard)
            if waits or seat.off_turn.used_us:  # others are looked at in waits only
                self._tell_frozen()
            if verdict is not None:
                await self._fault(verdict)
                self._tell_frozen()
            if pace_s:
                await self._wait_for_release(asked_at, pace_s)
        self._wall_ns += time.perf_counter_ns() - start_bot

    def _ask(self, leg: Leg, *, quick: bool) -> Unusual | None:
        """Asks the next question that is not the usual one, or any; None: the deal is over."""
        unusual = play_usual(self._match, self._seats) if quick else None
        if unusual is not None or (ask := leg.ask()) is None:
            return unusual
        return ask, self._seats[ask.place].ask_at_once(ask)

    def _tell_frozen(self) -> None:
        """Record which bots were stopped for work at another's turn."""
        for place, seat in self._seats.items():
            if seat.off_turn.used_us:
                self._match.frozen(place, seat.off_turn.used_us)
                seat.off_turn.used_us = 0

    async def _wait_for_release(self, asked_at: float, pace_s: float) -> None:
        """Holds an answer back until the next beat; that is no time of the match."""
        self._recorder.flush()
        before = time.perf_counter_ns()
        await held_back(asked_at, pace_s, self._off_turns())
        self._wall_ns -= time.perf_counter_ns() - before

    async def _check_memory(self) -> None:
        """Judges, before a deal, who wanted too much memory without ending of it."""
        for seat in tuple(self._seats.values()):
            verdict = seat.memory_verdict()
            if verdict is not None:
                await self._fault(verdict)

    async def _void(self, mishap: Mishap) -> None:
        """Takes a deal back: its cards are dealt again to new processes, or the match is over."""
        match = self._match
        match.void(mishap, match.leg.last_asked)
        self.end_all()
        if match.given_up is None:
            await trio.sleep(_BACK_OFF_S * match.voids)

    def _answered(self, ask: Ask, heard: Heard | Mishap) -> Verdict | None:
        """Records and carries out an answer, or says what is wrong with it.

        Raises:
            Void: there is none, and that is no bot's doing.
        """
        if isinstance(heard, Mishap):
            raise Void(heard)
        answer, receipt = heard
        assert isinstance(answer, Answer)  # noqa: S101  # the connection lets nothing else pass
        verdict = self._match.answer(ask, answer, receipt)
        if verdict is not None:
            seat = self._seats[ask.place]
            late = verdict.code is FaultCode.LATE
            if late and (excuse := seat.excuse(receipt, ask.allowance_us)) is not None:
                raise Void(excuse)
            return replace(verdict, evidence=seat.evidence(receipt))
        return None

    async def _start_bots(self, leg: Leg) -> None:
        """Starts the processes that this deal still needs.

        One after the other: no bot shares its time before `ready` with one that is not ready yet.
        """
        for ask in [leg.greet(place) for place in leg.to_start()]:
            bot = self._bots[self._match.bot_at(ask.place)]

            def greets(seat: Seat, place: int = ask.place) -> None:
                self._last_seen.see(self._off_turns())
                self._seats[place] = seat
                seat.own_wait, seat.last_seen = self.own_wait, self._last_seen
                seat.calls = self.calls
                self.own_wait.begin()
                if self._stderr is not None:
                    seat.stderr.listen = partial(self._keep_stderr, self._stderr, place)

            found = await self._start(ask, bot, greets)
            if isinstance(found, Verdict):
                await self._fault(found)
                continue
            self._write_down(ask)
            ready, receipt = found
            assert isinstance(ready, Ready)  # noqa: S101  # the connection lets nothing else pass
            self._match.started(
                StartLine(ask.place, receipt.complete, PROTOCOL_VERSION, ready.name, ready.version)
            )

    async def _start(
        self, ask: Ask, bot: BotSpec, lives: Callable[[Seat], None]
    ) -> Heard | Verdict:
        """Starts a bot; if that cannot be done, once more while all that live stand still.

        A bot that keeps the machine busy could make it fail, which would be charged to no bot.
        """
        start = partial(
            start_bot, ask, bot, self._sandbox, freeze=self._plan.terms.freeze, lives=lives
        )
        try:
            return await start(seats=self._seats.values())
        except SandboxError:
            if not self._seats or ask.place in self._seats:
                raise
        await come_to_rest(self._off_turns())
        await self._fault_charged()
        found = await start(seats=self._seats.values())
        for seat in self._seats.values():
            seat.off_turn.go_on()
        return found

    async def _fault_charged(self) -> None:
        """Faults the bots that were ended for what they did off turn."""
        for seat in [seat for seat in self._seats.values() if seat.off_turn.charge]:
            await self._fault(seat.off_turn_verdict())

    def _keep_stderr(self, log: StderrLog, place: int, data: bytes) -> None:
        deal, act = self._match.leg.moment()
        moment = Moment(self._match.totals.leg, deal, act)
        log.add(moment, place, self._match.bot_at(place), data)
        if self._tee is not None:
            self._tee(place, "!", data)

    def _write_down(self, ask: Ask) -> None:
        """Have what was asked, and what was answered, written down."""
        if self._tee is not None:
            self._tee(ask.place, ">", ask.line)
            self._tee(ask.place, "<", self._seats[ask.place].heard)

    async def _fault(self, verdict: Verdict) -> None:
        """Records a fault, then tells the bot, then ends its process."""
        line = self._match.fault(verdict)
        if self._tee is not None:
            self._tee(verdict.place, ">", line)
        seat = self._seats.pop(verdict.place, None)
        if seat is not None:
            async with none_at_work(self._off_turns()):
                await seat.say_fault(line)
            self._sandbox.clear()

    def _off_turns(self) -> list[OffTurn]:
        """What the bots that live do between their acts."""
        return [seat.off_turn for seat in self._seats.values()]

    async def _end_leg(self, leg: Leg) -> None:
        """Says farewell to the processes of a leg, and judges what they still say."""
        lines = leg.end_lines()
        async with trio.open_nursery() as parting:
            for place, line in lines.items():
                if self._tee is not None:
                    self._tee(place, ">", line)
                connection = leg.voices[place].connection
                parting.start_soon(self._seats[place].say_end, line, connection)
        for place in sorted(lines):
            if (verdict := self._seats[place].judge_end()) is not None:
                self._match.fault_at_end(verdict)
        self.end_all()
        self._match.end_leg()

    def end_all(self) -> None:
        """End every process that still runs: all of them before any is let go."""
        for seat in self._seats.values():
            seat.process.kill()
        for seat in self._seats.values():
            seat.process.drop()
        for seat in self._seats.values():
            seat.end()
        self._seats.clear()
        self._sandbox.sweep()

    def finish(self) -> MatchResult:
        """Closes the record, of a match that is over or was interrupted."""
        match = self._match
        return MatchResult(
            end=match.end(),
            match=match,
            wall_us=self._wall_ns // 1000,
            bug=self._bug,
        )
