"""Luck: what chance alone brought in a deal, apart from how it was played. Pure.

Chance enters by the cards that are dealt and by each card that is drawn. A published value function
says what such a card is worth to the side that gets it. A side's surprise adds up, over these
events, what the card is worth less the mean over all cards that could have come instead. Its luck
is made of surprises as deal values are made of card points: its own times the number of sides, less
those of all. A deal value less its luck is the luck-adjusted value.

The luck of any play is nought on average, of good and bad play alike: who draws, and whether, may
depend on what the bots do, the card may not (AIVAT, arXiv 1612.06915, with chance events only, so
that nothing need be known of the bots):

- The mean is taken over the cards that lay hidden in the talon, the drawn one included. The turn-up
  was seen by all, so it is no luck to draw it, and it is none of those cards.
- In an open talon the top card is seen before the trick that decides who gets it: that is skill. It
  is no luck, and no longer one of the hidden cards.
- Where the trump is turned up beside the hands, no seat can expect more of the deal than another.
  Where a card of the dealer shows it, the dealer has a trump for sure: what that is worth on
  average, over all cards that could lie there and all other hands, is taken off.
- A deal that a fault ended has the luck of the cards that had come until then, none left out. Were
  it none, a bot could fault when its luck was good, and keep it. A deal not played has none.

Games with an auction have no value function: the caller chooses the trump, and the best that was
found for a hand explained 4 % of the variance. In all seatings of a deck the hands cancel anyway.

The numbers come from `tests/fit_luck.py`. They are frozen: an event writes `VALUES_DIGEST` into its
log before the first card.
"""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Final

import msgspec
from msgspec import Struct

from referee.match.leg import DealReason, DealResult
from referee.rules.cards import SUITS, Card, Suit
from referee.rules.deal import Play
from referee.rules.game import Game, Trick
from referee.rules.layout import Layout, Trump
from referee.rules.plain_game import PlainGame

REVISION: Final = 1
"""Of the method; grows when the same numbers are used differently."""

POINTS: Final = (11, 10, 4, 3, 2, 0)
"""The classes of cards: by what they count, whatever their letter."""

_TENTHS: Final = 100
"""Thousandths in the unit of the numbers."""

_LONG_HAND: Final = 5
"""Cards in a hand from which on two play another game: the talon ends sooner."""


class Worth(Struct, frozen=True):
    """What a card is worth to the side that gets it, in tenths of a point, by class in `POINTS`.

    Only differences count: a plain card of nought is worth nought.
    """

    trump: tuple[int, ...]
    plain: tuple[int, ...]


class Values(Struct, frozen=True):
    """A value function.

    Attributes:
        hand: of cards in the first hand.
        draw: of cards drawn.
    """

    hand: Worth
    draw: Worth


