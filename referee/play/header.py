"""The first line of a record: what was agreed, between whom, and where they run."""

from collections.abc import Sequence

from referee.bots.find import BotSpec
from referee.match.lines import FORMAT, BotLine, Header
from referee.match.plan import MatchPlan
from referee.sandbox import Sandbox
from referee.version import own_version


def header(plan: MatchPlan, bots: Sequence[BotSpec], sandbox: Sandbox) -> Header:
    """Return the line.

    Args:
        plan: what was agreed.
        bots: who plays, in the order of the plan's bots.
        sandbox: where they run.
    """
    return Header(
        record=FORMAT,
        referee=own_version(),
        terms=plan.terms,
        rules=plan.name,
        bots=tuple(BotLine(bot.name, bot.hash) for bot in bots),
        decks=plan.decks,
        given=plan.given,
        legs=len(plan.seatings),
        sandbox=f"{sandbox.name}: {sandbox.how}",
        benched=plan.benched,
        clocks=dict(plan.clocks),
    )
