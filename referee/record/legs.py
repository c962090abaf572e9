"""The legs that a record must have: which seatings, and in which order."""

from collections.abc import Callable
from typing import Any

from referee.errors import RefereeError
from referee.match.chance import BlockKey, leg_order
from referee.match.seating import Seating, holders, legs
from referee.record.lines import DealLine, Header, LegLine, Line
from referee.record.reader import Mismatch
from referee.rules.game import Game

Seatings = tuple[tuple[int, ...], ...]
"""The bot at each place, leg by leg."""


def seatings(header: Header, game: Game[Any]) -> Seatings:  # every game has a state type of its own
    """Return the seatings of a match, in the order of SPEC 8.5.

    Raises:
        Mismatch: the header has other ones.
    """
    try:
        seating = Seating(header.seating)
        held = holders(len(header.bots), game.seats, game.partners, header.game)
        found = legs(seating, held, game.partners)
    except (RefereeError, ValueError) as error:
        raise Mismatch(1, str(error)) from error
    if len(found) != header.legs:
        raise Mismatch(1, f"{len(found)} legs are to be played, not {header.legs}")
    return found


def played(every: Seatings, begun: LegLine, peek: Callable[[], Line]) -> Seatings:
    """Return the seatings leg by leg, as the key of the first block has them.

    Args:
        every: the seatings.
        begun: the line of the first leg; where no deal of it has begun, any seating may be its.
        peek: returns the line after that.
    """
    first = peek()
    if isinstance(first, DealLine):
        return leg_order(every, BlockKey(first.key))
    return tuple(sorted(every, key=lambda seats: seats != begun.seats))
