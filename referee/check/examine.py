"""Talks to one bot, finds out whether it keeps to SPEC.md, and says in words how to mend it."""

import os
import secrets
import time
from collections.abc import Mapping
from typing import Final

import trio

from protocol.errors import Mistake
from protocol.messages import TimeControl
from referee.bots.find import BotSpec, is_alone
from referee.check.conversation import LEAVE_S, QUIET_S, CheckFinding, Conversation, Level
from referee.check.hints import (
    ENDED,
    HINTS,
    MEND_ERROR,
    MISTAKES,
    SEEN,
    SEEN_ALONE,
    misses_something,
)
from referee.games import find
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.leg import Leg
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.terms import Terms, all_options
from referee.match.verdict import FaultCode, Verdict
from referee.play.tee import Tee
from referee.sandbox import Sandbox

TIME: Final = "start=5s,move=2s,bank=0s,soft=0ms"
"""The clock of a bot unless another one is said: what flushes late is late at once."""
_CLOCK: Final = parse_time(TIME)
_DEALS: Final = 2
OPENER: Final = "opener_must_bid"
_SLOW_START_US: Final = 1_000_000
_SLOW_ACT_US: Final = 1_000_000
_MANY: Final = 2000


def _to_the_point(game: str, options: Mapping[str, str]) -> dict[str, str]:
    """The options, and that an auction's opener must bid: the bot does, and has to call."""
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


async def examine(
    bot: BotSpec, plan: MatchPlan, sandbox: Sandbox, tee: Tee | None = None
) -> list[CheckFinding]:
    """Look at a bot from all sides.

    Args:
        bot: what to run.
        plan: what is played with it, of `examination`; the same plan asks the same again.
        sandbox: where to run it.
        tee: takes all that is said, if anything does.

    Returns:
        What was found, in the order in which it was looked at; the last may be what stopped us.
    """
    plain = Conversation(plan, bot, sandbox, grease=False, tee=tee)
    await plain.run()
    if plain.verdict is not None:
        return [await _explained(plain, plain.verdict, plan, bot, sandbox)]
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
    greasy = Conversation(plan, bot, sandbox, grease=True, tee=tee)
    await greasy.run()
    if greasy.verdict is None:
        findings.append(CheckFinding(Level.OK, "ignores fields and messages that it does not know"))
    else:
        what = f"unknown fields or messages upset it: {greasy.where}{greasy.verdict.detail}"
        mend = "ignore every field and every `type` that SPEC.md does not name (SPEC 3.1)"
        findings.append(CheckFinding(Level.PROBLEM, what, mend))
    return findings


def _measured(verb: str, took_us: int, slow_us: int, mend: str) -> CheckFinding:
    what = f"{verb} within {max(took_us // 1000, 1)} ms"
    if took_us > slow_us:
        return CheckFinding(Level.WARNING, f"{what}, which is slow", mend)
    return CheckFinding(Level.OK, what)


async def _explained(
    found: Conversation, verdict: Verdict, plan: MatchPlan, bot: BotSpec, sandbox: Sandbox
) -> CheckFinding:
    starting = '"type":"hello"' in verdict.evidence.to_bot
    output = verdict.code is FaultCode.OUTPUT
    code = FaultCode.STARTUP if starting and not output else verdict.code
    silent = starting and verdict.code is FaultCode.LATE
    words = verdict.evidence.error()
    what, mend = f"{code}: {verdict.detail}", HINTS[code if silent else verdict.code]
    if not starting:
        what = found.where + what
    if found.mend is not None:
        mend = found.mend
    elif verdict.mistake is Mistake.SILENT:
        mend = await _why_silent(plan, bot, sandbox)
    elif verdict.mistake in MISTAKES:
        mend = MISTAKES[verdict.mistake]
    elif starting and verdict.code is FaultCode.CRASHED:
        mend = _why_ended(words, bot, sandbox)
    elif starting and verdict.mistake is Mistake.FIELD:
        mend = HINTS[FaultCode.STARTUP]
    if words:
        what += f"; on its stderr: {words}"
    return CheckFinding(Level.PROBLEM, what, mend)


def _why_ended(words: str, bot: BotSpec, sandbox: Sandbox) -> str:
    """Return what to do about a bot that does not start; what it sees is said where that may help.

    Args:
        words: its last ones.
        bot: which.
        sandbox: where it ran.
    """
    if not misses_something(words):
        return MEND_ERROR
    if sandbox.name == "bare":
        return ENDED
    return f"{ENDED}; in a sandbox it sees only {SEEN_ALONE if is_alone(bot.typed) else SEEN}"


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
        with trio.move_on_after(LEAVE_S):
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
    until = time.monotonic() + 2 * LEAVE_S
    while time.monotonic() <= until:
        try:
            data = data[os.write(stdin, data) :] if data else data
        except BlockingIOError:
            pass  # it is full: give it time
        except OSError:
            return False
        with trio.move_on_after(QUIET_S):
            await trio.lowlevel.wait_readable(stdout)
            return True
    return False
