"""A second model of luck: slow, with fractions, from nothing but what seats are shown."""

from collections.abc import Sequence
from fractions import Fraction

from protocol.events import Drew, NextCard
from referee.match.luck import POINTS, VALUES, Worth, family_of
from referee.rules.cards import SUITS, Card
from referee.rules.deal import DealState
from referee.rules.layout import Trump
from referee.rules.plain_game import PlainGame
from support.players import Player


class Watcher:
    """Counts luck from events, with fractions, card by card."""

    def __init__(self, game: PlainGame) -> None:
        family = family_of(game)
        assert family is not None
        self.game, self.values = game, VALUES[family]
        self.own = [Fraction(0)] * game.seats

    def worth(self, card: Card, trump: str | None, worth: Worth) -> int:
        points = self.game.layout.profile.points.get(card[0], 0)
        return (worth.trump if card[1] == trump else worth.plain)[POINTS.index(points)]

    def expected(self, cards: list[Card], dealer: int) -> list[Fraction]:
        """The mean worth of each seat's first hand, over every card that could show the trump."""
        layout, worth = self.game.layout, self.values.hand
        suits = (None,) if layout.trump is Trump.NONE else tuple(SUITS)
        total = {trump: sum(self.worth(one, trump, worth) for one in cards) for trump in suits}
        found = [Fraction(0)] * self.game.seats
        for shown in cards:
            trump = None if layout.trump is Trump.NONE else shown[1]
            hers = self.worth(shown, trump, worth)
            mean = Fraction(total[trump] - hers, len(cards) - 1)
            for seat in range(self.game.seats):
                sure = layout.trump is Trump.EXPOSED and seat == dealer
                found[seat] += layout.hand * mean + (hers - mean if sure else 0)
        return [sums / len(cards) for sums in found]

    def watch(self, deck: Sequence[Card], dealer: int, players: Sequence[Player]) -> None:
        game = self.game
        state, shown = game.deal(deck, dealer)
        cards = list(deck)
        if state.told.removed is not None:
            cards.remove(state.told.removed)
        for seat, mean in enumerate(self.expected(cards, dealer)):
            hand = state.hands[seat]
            self.own[seat] += sum(self.worth(one, state.trump, self.values.hand) for one in hand)
            self.own[seat] -= mean
            for one in hand:
                cards.remove(one)
        if state.turn_up in cards and game.layout.trump is Trump.TURN_UP:
            cards.remove(state.turn_up)
        self.hidden, self.next = cards, False
        self._reveal(state, shown)
        while (seat_to_move := game.to_move(state)) is not None:
            before = game.copy(state)
            action = players[seat_to_move](state, game.legal(state))
            shown = game.apply(state, action)
            if len(action) == 2 and not state.trick:
                self._reveal(before, shown)

    def _reveal(self, state: DealState, shown: Sequence[Sequence[object]]) -> None:
        """The draws of a trick in order, each known to who drew; then the next card, if open."""
        drew = [[event for event in events if isinstance(event, Drew)] for events in shown]
        talon = len(state.talon)
        for at in range(len(drew[0])):
            seat = drew[0][at].seat
            card = drew[seat][at].card
            assert card is not None
            talon -= 1
            known = (at == 0 and self.next) or (talon == 0 and state.turn_up is not None)
            if not known:
                self._surprise(Card(card), seat, state)
        following = [event for event in shown[0] if isinstance(event, NextCard)]
        self.next = bool(following) if drew[0] or following else self.next
        for event in following:
            self.hidden.remove(Card(event.card))

    def _surprise(self, card: Card, seat: int, state: DealState) -> None:
        worths = [self.worth(one, state.trump, self.values.draw) for one in self.hidden]
        self.own[seat] += self.worth(card, state.trump, self.values.draw)
        self.own[seat] -= Fraction(sum(worths), len(worths))
        self.hidden.remove(card)

    def luck(self) -> list[Fraction]:
        """By seat, in thousandths."""
        sides = self.game.partners
        own = [sum((self.own[seat] for seat in side), Fraction(0)) for side in sides]
        found = [Fraction(0)] * self.game.seats
        for at, side in enumerate(sides):
            for seat in side:
                found[seat] = 100 * (len(sides) * own[at] - sum(own))
        return found
