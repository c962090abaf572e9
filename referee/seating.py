"""Who sits where: bots to places, and the legs that let everybody sit everywhere. Pure."""

from enum import StrEnum
from itertools import permutations

from referee.errors import RefereeError
from referee.rules import Sides


class Seating(StrEnum):
    """Which seatings of the same decks are played."""

    ONE = "one"
    """As the bots are named."""
    ROTATE = "rotate"
    """Everybody moves on by one, as often as there are bots."""
    FULL = "full"
    """Every order of the bots."""


def holders(bots: int, seats: int, partners: Sides, game: str) -> Sides:
    """The places that each bot holds: one each, or a whole side each.

    Raises:
        RefereeError: neither fits.
    """
    if bots == seats:
        return tuple((place,) for place in range(seats))
    if bots == len(partners):
        return partners
    wanted = f"{seats} bots" + (
        f", or {len(partners)}: one a side" if len(partners) < seats else ""
    )
    raise RefereeError(f"{game} wants {wanted}; got {bots}")


def legs(seating: Seating, held: Sides) -> tuple[tuple[int, ...], ...]:
    """The bot at each place, leg by leg; `held` are the places that go to one bot together."""
    bots = range(len(held))
    match seating:
        case Seating.ONE:
            orders = [tuple(bots)]
        case Seating.ROTATE:
            orders = [tuple((bot - step) % len(bots) for bot in bots) for step in bots]
        case Seating.FULL:
            orders = list(permutations(bots))
    return tuple(_by_place(order, held) for order in orders)


def _by_place(order: tuple[int, ...], held: Sides) -> tuple[int, ...]:
    bot_at = {place: bot for bot, places in zip(order, held, strict=True) for place in places}
    return tuple(bot_at[place] for place in range(len(bot_at)))
