"""The trick core that every game of the family stands on. Pure functions over cards."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from referee.cards import Card, Suit

Beaters = Mapping[Card, frozenset[Card]]
"""For each card, those that take the trick from it when they are played later."""


def beaters(
    strength: Mapping[Card, int], trump: Suit | None, *, last_wins: bool = False
) -> Beaters:
    """Who beats whom (RULES 1.4): higher cards of the suit, and trumps all cards of other suits.

    Of two equal cards, which only two packs can bring, the one played first wins, or the last with
    `last_wins` (RULES U02).
    """

    def beats(one: Card, best: Card) -> bool:
        if one[1] == best[1]:
            return strength[one] > strength[best] or (last_wins and one == best)
        return one[1] == trump

    return {best: frozenset(one for one in strength if beats(one, best)) for best in strength}


def winner(cards: Sequence[Card], beaten_by: Beaters) -> int:
    """The place in `cards`, which are in the order of play, of the card that takes the trick."""
    place = 0
    for at in range(1, len(cards)):
        if cards[at] in beaten_by[cards[place]]:
            place = at
    return place


C = TypeVar("C", bound=str)


def without(hand: tuple[C, ...], card: C) -> tuple[C, ...]:
    """The hand after `card` has left it; of two equal cards the older one goes."""
    at = hand.index(card)
    return hand[:at] + hand[at + 1 :]


def added(figures: tuple[int, ...], seat: int, more: int) -> tuple[int, ...]:
    """Figures by seat, with `more` for one of them."""
    return (*figures[:seat], figures[seat] + more, *figures[seat + 1 :])


def seats_from(first: int, seats: int) -> tuple[int, ...]:
    """All seats, counter-clockwise, beginning with `first`."""
    return tuple((first + step) % seats for step in range(seats))


def sides_of(seats: int, sides: int) -> tuple[tuple[int, ...], ...]:
    """So many sides whose seats alternate.

    Two sides of four are opposite seats; as many sides as seats are every seat for itself.
    """
    return tuple(tuple(range(side, seats, sides)) for side in range(sides))