VALUES: Final[Mapping[str, Values]] = {
    "two": Values(
        hand=Worth(trump=(117, 98, 31, 33, 27, 7), plain=(47, 33, 0, 1, -6, 0)),
        draw=Worth(trump=(137, 98, 33, 20, 11, -4), plain=(3, -14, -10, -7, -8, 0)),
    ),
    "two, long hands": Values(
        hand=Worth(trump=(144, 103, 30, 7, -20, -8), plain=(44, 30, 1, -7, -21, 0)),
        draw=Worth(trump=(154, 111, 34, 9, -17, -3), plain=(17, 7, 0, -7, -18, 0)),
    ),
    "two, marriages": Values(
        hand=Worth(trump=(131, 81, 230, 199, -22, -18), plain=(52, 41, 41, 42, -15, 0)),
        draw=Worth(trump=(137, 101, 246, 217, -20, -11), plain=(18, 4, 39, 32, -20, 0)),
    ),
    "two, no trump": Values(
        hand=Worth(trump=(0, 0, 0, 0, 0, 0), plain=(120, 85, 27, 10, -6, 0)),
        draw=Worth(trump=(0, 0, 0, 0, 0, 0), plain=(126, 99, 34, 15, -1, 0)),
    ),
    "three": Values(
        hand=Worth(trump=(225, 188, 108, 74, 43, 35), plain=(33, 21, 5, -3, -5, 0)),
        draw=Worth(trump=(239, 200, 107, 79, 56, 35), plain=(11, 2, 2, 0, -2, 0)),
    ),
    "four": Values(
        hand=Worth(trump=(258, 222, 140, 112, 87, 65), plain=(29, 26, 15, 6, 1, 0)),
        draw=Worth(trump=(274, 228, 135, 102, 77, 48), plain=(13, 11, 4, 3, -1, 0)),
    ),
    "six": Values(
        hand=Worth(trump=(320, 283, 180, 145, 94, 54), plain=(15, 15, 9, -3, -3, 0)),
        draw=Worth(trump=(353, 313, 188, 119, 82, 38), plain=(12, 6, -1, 0, -3, 0)),
    ),
    "all dealt": Values(
        hand=Worth(trump=(266, 192, 108, 73, 57, 55), plain=(93, 51, 11, 3, -1, 0)),
        draw=Worth(trump=(0, 0, 0, 0, 0, 0), plain=(0, 0, 0, 0, 0, 0)),
    ),
}
"""The published numbers, by family: by the cards of a trick, where nothing else is said."""

VALUES_DIGEST: Final = hashlib.sha256(
    msgspec.json.encode(
        {"revision": REVISION, "points": POINTS, "values": dict(VALUES)}, order="sorted"
    )
).hexdigest()
"""SHA-256 of the published numbers as JSON, keys sorted, no blanks."""


def family_of(game: Game[Any]) -> str | None:
    """The family of `VALUES` that a game belongs to; None where luck is not counted."""
    if type(game) is not PlainGame:  # others may deal and draw as they like
        return None
    layout = game.layout
    cards = layout.seats * layout.cards_each
    match layout.trump:
        case Trump.TURN_UP:
            return _with_a_talon(layout, cards)
        case Trump.NONE if cards == 2:
            return "two, no trump"
        case Trump.EXPOSED if cards == 4:
            return "all dealt"
    return None


def _with_a_talon(layout: Layout, cards: int) -> str:
    """The family of a game with a turn-up, by the cards of a trick."""
    if layout.marriages:
        return "two, marriages"
    if cards == 2 and layout.hand >= _LONG_HAND:
        return "two, long hands"
    return {2: "two", 3: "three", 4: "four", 5: "four"}.get(cards, "six")


def values_of(game: Game[Any]) -> Values | None:
    """The value function by which the luck of a game is counted, if it is."""
    family = family_of(game)
    return None if family is None else VALUES[family]


def rows_of(values: Values) -> tuple[tuple[str, int, int], ...]:
    """The numbers for people: a class of cards, its worth in the first hand, and when drawn."""
    hand, draw = values.hand, values.draw
    return tuple(
        (f"{kind} {points}", held, drawn)
        for kind, in_hand, on_draw in (
            ("trump", hand.trump, draw.trump),
            ("plain", hand.plain, draw.plain),
        )
        for points, held, drawn in zip(POINTS, in_hand, on_draw, strict=True)
    )


def luck_of(deal: DealResult) -> tuple[int, ...] | None:
    """What chance alone brought, by seat, in thousandths of the deal value.

    Partners have the same; over the sides it adds up to nought. A deal that was not played has
    none; of one that has ended early it is that of the cards that had come.

    Returns:
        None where the game's luck is not counted.
    """
    game, start = deal.game, deal.start
    if type(game) is not PlainGame or (values := values_of(game)) is None:
        return None
    if deal.reason is DealReason.UNPLAYED:
        return (0,) * game.seats
    return reckoner(game.layout, values).luck(start.deck, start.dealer, deal.account.tricks)


