"""Dealing, tricks and drawing over a `Layout`: what all games of the family have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import Struct

from protocol.events import Drew, Event, NextCard, Played, TrickWon
from referee.rules.cards import Card, Suit, strengths, worths
from referee.rules.game import EventsBySeat, Trick
from referee.rules.layout import EqualCards, Exposed, FirstLead, Follow, Layout, Trump
from referee.rules.tricks import beaters, seats_from, winner


class Told(Struct, frozen=True, omit_defaults=True):
    """What was announced in a deal, beside the cards played.

    Attributes:
        exchanges: seat, the card given, the card taken.
        marriages: seat, suit and points.
        signals: the number of the trick from 0, seat and signal.
        black_hand: the seat that has won by it.
        removed: the two that left the pack by chance.
    """

    exchanges: tuple[tuple[int, Card, Card], ...] = ()
    marriages: tuple[tuple[int, Suit, int], ...] = ()
    signals: tuple[tuple[int, int, str], ...] = ()
    black_hand: int | None = None
    removed: Card | None = None


NOTHING: Final = Told()


@dataclass(slots=True)
class DealState:
    """Tricks under way; playing changes it, and who wants another branch takes a `copy`.

    Attributes:
        turn_up: the card that lies, or lay, under the talon, or was exposed.
        talon: in the order of drawing, the turn-up last.
        turn: the seat that plays next.
    """

    dealer: int
    trump: Suit | None
    turn_up: Card | None
    hands: list[list[Card]]
    talon: list[Card]
    turn: int
    leader: int
    trick: list[Card]
    tricks: list[Trick]
    told: Told = NOTHING

    def copy(self) -> "DealState":
        """Return a state that is played on without a change of this one."""
        return DealState(
            self.dealer,
            self.trump,
            self.turn_up,
            [hand[:] for hand in self.hands],
            self.talon[:],
            self.turn,
            self.leader,
            self.trick[:],
            self.tricks[:],
            self.told,
        )


def points_of(state: DealState) -> tuple[int, ...]:
    """Points by seat, from tricks and marriages."""
    points = [0] * len(state.hands)
    for trick in state.tricks:
        points[trick.winner] += trick.points
    for seat, _, worth in state.told.marriages:
        points[seat] += worth
    return tuple(points)


class Play:
    """The trick core for a layout.

    Everything that follows from the layout alone is worked out once: this is the inner loop.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.seats = layout.seats
        self.full = layout.seats * layout.cards_each
        """The cards of a complete trick."""
        self._open = layout.open
        self.any_card = layout.follow is Follow.FREE and layout.packs == 1
        self._worth = worths(layout.profile)
        self._orders = [seats_from(first, self.seats) for first in range(self.seats)]
        self._right = [(seat + 1) % self.seats for seat in range(self.seats)]
        self._rounds = tuple(range(0, self.full, self.seats))
        self._hidden = [tuple(map(Drew, row)) for row in self._orders]
        """What all see of a draw, by who draws first."""
        self._drew = [
            {card: Drew(seat, card) for card in layout.pack} for seat in range(self.seats)
        ]
        self._drawn = [
            tuple((seat, self._draws(row, at, seat)) for at, seat in enumerate(order))
            * layout.cards_each
            for order, row in zip(self._orders, self._hidden, strict=True)
        ]
        """What each sees of it, in their order, by the card that it draws itself."""
        self._played: list[dict[Card, tuple[Event, ...]]] = [
            {card: (Played(seat, card),) for card in layout.pack} for seat in range(self.seats)
        ]
        self._shown = [
            {card: (played,) * self.seats for card, played in row.items()} for row in self._played
        ]
        last_wins = layout.equal_cards is EqualCards.LAST_WINS
        self._beaters = beaters(strengths(layout.profile), last_wins=last_wins)

    def _draws(
        self, hidden: tuple[Event, ...], at: int, seat: int
    ) -> dict[Card, tuple[Event, ...]]:
        drew = self._drew[seat]
        return {card: (*hidden[:at], drew[card], *hidden[at + 1 :]) for card in drew}

    def first_leader(self, dealer: int) -> int:
        """Who leads to the first trick."""
        step = -1 if self.layout.first_lead is FirstLead.CUTTER else 1
        return (dealer + step) % self.seats

    def deal(self, deck: Sequence[Card], dealer: int) -> DealState:
        """Hands in packets from the dealer's right; then the trump, if a card shows it."""
        layout = self.layout
        top_exposed = layout.trump is Trump.EXPOSED and layout.exposed_card is Exposed.TOP
        first = dealer if top_exposed else dealer + 1
        removed, deck = self._remove(deck)
        deck = tuple(deck)
        talon, turn_up = deck[layout.hand * self.seats :], None
        if layout.trump is Trump.TURN_UP:
            turn_up, talon = talon[0], (*talon[1:], talon[0])
        elif layout.trump is Trump.EXPOSED:
            turn_up = deck[0] if top_exposed else deck[-1]
        leader = self.first_leader(dealer)
        return DealState(
            dealer=dealer,
            trump=None if turn_up is None else Suit(turn_up[1]),
            turn_up=turn_up,
            hands=self._hands(deck, first),
            talon=list(talon),
            turn=leader,
            leader=leader,
            trick=[],
            tricks=[],
            told=NOTHING if removed is None else Told(removed=removed),
        )

    def _hands(self, deck: tuple[Card, ...], first: int) -> list[list[Card]]:
        """The cards of each seat, in packets, from seat `first` on."""
        packet, dealt = self.layout.packet, self.layout.hand * self.seats
        hands: list[list[Card]] = [[] for _ in range(self.seats)]
        for place, seat in enumerate(self._orders[first % self.seats]):
            if packet == 1:
                hands[seat] += deck[place : dealt : self.seats]
                continue
            for at in range(place * packet, dealt, packet * self.seats):
                hands[seat] += deck[at : at + packet]
        return hands

    def _remove(self, deck: Sequence[Card]) -> tuple[Card | None, Sequence[Card]]:
        """Where one two leaves at random: the one of the bottom card's suit.

        The bottom card takes its place, so that what is left is as fairly shuffled as the deck.
        """
        if self.layout.removed_two != "random":
            return None, deck
        bottom = deck[-1]
        two = Card("2" + bottom[1])
        rest = tuple(bottom if card == two else card for card in deck[:-1])
        return two, rest

    def legal(self, state: DealState) -> tuple[Card, ...]:
        """The cards that may be played, in order of arrival, equal ones once."""
        hand = state.hands[state.turn]
        if self.any_card:
            return tuple(hand)
        led = self.suit_to_follow(state)
        if led is not None:
            hand = [card for card in hand if card[1] == led] or hand
        return tuple(dict.fromkeys(hand))

    def suit_to_follow(self, state: DealState) -> str | None:
        """Return the suit led, where a seat that has it must play it."""
        return state.trick[0][1] if state.trick and self._must_follow(state) else None

    def _must_follow(self, state: DealState) -> bool:
        match self.layout.follow:
            case Follow.FREE:
                return False
            case Follow.MUST:
                return True
            case Follow.AFTER_STOCK:
                return not state.talon
            case Follow.AFTER_STOCK_TRUMP_LED:
                return not state.talon and state.trick[0][1] == state.trump

    def play(self, state: DealState, card: str) -> EventsBySeat:
        """Play a card; the last card of a trick also ends it and lets everybody draw."""
        seat, trick = state.turn, state.trick
        hand = state.hands[seat]
        one = hand.pop(hand.index(card))  # type: ignore[arg-type]  # a legal action is a card
        trick.append(one)
        if len(trick) == self.full:
            return self.take(state, self._played[seat][one])
        state.turn = self._right[seat]
        return self._shown[seat][one]

    def put(self, state: DealState, card: Card) -> None:
        """Lay a card on the table, where a trick that is complete by it still lies."""
        hand = state.hands[state.turn]
        state.trick.append(hand.pop(hand.index(card)))
        state.turn = self._right[state.turn]

    def take(self, state: DealState, before: tuple[Event, ...]) -> EventsBySeat:
        """End a complete trick: its winner takes it, and everybody draws.

        Args:
            state: it lies on the table there.
            before: what all are shown before that.
        """
        cards, leader, talon = state.trick, state.leader, state.talon
        taker = (leader + winner(cards, self._beaters[state.trump])) % self.seats
        worth = 0
        for card in cards:
            worth += self._worth[card]
        state.tricks.append(Trick(leader, tuple(cards), taker, worth))
        cards.clear()
        state.turn = state.leader = taker
        shown = [(*before, TrickWon(taker, worth))] * self.seats
        if not talon:
            return tuple(shown)
        if self._open or len(talon) == self.full:
            self._draw_openly(state, taker, shown)
            return tuple(shown)
        hands = state.hands
        for at, (seat, drawn) in enumerate(self._drawn[taker]):
            card = talon[at]
            hands[seat].append(card)
            shown[seat] += drawn[card]
        del talon[: self.full]
        return tuple(shown)

    def _draw_openly(self, state: DealState, taker: int, shown: list[tuple[Event, ...]]) -> None:
        """Everybody draws, the winner first, where others see it: the turn-up, or an open talon."""
        order, drew, size, talon = self._orders[taker], self._drew, self.seats, state.talon
        for begin in self._rounds:
            cards = talon[begin : begin + size]
            seen = self._hidden[taker]
            if self._open:
                seen = tuple(drew[seat][card] for seat, card in zip(order, cards, strict=True))
            elif state.turn_up is not None and len(talon) == begin + size:
                seen = (*seen[:-1], drew[order[-1]][state.turn_up])
            for place, seat in enumerate(order):
                card = cards[place]
                state.hands[seat].append(card)
                shown[seat] += (*seen[:place], drew[seat][card], *seen[place + 1 :])
        del talon[: self.full]
        if self._open and talon:
            for seat in order:
                shown[seat] += (NextCard(talon[0]),)
