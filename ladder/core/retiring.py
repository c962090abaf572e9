"""A bot is taken out of play: by the organiser, or by its author, who may bring it back. Pure."""

from typing import Final

from ladder.core.facts import Decision, Deed
from ladder.core.roster import Roster
from referee.errors import RefereeError

WITHDRAWN: Final = "withdrawn by its author"
"""The reason where its author has done it, and not the organiser: a new version then plays."""


def retired(roster: Roster, bot: int, reason: str, at_ms: int) -> Decision:
    """Return the decision that no version of a bot plays any more.

    Args:
        roster: has the bot.
        bot: which.
        reason: why, for its author.
        at_ms: when.

    Raises:
        RefereeError: it is retired already. What its author withdrew, the organiser may still
            retire: then no new version plays.
    """
    before = roster.retired.get(bot)
    entrant = roster.chosen(bot)
    if before is not None and (before != WITHDRAWN or reason == WITHDRAWN):
        raise RefereeError(f"{roster.entrants[entrant].name} is retired already ({before})")
    return Decision(deed=Deed.RETIRED, entrant=entrant, reason=reason, at_ms=at_ms)


def may_come_back(roster: Roster, bot: int) -> bool:
    """Whether a new version of a bot plays, that is: the organiser has not taken the bot out."""
    return roster.retired.get(bot, WITHDRAWN) == WITHDRAWN
