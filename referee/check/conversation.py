"""A conversation with one bot, for which the referee itself plays the other seats."""

import os
from contextlib import closing
from enum import StrEnum
from typing import Final

import trio
from msgspec import Struct

from protocol.connection import Connection
from protocol.messages import Answer, Ready
from referee.bots.find import BotSpec
from referee.check.hints import ONCE, READY_ONCE
from referee.check.unknown_fields import greased
from referee.errors import SandboxError
from referee.match.leg import Ask, Leg
from referee.match.plan import MatchPlan
from referee.match.verdict import FaultCode, Mishap, Receipt, Verdict
from referee.play.affinity import one_core
from referee.play.evidence import Heard
from referee.play.last_seen import LastSeen
from referee.play.seat import Seat
from referee.play.standstill import OwnWait
from referee.play.start import launched
from referee.play.tee import Tee
from referee.rules.auction_game import BLIND
from referee.rules.bids import PASS
from referee.sandbox import Sandbox

QUIET_S: Final = 0.05
"""How long a bot is listened to where it has nothing to say."""

LEAVE_S: Final = 1.0
"""How long it may take to leave."""

_PLACE: Final = 0
"""Where the bot sits."""


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class CheckFinding(Struct, frozen=True):
    """One thing that was looked at: what was found, and how to mend it."""

    level: Level
    what: str
    mend: str = ""


