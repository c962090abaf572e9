"""Tries a bot before it is taken: what `referee check` says, then a match against itself.

Only in a sandbox: what was submitted cannot be launched bare.
"""

import secrets
import shlex
from collections.abc import Sequence
from typing import Final

import trio
from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.submissions.copy_in import HandedIn
from ladder.submissions.refusal import refusal
from referee.bots.find import BotSpec
from referee.check.conversation import Level
from referee.check.examine import examination, examine
from referee.check.hints import HINTS
from referee.errors import HostError, RefereeError, innermost
from referee.match.chance import KEY_BITS
from referee.match.clock import DEFAULT_TIME, time_text
from referee.match.leg import DealResult
from referee.match.plan import MatchConfig, make_plan
from referee.match.seating import Seating
from referee.match.terms import Terms, unusual_options
from referee.play.conductor import MatchResult, play_match
from referee.record.writer import NoRecord
from referee.sandbox import Sandbox
from referee.text import printable

DEALS: Final = 4
"""Of the match against itself. The bot holds every place, so that no seatings are needed."""


async def examined(bot: BotSpec, pool: Pool, sandbox: Sandbox, taken: HandedIn) -> None:
    """Asks what `referee check` asks.

    Args:
        bot: as it was prepared in the sandbox.
        pool: names the game and its options.
        sandbox: not bare.
        taken: how its author knows it.

    Raises:
        RefereeError: it has a problem.
        HostError: the sandbox is gone.
    """
    plan = examination(pool.terms.game, pool.terms.options, pool.terms.time)
    try:
        findings = await examine(bot, plan, sandbox)
        if any(finding.level is Level.PROBLEM for finding in findings):
            # the machine may have been busy: who keeps to the protocol does so the second time
            findings = await examine(bot, plan, sandbox)
    except ExceptionGroup as error:
        raise innermost(error) from error
    problems = [finding for finding in findings if finding.level is Level.PROBLEM]
    if problems:  # one is enough to mend; what came after it may have come of it
        first = problems[0]
        told = f"bot {taken.typed!r} does not pass `check` of {pool.terms.game}: "
        home = at_home(taken, pool, sandbox, plan.key)
        raise RefereeError(refusal(told + printable(first.what), home, mend=first.mend))


async def played(bot: BotSpec, pool: Pool, sandbox: Sandbox, taken: HandedIn) -> None:
    """Lets a bot play some deals against itself, under the pool's clock, until it is faulted.

    Args:
        bot: as it was prepared in the sandbox.
        pool: what is played.
        sandbox: not bare.
        taken: how its author knows it.

    Raises:
        RefereeError: it was faulted.
        HostError: the match could not be played, through no fault of the bot.
    """
    plan = make_plan(
        MatchConfig(
            terms=replace(pool.terms, seating=Seating.ONE),
            bots=pool.places,
            deals=DEALS,
            key=secrets.token_hex(KEY_BITS // 8),
        )
    )
    enough = trio.CancelScope()

    def watch(deal: DealResult) -> None:
        if deal.faults:
            enough.cancel()

    bots = [bot] * pool.places
    result = await play_match(plan, bots, sandbox, NoRecord(), interrupt=enough, watch=watch)
    _judge(result, plan.key, sandbox, taken, pool)


def _judge(result: MatchResult, key: str, sandbox: Sandbox, taken: HandedIn, pool: Pool) -> None:
    if result.totals.faults:
        fault = result.totals.faults[0]
        told = (
            f"bot {taken.typed!r} was faulted in a match of {pool.terms.game} against itself, deal "
            f"{fault.deal or DEALS}: {fault.code}: {printable(fault.detail)}"
        )
        if fault.error:
            told += f"; on its stderr: {printable(fault.error)}"
        home = _match(key, sandbox, taken, pool)
        raise RefereeError(refusal(told, home, mend=HINTS[fault.code]))
    if result.bug is not None:
        raise result.bug
    if result.given_up is not None:
        raise HostError(
            f"the match of {pool.terms.game} that tries bot {taken.typed!r} could not be played: "
            f"{printable(result.given_up.detail)}"
        )


def at_home(taken: HandedIn, pool: Pool, sandbox: Sandbox, key: str | None = None) -> str:
    """Return the command that builds and checks a bot as it is done here.

    Args:
        taken: how its author knows it.
        pool: names the game, its options and its clock.
        sandbox: where it ran here.
        key: that of the examination, or None where the bot did not come so far.
    """
    clock = (
        time_text(pool.terms.time) or DEFAULT_TIME
    )  # always said: that of `referee check` is another one
    words = [
        *_start("check", taken, 1),
        *_game(pool.terms),
        "--time",
        clock,
        "--sandbox",
        sandbox.name,
    ]
    words += ["--key", key] if key is not None else []
    return taken.before + shlex.join(words)


def build_at_home(taken: HandedIn, build: Sequence[str]) -> str:
    """The command that builds a bot where its author can look at what the build leaves."""
    return f"{taken.before}cd {shlex.quote(taken.bot)} && {shlex.join(build) or 'ls -lR'}"


def _match(key: str, sandbox: Sandbox, taken: HandedIn, pool: Pool) -> str:
    """The command that plays the same match."""
    terms, clock = pool.terms, time_text(pool.terms.time)
    words = [*_start("match", taken, pool.places), *_game(terms)]
    words += ["--deals", str(DEALS), "--key", key]
    words += ["--time", clock] if clock else []
    words += ["--pace", str(terms.pace_ms)] if terms.pace_ms else []
    words += ["--freeze", str(terms.freeze), "--sandbox", sandbox.name]
    words += ["--on-fault", str(terms.on_fault)] if terms.on_fault is not None else []
    return taken.before + shlex.join(words)


def _start(command: str, taken: HandedIn, times: int) -> list[str]:
    return ["referee", command, *[taken.bot] * times]


def _game(terms: Terms) -> list[str]:
    options = unusual_options(terms.game, terms.options)
    return ["--game", terms.game, *(word for option in options for word in ("-o", option))]