class Reckoner:
    """Counts luck for one layout and one value function.

    Everything that follows from these is worked out once. Numbers are kept as whole multiples of
    one part in `parts`, of which every mean that occurs is a multiple, so nothing is rounded
    before the end.
    """

    def __init__(self, layout: Layout, values: Values) -> None:
        self._play = Play(layout)
        self._sides = layout.sides
        self._side_of = [
            next(at for at, side in enumerate(layout.sides) if seat in side)
            for seat in range(layout.seats)
        ]
        self._open = layout.open
        self._shown = layout.trump is Trump.TURN_UP
        hidden = max(1, len(layout.pack) - layout.hand * layout.seats)
        self._hand = {trump: _worths(layout, values.hand, trump) for trump in _trumps(layout)}
        self._draw = {trump: _worths(layout, values.draw, trump) for trump in _trumps(layout)}
        self.parts = lcm(*range(1, hidden + 1))
        self._more = Fraction(0)
        if layout.trump is Trump.EXPOSED:
            self._more = self._dealer_expects()
            self.parts = lcm(self.parts, self._more.denominator)
        self._shares = [0, *(self.parts // left for left in range(1, hidden + 1))]

    def _dealer_expects(self) -> Fraction:
        """By how much the dealer's hand is worth more than another, over all decks."""
        pack = self._play.layout.pack
        more = Fraction(0)
        for shown in pack:
            worth = self._hand[Suit(shown[1])]
            others = sum(map(worth.__getitem__, pack)) - worth[shown]
            more += worth[shown] - Fraction(others, len(pack) - 1)
        return more / len(pack)

    def by_side(self, deck: Sequence[Card], dealer: int, tricks: Sequence[Trick]) -> list[int]:
        """Each side's surprise, in parts of a tenth.

        From the first hands only what the dealer can expect more than others is taken off. What all
        can expect cancels, as sides are equally large.
        """
        state, parts = self._play.deal(deck, dealer), self.parts
        worth = self._hand[state.trump].__getitem__
        side_of = self._side_of
        own = [0] * len(self._sides)
        for side, hand in zip(side_of, state.hands, strict=True):
            own[side] += parts * sum(map(worth, hand))
        own[side_of[dealer]] -= int(self._more * parts)
        hidden = state.talon[:-1] if self._shown else state.talon
        surprises = self._surprises(list(map(self._draw[state.trump].__getitem__, hidden)))
        seats, full, known = len(side_of), self._play.full, self._open
        for begin, trick in zip(range(0, len(hidden), full), tricks, strict=False):
            taker = trick.winner
            for place, surprise in enumerate(surprises[begin : begin + full]):
                if place or not known:
                    own[side_of[(taker + place) % seats]] += surprise
        return own

    def _surprises(self, worths: list[int]) -> list[int]:
        """By how much each hidden card is worth more than the mean of it and those behind it."""
        parts, shares = self.parts, self._shares
        left, rest = len(worths), sum(worths)
        found = []
        for worth in worths:
            found.append(worth * parts - rest * shares[left])
            rest -= worth
            left -= 1
        return found

    def luck(self, deck: Sequence[Card], dealer: int, tricks: Sequence[Trick]) -> tuple[int, ...]:
        """Luck by seat in thousandths, after so many tricks."""
        half = self.parts // 2
        own = [(_TENTHS * side + half) // self.parts for side in self.by_side(deck, dealer, tricks)]
        total, sides = sum(own), len(own)
        return tuple(sides * own[side] - total for side in self._side_of)


@lru_cache(maxsize=256)
def reckoner(layout: Layout, values: Values) -> Reckoner:
    """The one for a layout and a value function."""
    return Reckoner(layout, values)


def _trumps(layout: Layout) -> tuple[Suit | None, ...]:
    return (None,) if layout.trump is Trump.NONE else tuple(map(Suit, SUITS))


def _worths(layout: Layout, worth: Worth, trump: Suit | None) -> dict[Card, int]:
    """What each card is worth, with this trump."""
    points = layout.profile.points
    return {
        card: (worth.trump if card[1] == trump else worth.plain)[
            POINTS.index(points.get(card[0], 0))
        ]
        for card in layout.pack
    }
