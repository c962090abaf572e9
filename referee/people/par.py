"""What a bot of ours would have got with a person's cards: par, as golfers say."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from msgspec import Struct

from referee.bots.find import BotSpec
from referee.debug.untimed_deal import untimed_deal
from referee.errors import RefereeError
from referee.match.leg import DealReason, DealResult
from referee.match.plan import MatchPlan
from referee.match.table import Table
from referee.rules.game import Tally
from referee.sandbox import Sandbox


class Par(Struct, frozen=True):
    """A deal of a person's beside the same deal with another in their place.

    Attributes:
        points: card points of the person's side.
        par_points: the same, by the bot in the person's place.
        value: what the deal was worth to the person, as the unit of all statistics has it.
        par_value: likewise.
    """

    points: int
    par_points: int
    value: int
    par_value: int


def par_parts(deal: int, par: Par, bot: str) -> dict[str, str]:
    """Return what stands in the sentence "par" of a language's texts.

    Args:
        deal: the number of the deal.
        par: of that.
        bot: the name of who played for it.
    """
    return {
        "bot": bot,
        "deal": str(deal),
        "own_points": str(par.points),
        "par_points": str(par.par_points),
        "own_value": f"{par.value:+d}",
        "par_value": f"{par.par_value:+d}",
    }


async def par_of(
    plan: MatchPlan,
    deal: DealResult,
    person: int,
    specs: Mapping[int, BotSpec],
    sandbox: Sandbox,
) -> Par | None:
    """Play a deal again without a person.

    Args:
        plan: of the match.
        deal: one of it.
        person: which bot of the match they are.
        specs: who plays, by bot; in the person's place the bot that they are compared with.
        sandbox: where.

    Returns:
        None where there is no comparison: the deal was not played to its end, only two of three
        played it, or a bot goes wrong.
    """
    whole = len(deal.start.bots) == plan.rules.game.seats
    if deal.reason is not DealReason.PLAYED or deal.faults or not whole:
        return None
    seat = deal.start.bots.index(person)
    mine = _tally(deal, deal.acts)
    for _ in range(2):  # the end of a match ends all its bots, those of a comparison among them
        with suppress(RefereeError):
            again = await untimed_deal(plan.leg(0), deal.start, specs, sandbox)
            theirs = _tally(deal, again.acts)
            return Par(
                mine.points[seat], theirs.points[seat], mine.values[seat], theirs.values[seat]
            )
    return None


def _tally(deal: DealResult, acts: Iterable[tuple[int, str]]) -> Tally:
    """Return what the cards of a deal bring that is played so."""
    table = Table(deal.game, deal.start.deck, deal.start.dealer)
    for _, action in acts:
        table.play(action)
    return table.tally()
