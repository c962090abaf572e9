"""The trick core that every game of the family stands on. Pure functions over cards."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from referee.cards import Card, Suit


def winner(cards: Sequence[Card], trump: Suit | None, strength: Mapping[Card, int]) -> int:
    """The place in `cards` of the card that takes the trick (RULES 1.4).

    The highest trump, else the highest card of the suit led. Of two equal cards, which only two
    packs can bring, the one played first wins (RULES U02).
    """
    place, best = 0, cards[0]
    for at, one in enumerate(cards):
        if one[1] == best[1]:
            if strength[one] > strength[best]:
                place, best = at, one
        elif one[1] == trump:
            place, best = at, one
    return place


C = TypeVar("C", bound=str)


def without(hand: tuple[C, ...], card: C) -> tuple[C, ...]:
    """The hand after `card` has left it; of two equal cards the older one goes."""
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]


def seats_from(first: int, seats: int) -> tuple[int, ...]:
    """All seats, counter-clockwise, beginning with `first`."""
    return tuple((first + step) % seats for step in range(seats))


def parity_sides(seats: int) -> tuple[tuple[int, ...], ...]:
    """Two sides whose seats alternate: opposite seats of four, every other one of six."""
    return tuple(range(0, seats, 2)), tuple(range(1, seats, 2))


def solo_sides(seats: int) -> tuple[tuple[int, ...], ...]:
    """Every seat for itself."""
    return tuple((seat,) for seat in range(seats))