class Conversation:
    """One conversation, from the start of the process to its end.

    Attributes:
        findings: what there is to say of how it left.
        verdict: what it did wrong, which ended the conversation.
        start_us: how long it took to get ready, in microseconds.
        slowest_us: its slowest act, likewise.
        extra: unknown fields of an answer.
        mend: what to do about the verdict, where we know better than its code says.
    """

    def __init__(
        self,
        plan: MatchPlan,
        bot: BotSpec,
        sandbox: Sandbox,
        *,
        grease: bool,
        tee: Tee | None = None,
    ) -> None:
        """Begins before the start.

        Args:
            plan: what is played.
            bot: with whom.
            sandbox: where.
            grease: whether it is told fields and messages that no bot knows.
            tee: takes all that is said, if anything does.
        """
        self._leg = Leg(plan.leg(0))
        self._bot = bot
        self._sandbox = sandbox
        self._grease = grease
        self._tee: Tee = tee or (lambda *_: None)
        self._own_wait: OwnWait
        self._last_seen = LastSeen()
        self.seat: Seat
        self.findings: list[CheckFinding] = []
        self.verdict: Verdict | None = None
        self.start_us = 0
        self.slowest_us = 0
        self.extra: str | None = None
        self.mend: str | None = None
        self._asked: set[str] = set()

    @property
    def where(self) -> str:
        """The act that was under way at its end, as `referee match` tells of it; "" for none."""
        deal, act = self._leg.moment()
        return f"deal {deal}, act {act}: " if deal else ""

    async def run(self) -> None:
        """Play until the deals are over or something is wrong; time counts as in a match."""
        with closing(OwnWait()) as self._own_wait, one_core():
            try:
                self.seat = Seat(_PLACE, await launched(self._bot, self._sandbox))
            except OSError as error:
                self.verdict = Verdict(_PLACE, FaultCode.STARTUP, f"it cannot be started: {error}")
                return
            self.seat.stderr.listen = lambda data: self._tee(_PLACE, "!", data)
            self.seat.own_wait, self.seat.last_seen = self._own_wait, self._last_seen
            try:
                await self._converse()
            finally:
                self.seat.end()
                self._sandbox.sweep()

    async def _converse(self) -> None:
        leg = self._leg
        while leg.next_deal() is not None:
            for place in leg.to_start():
                ask = leg.greet(place)
                if place:
                    self._pretend(ask, '{"type":"ready","protocol":1,"name":"referee"}')
                elif (heard := await self._ask(ask)) is not None:
                    self._started(heard)
            if self._failed():
                return
            leg.open_deal()
            while (ask_now := leg.ask()) is not None:
                await self._act(ask_now)
                if self._failed():
                    return
            leg.close_deal()
        await self._end()

    def _failed(self) -> bool:
        return self.verdict is not None

    def _started(self, heard: Heard) -> None:
        ready, receipt = heard
        self.start_us = receipt.complete
        if isinstance(ready, Ready) and ready.protocol != 1:
            self.verdict = Verdict(
                _PLACE, FaultCode.STARTUP, f"it chose protocol {ready.protocol}, not 1"
            )

    async def _act(self, ask: Ask) -> None:
        table = self._leg.deal.table
        if ask.place:
            action = _other_plays(table.legal, self._leg.deal.start.deal)
            self._pretend(ask, f'{{"id":"{ask.id}","action":"{action}"}}')
            self._leg.answered(Answer(ask.id, action), Receipt(0, 0, 0, 0))
            return
        heard = await self._ask(ask)
        if heard is None:
            return
        answer, receipt = heard
        if isinstance(answer, Answer):
            self.verdict = self._leg.check_answer(answer, receipt)
            self.slowest_us = max(self.slowest_us, receipt.complete)
            self.extra = self.extra or answer.extra
            if self.verdict is None:
                self._leg.answered(answer, receipt)

    def _pretend(self, ask: Ask, answer: str) -> None:
        """Answers for a seat that has no process."""
        ask.connection.receive(answer.encode() + b"\n")
        ask.connection.next_message()

    async def _ask(self, ask: Ask) -> Heard | None:
        """Sends what wants no answer line by line, listening in between; then the question."""
        *before, question = ask.line.splitlines(keepends=True)
        for line in before:
            self._write(line)
            await trio.sleep(QUIET_S)
            if self._has_written():
                self._spoke_unasked(line)
                return None
        if self._grease:
            question = greased(question)
        self._tee(_PLACE, ">", question)
        self._last_seen.see(())
        self._own_wait.begin()
        heard = await self.seat.ask(
            Ask(ask.place, ask.id, question, ask.allowance_us, ask.connection)
        )
        self._tee(_PLACE, "<", self.seat.heard)
        if isinstance(heard, Mishap):
            raise SandboxError(heard.detail)
        if isinstance(heard, Verdict):
            self.verdict = heard
            await self._look_closer(heard.evidence.from_bot, ask.connection)
            return None
        self._asked.add(ask.id)
        return heard

    async def _look_closer(self, said: str, connection: Connection) -> None:
        """Tells what was said too often from what was said wrongly."""
        if not any(self._asked) and self.start_us and '"ready"' in said:
            self.mend = READY_ONCE
        elif any(asked and asked in said for asked in self._asked):
            await trio.sleep(QUIET_S)
            if connection.unread() or self._has_written():  # so that was not its only answer
                self.mend = ONCE

    def _write(self, line: bytes) -> None:
        self.seat.said = line
        told = greased(line) if self._grease else line
        self._tee(_PLACE, ">", told)
        try:
            os.write(self.seat.process.stdin, told)
        except OSError:
            return  # it does not read, or is gone: the next question will show

    def _has_written(self) -> bool:
        try:
            self.seat.heard = os.read(self.seat.process.stdout, 4096)
        except BlockingIOError:
            return False
        self._tee(_PLACE, "<", self.seat.heard)
        return bool(self.seat.heard)

    def _spoke_unasked(self, line: bytes) -> None:
        kind = line.split(b'"')[3].decode()
        said = self.seat.heard[:80].decode(errors="backslashreplace").strip()
        if not any(self._asked) and '"ready"' in said:
            self.mend = READY_ONCE
        self.verdict = Verdict(
            _PLACE,
            FaultCode.PROTOCOL,
            f"it wrote {said!r} after `{kind}`, which wants no answer",
            self.seat.evidence(),
        )

    async def _end(self) -> None:
        """Says `end` with stdin still open, and looks whether the bot leaves."""
        *before, end = self._leg.end_lines()[0].splitlines(keepends=True)
        process = self.seat.process
        for line in before:
            self._write(line)
            await trio.sleep(QUIET_S)
            if self._has_written():
                self._spoke_unasked(line)
                return
        self._write(end)
        with trio.move_on_after(LEAVE_S):
            await trio.lowlevel.wait_readable(process.exited_fd)
        if self._has_written():
            self._spoke_unasked(b'{"type":"end"')
        elif process.status() is None:
            process.close_stdin()
            with trio.move_on_after(LEAVE_S):
                await trio.lowlevel.wait_readable(process.exited_fd)
            late = "only at the end of its input" if process.status() else "not at all"
            self.findings.append(
                CheckFinding(Level.PROBLEM, f"on `end` it leaves {late}", "exit when `end` comes")
            )
        elif process.status() != "exit status 0":
            self.findings.append(
                CheckFinding(
                    Level.WARNING, f"it ends with {process.status()}", "exit with status 0"
                )
            )


def _other_plays(legal: tuple[str, ...], deal: int) -> str:
    """What the other seats do, so that a bot comes to every kind of decision.

    First they pass and announce what they can: whoever has bid must call. Then they bid a little
    higher each time, play blind where they may, and play what came first.
    """
    if legal[-1] == BLIND:
        return BLIND
    if legal[0] == PASS:
        return legal[0] if deal == 1 else legal[1]
    return legal[-1] if deal == 1 else legal[0]
