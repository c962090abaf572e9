"""Talks to one bot, finds out whether it keeps to SPEC.md, and says in words how to mend it.

The other seats are played by the referee itself, so that only one process runs.
"""

import os
import secrets
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import trio
from msgspec import Struct

from protocol.connection import Connection
from protocol.errors import Mistake
from protocol.messages import Answer, Ready, TimeControl
from referee.bots.find import BotSpec, is_alone
from referee.check.hints import HINTS, MISTAKES, ONCE, READY_ONCE, SEEN, SEEN_ALONE
from referee.check.unknown_fields import greased
from referee.errors import SandboxError
from referee.games import find
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.leg import Ask, Leg
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.terms import Terms, all_options
from referee.match.verdict import FaultCode, Mishap, Receipt, Verdict
from referee.play.evidence import Heard
from referee.play.seat import Seat
from referee.play.start import launched
from referee.rules.auction_game import BLIND
from referee.rules.bids import PASS
from referee.sandbox import Sandbox

TIME: Final = "start=5s,move=2s,bank=0s,soft=0ms"
"""The clock of a bot unless another one is said: what flushes late is late at once."""
_CLOCK: Final = parse_time(TIME)
_DEALS: Final = 2
OPENER: Final = "opener_must_bid"
_QUIET_S: Final = 0.05
_LEAVE_S: Final = 1.0
_SLOW_START_US: Final = 1_000_000
_SLOW_ACT_US: Final = 1_000_000
_MANY: Final = 2000


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


