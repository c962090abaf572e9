"""What one seat knows of the deck during a deal: which places it has seen into, and more. Pure.

Cards that others have played stay at the places where they were dealt: which of its places a seat
took them from says nothing about the cards that are still hidden.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from protocol.events import (
    Declared,
    Drew,
    Event,
    Exchanged,
    HandDealt,
    HandShown,
    Married,
    NextCard,
    Played,
    Removed,
    TurnUp,
    Uncovered,
)
from referee.match.dealt_places import DealtPlaces
from referee.rules.cards import Card
from referee.rules.game import EventsBySeat


def _draws(shown: EventsBySeat) -> Iterator[tuple[int, str]]:
    """Yield who drew which card, in the order of drawing."""
    drawn = [[event for event in events if isinstance(event, Drew)] for events in shown]
    for at, draw in enumerate(drawn[0]):
        card = drawn[draw.seat][at].card
        if card is not None:
            yield draw.seat, card


class DeckKnowledge:
    """A deck as one seat knows it, told act by act.

    Attributes:
        covered: the places of twos that lie covered, and the acts that played them.
    """

    def __init__(self, deck: Sequence[Card], places: DealtPlaces, removed: int, seat: int) -> None:
        """Begin before anything is shown.

        Args:
            deck: the true one.
            places: where it is dealt from.
            removed: how many cards at its bottom left the pack by chance, and are known.
            seat: whose knowledge it is.
        """
        self._deck, self._seat, self._turn_up = deck, seat, places.turn_up
        self._holder: dict[int, tuple[int, int]] = {
            place: (holder, 0) for holder, hand in enumerate(places.hands) for place in hand
        }
        """By place, whose hand its card came into, and after how many acts."""
        self._open = {*range(len(deck) - removed, len(deck)), *places.hands[seat]}
        """The places that the seat has seen into."""
        if places.turn_up is not None:
            self._open.add(places.turn_up)
        self._known = [Counter[str]() for _ in places.hands]
        """Cards that the seat knows to be in the hands of others."""
        self._voids: list[tuple[int, int, str]] = []
        """Who had none of a suit, after how many acts."""
        self.covered: dict[int, int] = {}

    @property
    def hidden(self) -> list[int]:
        """The places whose cards the seat has not seen, in order."""
        return [place for place in range(len(self._deck)) if place not in self._open]

    def excluded_suits(self, place: int) -> frozenset[str]:
        """Return the suits that the card of a place cannot have."""
        if place not in self._holder:
            return frozenset()
        holder, since = self._holder[place]
        return frozenset(
            suit for seat, when, suit in self._voids if seat == holder and when >= since
        )

    def did_not_follow(self, seat: int, suit: str, acts: int) -> None:
        """Keep that a seat had none of a suit after so many acts."""
        if seat != self._seat:
            self._voids.append((seat, acts, suit))

    def see(self, shown: EventsBySeat, acts: int, action: str) -> None:
        """Keep who drew what, and what of it the seat was shown.

        Args:
            shown: what all seats were.
            acts: how many acts there have been.
            action: the last of them; "" for none.
        """
        for seat, card in _draws(shown):
            place = self._in_talon(card)
            if place is not None:  # the turn-up, or what was exchanged for it, is known
                self._holder[place] = (seat, acts)
                if seat == self._seat or Drew(seat, card) in shown[self._seat]:
                    self._open.add(place)
        for event in shown[self._seat]:
            if isinstance(event, NextCard):
                place = self._in_talon(event.card)
                if place is not None:
                    self._open.add(place)
            elif not isinstance(event, HandDealt | Removed | TurnUp):
                self._hear(event, acts, action)

    def _in_talon(self, card: str) -> int | None:
        """Return the place of a card of the talon, the turn-up aside; None if it is not there."""
        for place, one in enumerate(self._deck):
            if one == card and place not in self._holder and place != self._turn_up:
                return place
        return None

    def _hear(self, event: Event, acts: int, action: str) -> None:
        """Keep which cards of another seat's hand an event has named."""
        match event:
            case Played(seat, card) if len(card) == 1 and seat != self._seat:
                self.covered[self._hidden_place(seat, action)] = acts - 1
            case Played(seat, card) if seat != self._seat:
                self._know(seat, [card])
                self._known[seat][card] -= 1
            case Uncovered(seat, card) if seat != self._seat:
                place = self._hidden_place(seat, card)
                self._open.add(place)
                del self.covered[place]
            case HandShown(seat, cards) | Declared(seat, cards) if seat != self._seat:
                self._know(seat, cards)
            case Married(seat, suit) if seat != self._seat:
                self._know(seat, ["K" + suit, "Q" + suit])
            case Exchanged(seat, gives, takes) if seat != self._seat:
                self._know(seat, [gives])
                self._known[seat][gives] -= 1
                self._known[seat][takes] += 1
            case Drew(seat, str() as card) if seat != self._seat:
                self._known[seat][card] += 1
            case _:
                pass

    def _know(self, seat: int, cards: Sequence[str]) -> None:
        """See into the places of cards of a hand that were not known to be there."""
        for card, copies in Counter(cards).items():
            for _ in range(copies - self._known[seat][card]):
                self._known[seat][card] += 1
                place = self._hidden_place(seat, card)
                if place >= 0:
                    self._open.add(place)

    def _hidden_place(self, seat: int, card: str) -> int:
        """Return where a card that a seat held lies, not seen into so far; -1 for the turn-up."""
        for place, (holder, _) in self._holder.items():
            if holder == seat and self._deck[place] == card and place not in self._open:
                return place
        return -1
