"""Who sits where: bots to places, and the legs that let everybody sit everywhere. Pure."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import permutations, product

from referee.errors import RefereeError
from referee.rules.game import Sides


class Seating(StrEnum):
    """Which seatings of the same decks are played; partners stay partners in all of them."""

    ONE = "one"
    """As the bots are named."""
    ROTATE = "rotate"
    """Everybody moves on by one, as often as there are bots."""
    FULL = "full"
    """Every distinct seating: the sides in every order, and in each the partners in every order."""


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


def legs(seating: Seating, held: Sides, partners: Sides) -> tuple[tuple[int, ...], ...]:
    """The bot at each place, leg by leg.

    Over all legs of a rotation, and of all seatings, every bot holds every place equally often.

    Args:
        seating: which seatings.
        held: the places that go to one bot together, by bot.
        partners: the places that score together.

    Raises:
        RefereeError: some sides are larger than others, so that they cannot change places.
    """
    bots = range(len(held))
    if seating is Seating.ONE:
        return (_by_place(tuple(bots), held),)
    teams = partners if len(held) > len(partners) else tuple((bot,) for bot in bots)
    if len(set(map(len, teams))) > 1:
        raise RefereeError(f"seating {seating}: the sides are not equally large")
    orders = _turns(teams) if seating is Seating.ROTATE else sorted(_exchanges(teams))
    return tuple(_by_place(order, held) for order in orders)


def _turns(teams: Sides) -> Iterator[tuple[int, ...]]:
    """All move on by one, along a ring in which the sides alternate, whatever the table is like."""
    ring = [bot for row in zip(*teams, strict=True) for bot in row]
    for step in range(len(ring)):
        yield _seated(ring, ring[-step:] + ring[:-step])


def _exchanges(teams: Sides) -> Iterator[tuple[int, ...]]:
    """Side against side, and partner against partner."""
    places = [place for team in teams for place in team]
    for order in permutations(teams):
        for bots in product(*map(permutations, order)):
            yield _seated(places, [bot for team in bots for bot in team])


def _seated(places: list[int], bots: list[int]) -> tuple[int, ...]:
    """The bots in the order of their places."""
    return tuple(bot for _, bot in sorted(zip(places, bots, strict=True)))


def _by_place(order: tuple[int, ...], held: Sides) -> tuple[int, ...]:
    bot_at = {place: bot for bot, places in zip(order, held, strict=True) for place in places}
    return tuple(bot_at[place] for place in range(len(bot_at)))