class _Talk:
    """One conversation, from the start of the process to its end."""

    def __init__(self, plan: MatchPlan, bot: BotSpec, sandbox: Sandbox, *, grease: bool) -> None:
        self._leg = Leg(plan.leg(0))
        self._bot = bot
        self._sandbox = sandbox
        self._grease = grease
        self.seat: Seat
        self.findings: list[CheckFinding] = []
        self.verdict: Verdict | None = None
        self.start_us = 0
        self.slowest_us = 0
        self.extra: str | None = None
        self.mend: str | None = None
        """What to do about the verdict, where we know better than its code says."""
        self._asked: set[str] = set()

    async def run(self) -> None:
        """Plays until the deals are over or something is wrong."""
        try:
            self.seat = Seat(await launched(self._bot, self._sandbox))
        except OSError as error:
            self.verdict = Verdict(FaultCode.STARTUP, f"it cannot be started: {error}")
            return
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
            self.verdict = Verdict(FaultCode.STARTUP, f"it chose protocol {ready.protocol}, not 1")

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
            await trio.sleep(_QUIET_S)
            if self._has_written():
                self._spoke_unasked(line)
                return None
        if self._grease:
            question = greased(question)
        heard = await self.seat.ask(
            Ask(ask.place, ask.id, question, ask.allowance_us, ask.connection)
        )
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
            await trio.sleep(_QUIET_S)
            if connection.unread() or self._has_written():  # so that was not its only answer
                self.mend = ONCE

    def _write(self, line: bytes) -> None:
        self.seat.said = line
        try:
            os.write(self.seat.process.stdin, greased(line) if self._grease else line)
        except OSError:
            return  # it does not read, or is gone: the next question will show

    def _has_written(self) -> bool:
        try:
            self.seat.heard = os.read(self.seat.process.stdout, 4096)
        except BlockingIOError:
            return False
        return bool(self.seat.heard)

    def _spoke_unasked(self, line: bytes) -> None:
        kind = line.split(b'"')[3].decode()
        said = self.seat.heard[:80].decode(errors="backslashreplace").strip()
        if not any(self._asked) and '"ready"' in said:
            self.mend = READY_ONCE
        self.verdict = Verdict(
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
            await trio.sleep(_QUIET_S)
            if self._has_written():
                self._spoke_unasked(line)
                return
        self._write(end)
        with trio.move_on_after(_LEAVE_S):
            await trio.lowlevel.wait_readable(process.exited_fd)
        if self._has_written():
            self._spoke_unasked(b'{"type":"end"')
        elif process.status() is None:
            process.close_stdin()
            with trio.move_on_after(_LEAVE_S):
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


def _to_the_point(game: str, options: Mapping[str, str]) -> dict[str, str]:
    """The options, and that whoever opens an auction must bid: the bot does, and has to call."""
    forced = {OPENER: "true"} if OPENER in {option.name for option in find(game).options} else {}
    return {**forced, **options}


def examination(
    game: str,
    options: Mapping[str, str],
    clock: TimeControl = _CLOCK,
    key: str | None = None,
) -> MatchPlan:
    """Return what a bot is asked to play: two deals.

    Args:
        game: the id of what is played with it.
        options: of the game, by name.
        clock: how long it may take.
        key: what cards, ids and the bot's seed come from; None draws one, so that no bot can know
            when it is examined.

    Raises:
        RefereeError: there is no such game, the options do not go together, or the key is empty.
    """
    every = all_options(game, _to_the_point(game, options))
    seats = find(game).rules_of(every)[0].game.seats
    return make_plan(
        MatchConfig(
            terms=Terms(game=game, options=every, time=clock),
            bots=seats,
            deals=_DEALS,
            key=secrets.token_hex(KEY_BITS // 8) if key is None else key,
            dealer=seats - 1,
        )
    )


async def examine(bot: BotSpec, plan: MatchPlan, sandbox: Sandbox) -> list[CheckFinding]:
    """Look at a bot from all sides.

    Args:
        bot: what to run.
        plan: what is played with it, of `examination`; the same plan asks the same again.
        sandbox: where to run it.

    Returns:
        What was found, in the order in which it was looked at; the last may be what stopped us.
    """
    plain = _Talk(plan, bot, sandbox, grease=False)
    await plain.run()
    if plain.verdict is not None:
        return [await _explained(plain.verdict, plain.mend, plan, bot, sandbox)]
    findings = [
        _measured("starts", plain.start_us, _SLOW_START_US, "start faster: load less"),
        CheckFinding(Level.OK, f"plays {_DEALS} deals of {plan.terms.game} by the rules"),
        _measured("answers", plain.slowest_us, _SLOW_ACT_US, "think less, or ask for more time"),
    ]
    if plain.extra is not None:
        mend = "leave them out, or put text for people into `note`"
        findings.append(
            CheckFinding(Level.WARNING, f"its answers have unknown fields: {plain.extra}", mend)
        )
    findings += plain.findings or [CheckFinding(Level.OK, "leaves on `end`")]
    greasy = _Talk(plan, bot, sandbox, grease=True)
    await greasy.run()
    if greasy.verdict is None:
        findings.append(CheckFinding(Level.OK, "ignores fields and messages that it does not know"))
    else:
        what = f"unknown fields or messages upset it: {greasy.verdict.detail}"
        mend = "ignore every field and every `type` that SPEC.md does not name (SPEC 3.1)"
        findings.append(CheckFinding(Level.PROBLEM, what, mend))
    return findings


def _measured(verb: str, took_us: int, slow_us: int, mend: str) -> CheckFinding:
    what = f"{verb} within {max(took_us // 1000, 1)} ms"
    if took_us > slow_us:
        return CheckFinding(Level.WARNING, f"{what}, which is slow", mend)
    return CheckFinding(Level.OK, what)


async def _explained(
    verdict: Verdict, known: str | None, plan: MatchPlan, bot: BotSpec, sandbox: Sandbox
) -> CheckFinding:
    starting = '"type":"hello"' in verdict.evidence.to_bot
    output = verdict.code is FaultCode.OUTPUT
    code = FaultCode.STARTUP if starting and not output else verdict.code
    silent = starting and verdict.code is FaultCode.LATE
    what, mend = f"{code}: {verdict.detail}", HINTS[code if silent else verdict.code]
    if known is not None:
        mend = known
    elif verdict.mistake is Mistake.SILENT:
        mend = await _why_silent(plan, bot, sandbox)
    elif verdict.mistake in MISTAKES:
        mend = MISTAKES[verdict.mistake]
    elif starting and verdict.code is FaultCode.CRASHED:
        mend = "it ended before `ready`: run it by hand and look"
        if sandbox.name != "bare":
            mend += f"; in a sandbox it sees only {SEEN_ALONE if is_alone(bot.typed) else SEEN}"
    elif starting and verdict.mistake is Mistake.FIELD:
        mend = HINTS[FaultCode.STARTUP]
    words = verdict.evidence.last_words()
    if words:
        what += f"; the last line on its stderr: {words}"
    return CheckFinding(Level.PROBLEM, what, mend)


async def _why_silent(plan: MatchPlan, bot: BotSpec, sandbox: Sandbox) -> str:
    """Tells a bot that does not flush from one that reads everything first.

    Many questions at once fill the buffer of the first, which then writes; the second writes only
    when its input ends.
    """
    leg = Leg(plan.leg(0))
    leg.next_deal()
    hello = leg.greet(0).line
    leg.voices[0].connection.receive(b'{"type":"ready","protocol":1,"name":"x"}\n')
    leg.voices[0].connection.next_message()
    leg.open_deal()
    asked = leg.ask()
    question = asked.line if asked is not None and asked.place == 0 else b""
    process = await sandbox.launch(bot)
    try:
        wrote = await _pour(process.stdin, process.stdout, hello + question * _MANY)
        if wrote:
            return "flush stdout after every line: the answers stay in a buffer (SPEC 10)"
        process.close_stdin()
        with trio.move_on_after(_LEAVE_S):
            await trio.lowlevel.wait_readable(process.stdout)
            if os.read(process.stdout, 1):
                return "answer line by line: it reads all of stdin before it answers (SPEC 2)"
        return "it writes nothing, not even when its input ends: does it write to stdout?"
    finally:
        process.kill()
        process.release()
        sandbox.sweep()


async def _pour(stdin: int, stdout: int, data: bytes) -> bool:
    """Writes as much as is taken within two seconds; whether anything was written back."""
    until = time.monotonic() + 2 * _LEAVE_S
    while time.monotonic() <= until:
        try:
            data = data[os.write(stdin, data) :] if data else data
        except BlockingIOError:
            pass  # it is full: give it time
        except OSError:
            return False
        with trio.move_on_after(_QUIET_S):
            await trio.lowlevel.wait_readable(stdout)
            return True
    return False
