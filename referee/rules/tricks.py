"""The trick core that every game of the family stands on. Pure functions over cards."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from referee.rules.cards import SUITS, Card, Suit

Beaters = Mapping[Card, frozenset[Card]]
"""For each card, those that take the trick from it when they are played later."""


def beaters(strength: Mapping[Card, int], *, last_wins: bool = False) -> dict[Suit | None, Beaters]:
    """Who beats whom, by trump (RULES 1.4): higher cards of the suit, trumps all others.

    Of two equal cards, which only two packs can bring, the one played first wins, or the last with
    `last_wins` (RULES U02).
    """
    suits = {suit: [card for card in strength if card[1] == suit] for suit in map(Suit, SUITS)}
    higher = {
        best: frozenset(
            one
            for one in suits[Suit(best[1])]
            if strength[one] > strong or (last_wins and one == best)
        )
        for best, strong in strength.items()
    }
    found: dict[Suit | None, Beaters] = {None: higher}
    for trump, trumps in suits.items():
        others = frozenset(trumps)
        found[trump] = {
            best: ones if best[1] == trump else ones | others for best, ones in higher.items()
        }
    return found


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


def seats_from(first: int, seats: int) -> tuple[int, ...]:
    """All seats, counter-clockwise, beginning with `first`."""
    return tuple((first + step) % seats for step in range(seats))


def sides_of(seats: int, sides: int) -> tuple[tuple[int, ...], ...]:
    """So many sides whose seats alternate.

    Two sides of four are opposite seats; as many sides as seats are every seat for itself.
    """
    return tuple(tuple(range(side, seats, sides)) for side in range(sides))
