"""Dealing, tricks and drawing over a `Layout`: what all games of the family have in common."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from protocol.events import Drew, Event, NextCard, Played, TrickWon
from referee.rules.cards import Card, Suit, strengths, worths
from referee.rules.game import EventsBySeat, Trick
from referee.rules.layout import EqualCards, Exposed, FirstLead, Follow, Layout, Trump
from referee.rules.tricks import beaters, seats_from, winner, without


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

Hands = list[tuple[Card, ...]]


class DealState(Struct, frozen=True, gc=False):
    """Tricks under way. `talon` is in the order of drawing, the turn-up last.

    Attributes:
        turn_up: the card that lies, or lay, under the talon, or was exposed.
        turn: the seat that plays next.
    """

    dealer: int
    trump: Suit | None
    turn_up: Card | None
    hands: tuple[tuple[Card, ...], ...]
    talon: tuple[Card, ...]
    turn: int
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    told: Told = NOTHING


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
        self._hidden: list[list[Event]] = [[Drew(seat) for seat in row] for row in self._orders]
        self._drew = [
            {card: Drew(seat, card) for card in layout.pack} for seat in range(self.seats)
        ]
        self._played = [
            {card: (Played(seat, card),) for card in layout.pack} for seat in range(self.seats)
        ]
        last_wins = layout.equal_cards is EqualCards.LAST_WINS
        self._beaters = beaters(strengths(layout.profile), last_wins=last_wins)

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
        hands, dealt = self._hands(deck, first), layout.hand * self.seats
        talon, turn_up = deck[dealt:], None
        if layout.trump is Trump.TURN_UP:
            turn_up, talon = talon[0], (*talon[1:], talon[0])
        elif layout.trump is Trump.EXPOSED:
            turn_up = deck[0] if top_exposed else deck[-1]
        leader = self.first_leader(dealer)
        return DealState(
            dealer=dealer,
            trump=None if turn_up is None else Suit(turn_up[1]),
            turn_up=turn_up,
            hands=tuple(hands),
            talon=talon,
            turn=leader,
            leader=leader,
            trick=(),
            tricks=(),
            told=NOTHING if removed is None else Told(removed=removed),
        )

    def _hands(self, deck: tuple[Card, ...], first: int) -> Hands:
        """The cards of each seat, in packets, from seat `first` on."""
        packet, dealt = self.layout.packet, self.layout.hand * self.seats
        hands: Hands = [()] * self.seats
        for place, seat in enumerate(self._orders[first % self.seats]):
            if packet == 1:
                hands[seat] = deck[place : dealt : self.seats]
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
            return hand
        if state.trick and self._must_follow(state):
            led = state.trick[0][1]
            hand = tuple(card for card in hand if card[1] == led) or hand
        return tuple(dict.fromkeys(hand))

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

    def play(self, state: DealState, card: str) -> tuple[DealState, EventsBySeat]:
        """Plays a card; the last card of a trick also ends it and lets everybody draw."""
        seat, hands = state.turn, list(state.hands)
        hand = hands[seat]
        at = hand.index(card)
        hands[seat] = hand[:at] + hand[at + 1 :]
        trick = (*state.trick, hand[at])
        public: tuple[Event, ...] = self._played[seat][hand[at]]
        if len(trick) == self.full:
            return self._take(state, hands, trick, public)
        after = DealState(
            state.dealer,
            state.trump,
            state.turn_up,
            tuple(hands),
            state.talon,
            self._right[seat],
            state.leader,
            trick,
            state.tricks,
            state.told,
        )
        return after, (public,) * self.seats

    def put(self, state: DealState, card: str) -> DealState:
        """A card on the table, where a trick that is complete by it still lies."""
        hand = state.hands[state.turn]
        one = hand[hand.index(card)]
        hands = (*state.hands[: state.turn], without(hand, one), *state.hands[state.turn + 1 :])
        return replace(state, hands=hands, turn=self._right[state.turn], trick=(*state.trick, one))

    def take(self, state: DealState, before: tuple[Event, ...]) -> tuple[DealState, EventsBySeat]:
        """Ends the trick that `put` has completed; shows `before` and what follows."""
        return self._take(state, list(state.hands), state.trick, before)

    def _take(
        self, state: DealState, hands: Hands, cards: tuple[Card, ...], before: tuple[Event, ...]
    ) -> tuple[DealState, EventsBySeat]:
        """The winner of a complete trick takes it; everybody draws."""
        leader, talon = state.leader, state.talon
        taker = (leader + winner(cards, self._beaters[state.trump])) % self.seats
        worth = sum([self._worth[card] for card in cards])
        shown = [(*before, TrickWon(taker, worth))] * self.seats
        if talon:
            self._draw(talon, state.turn_up, taker, hands, shown)
            talon = talon[self.full :]
        state = DealState(
            state.dealer,
            state.trump,
            state.turn_up,
            tuple(hands),
            talon,
            taker,
            taker,
            (),
            (*state.tricks, Trick(leader, cards, taker, worth)),
            state.told,
        )
        return state, tuple(shown)

    def _draw(
        self,
        talon: tuple[Card, ...],
        turn_up: Card | None,
        taker: int,
        hands: Hands,
        shown: list[tuple[Event, ...]],
    ) -> None:
        """Everybody draws into `hands`, the winner first; adds what each is `shown` of it.

        Only the turn-up and cards of an open talon are seen by all.
        """
        order, drew, size = self._orders[taker], self._drew, self.seats
        for begin in self._rounds:
            cards = talon[begin : begin + size]
            seen = self._hidden[taker]
            if self._open:
                seen = [drew[seat][card] for seat, card in zip(order, cards, strict=True)]
            elif turn_up is not None and len(talon) == begin + size:
                seen = [*seen[:-1], drew[order[-1]][turn_up]]
            for place, seat in enumerate(order):
                card = cards[place]
                hands[seat] += (card,)
                shown[seat] += (*seen[:place], drew[seat][card], *seen[place + 1 :])
        if self._open and len(talon) > self.full:
            for seat in order:
                shown[seat] += (NextCard(talon[self.full]),)
