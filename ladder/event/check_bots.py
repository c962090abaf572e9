"""Before an event is played, each bot is asked what `referee check` asks, once for each game."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ladder.event.plan import EventPlan
from referee.bots.find import BotSpec
from referee.check.conversation import CheckFinding, Level
from referee.check.examine import examination, examine
from referee.errors import RefereeError
from referee.match.plan import MatchPlan
from referee.sandbox import Sandbox
from referee.text import printable

_TIMES: Final = 2
"""A bot that fails is asked again: the machine may have been busy."""


async def check_bots(
    plan: EventPlan, bots: Sequence[BotSpec], sandbox: Sandbox, say: Callable[[str], None]
) -> None:
    """Look whether all bots keep to the protocol.

    Args:
        plan: names the games, their options and clocks.
        bots: as they were prepared, in the order of the plan's entrants.
        sandbox: where they are asked.
        say: is told which bot is asked now.

    Raises:
        RefereeError: naming every bot that does not, with what is wrong.
    """
    troubles = []
    for entrant, bot in zip(plan.entrants, bots, strict=True):
        say(f"checking {entrant.name} ...")
        for asked in _examinations(plan):
            problem = await _problem(bot, asked, sandbox)
            if problem is not None:
                troubles.append(f"{entrant.name}, {asked.terms.game}: {problem}")
                break
    if troubles:
        lines = ("these bots do not pass `check`:", *troubles)
        raise RefereeError(
            "\n  ".join(lines)
            + "\nmend them or leave them out; with --no-check they play all the same"
        )


def _examinations(plan: EventPlan) -> Iterator[MatchPlan]:
    """Yield what is asked of each bot: each game once, however many sections play it."""
    seen = []
    for section in plan.sections:
        terms = section.terms
        game = (terms.game, terms.options, terms.time)
        if game not in seen:
            seen.append(game)
            yield examination(*game)


async def _problem(bot: BotSpec, asked: MatchPlan, sandbox: Sandbox) -> str | None:
    """Return what is wrong with a bot, and how to mend it; None if nothing is."""
    found: str | None = None
    for _ in range(_TIMES):
        found = _first_problem(await examine(bot, asked, sandbox))
        if found is None:
            break
    return found


def _first_problem(findings: Iterable[CheckFinding]) -> str | None:
    problems = (finding for finding in findings if finding.level is Level.PROBLEM)
    first = next(problems, None)
    return None if first is None else printable(f"{first.what} -> {first.mend}")
