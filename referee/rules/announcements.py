"""What a seat may announce before it plays a card: exchange, marriage, signal, black hand.

An announcement leaves the turn where it is. All of it follows from the numbers of a `Layout`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from protocol.events import Declared, Exchanged, HandShown, Married, Signalled
from referee.rules.cards import SUITS, Card, Suit
from referee.rules.deal import DealState
from referee.rules.game import EventsBySeat
from referee.rules.layout import MARRIAGE, BlackHand, Exchange, Layout, Signals, TeamView

SIGNALS: Final = ("ace", "three", "king", "knight", "knave", "load")
"""What a partner can be told to hold (RULES 8.7): trumps by name, or points outside trumps."""


@dataclass(frozen=True)
class Announcing:
    """The announcements of a layout."""

    layout: Layout

    @cached_property
    def none(self) -> bool:
        """Whether nothing can ever be announced."""
        layout = self.layout
        return not layout.marriages and (
            layout.exchange_two is Exchange.OFF
            and layout.exchange_seven is Exchange.OFF
            and layout.black_hand is not BlackHand.ON
            and layout.signals is Signals.OFF
        )

    @cached_property
    def first_trick_only(self) -> bool:
        """Whether nothing can be announced once the first trick is over."""
        without_two = replace(self.layout, exchange_two=Exchange.OFF)
        return self.layout.exchange_two is Exchange.FIRST_TRICK and Announcing(without_two).none

    @cached_property
    def most(self) -> int:
        """The most announcements in a deal."""
        layout = self.layout
        tricks = len(layout.pack) // (layout.seats * layout.cards_each)
        signals = 0 if layout.signals is Signals.OFF else layout.seats * (tricks - 1)
        exchanges = (layout.exchange_two is not Exchange.OFF) + (
            layout.exchange_seven is not Exchange.OFF
        )
        black_hand = layout.black_hand is BlackHand.ON
        return signals + exchanges + len(SUITS) * layout.marriages + black_hand

    @property
    def actions(self) -> Iterator[str]:
        """All that can ever be announced, in the order of SPEC 3.4."""
        layout = self.layout
        for rank, when in (("2", layout.exchange_two), ("7", layout.exchange_seven)):
            if when is not Exchange.OFF:
                yield from (f"exchange {rank}{suit}" for suit in SUITS)
        if layout.marriages:
            yield from (f"marry {suit}" for suit in SUITS)
        if layout.signals is not Signals.OFF:
            yield from (f"signal {signal}" for signal in SIGNALS)
        if layout.black_hand is BlackHand.ON:
            yield "declare"

    def offers(self, state: DealState) -> Iterator[str]:
        """What the seat to move may announce, in the order of SPEC 3.4."""
        hand = state.hands[state.turn]
        for rank, when in (("2", self.layout.exchange_two), ("7", self.layout.exchange_seven)):
            if when is not Exchange.OFF and self._may_exchange(state, rank, when):
                yield f"exchange {rank}{state.trump}"
        if self.layout.marriages and not state.trick and self._has_won(state):
            married = {suit for _, suit, _ in state.told.marriages}
            for suit in SUITS:
                if "K" + suit in hand and "Q" + suit in hand and suit not in married:
                    yield f"marry {suit}"
        if self._may_signal(state):
            yield from (f"signal {signal}" for signal in SIGNALS)
        if self.layout.black_hand is BlackHand.ON and self.holds_black_hand(state, state.turn):
            yield "declare"

    def _has_won(self, state: DealState) -> bool:
        return any(trick.winner == state.turn for trick in state.tricks)

    def _may_exchange(self, state: DealState, rank: str, when: Exchange) -> bool:
        trump, turn_up = state.trump, state.turn_up
        if trump is None or turn_up is None or not state.talon or turn_up == rank + trump:
            return False
        if rank + trump not in state.hands[state.turn]:
            return False
        order = self.layout.profile.order
        above_seven = order.find(turn_up[0]) < order.find("7" if "7" in order else self.layout.ten)
        match when:
            case Exchange.FIRST_TRICK:
                return not state.tricks and len(state.hands[state.turn]) == self.layout.hand
            case Exchange.WHILE_STOCK:
                return True
            case _:
                return self._has_won(state) and above_seven is (rank == "7")

    def _may_signal(self, state: DealState) -> bool:
        if self.layout.signals is Signals.OFF or not state.tricks:
            return False
        now = len(state.tricks)
        return all((now, state.turn) != (trick, seat) for trick, seat, _ in state.told.signals)

    def black_hand(self, trump: Suit) -> tuple[Card, ...]:
        """The three cards that win a deal (RULES 8.5)."""
        return tuple(Card(rank + trump) for rank in ("A", self.layout.ten, "K"))

    def holds_black_hand(self, state: DealState, seat: int) -> bool:
        """Whether a hand has all three."""
        if state.trump is None:
            return False
        return all(card in state.hands[seat] for card in self.black_hand(state.trump))

    def announce(self, state: DealState, action: str) -> EventsBySeat:
        """Carries out one of `offers`."""
        word, _, what = action.partition(" ")
        match word:
            case "exchange":
                return self._exchange(state, Card(what))
            case "marry":
                return self._marry(state, Suit(what))
            case "signal":
                return self._signal(state, what)
            case _:
                return self.declare(state, state.turn)

    def _public(self, event: Exchanged | Married | Declared) -> EventsBySeat:
        return ((event,),) * self.layout.seats

    def _exchange(self, state: DealState, given: Card) -> EventsBySeat:
        seat, taken = state.turn, state.turn_up
        assert taken is not None  # noqa: S101  # `offers` looked
        hand = state.hands[seat]
        hand.remove(given)
        hand.append(taken)
        state.talon[-1] = state.turn_up = given
        state.told = replace(state.told, exchanges=(*state.told.exchanges, (seat, given, taken)))
        return self._public(Exchanged(seat, given, taken))

    def _marry(self, state: DealState, suit: Suit) -> EventsBySeat:
        seat = state.turn
        worth = 2 * MARRIAGE if suit == state.trump else MARRIAGE
        state.told = replace(state.told, marriages=(*state.told.marriages, (seat, suit, worth)))
        return self._public(Married(seat, suit, worth))

    def _signal(self, state: DealState, signal: str) -> EventsBySeat:
        seat = state.turn
        signals = (*state.told.signals, (len(state.tricks), seat, signal))
        state.told = replace(state.told, signals=signals)
        side = next(seats for seats in self.layout.sides if seat in seats)
        everybody = self.layout.signals is Signals.PUBLIC
        event = (Signalled(seat, signal),)
        return tuple(
            event if everybody or reader in side else () for reader in range(self.layout.seats)
        )

    def declare(self, state: DealState, seat: int) -> EventsBySeat:
        """Shows the black hand, and ends the deal."""
        assert state.trump is not None  # noqa: S101  # no seat holds it without a trump
        state.told = replace(state.told, black_hand=seat)
        return self._public(Declared(seat, self.black_hand(state.trump)))

    @cached_property
    def watches(self) -> bool:
        """Whether anything can follow from a finished trick but draws."""
        view = self.layout.team_view
        return self.layout.black_hand is BlackHand.AUTOMATIC or view in (
            TeamView.TALON_EMPTY,
            TeamView.BOTH,
        )

    def opened(self, state: DealState, shown: EventsBySeat) -> EventsBySeat:
        """What follows from the deal: partners look, hands lie open, a black hand wins."""
        if self.layout.open:
            shown = self._show_hands(state, shown, tuple(range(self.layout.seats)))
        elif self.layout.team_view in (TeamView.BEFORE_FIRST, TeamView.BOTH):
            shown = self._show_partners(state, shown)
        return self.black_hand_wins(state, shown)

    def after_trick(self, state: DealState, shown: EventsBySeat, *, drew: bool) -> EventsBySeat:
        """What follows from a trick: partners look when the talon is gone, a black hand wins."""
        late = (TeamView.TALON_EMPTY, TeamView.BOTH)
        if drew and not state.talon and self.layout.team_view in late:
            shown = self._show_partners(state, shown)
        return self.black_hand_wins(state, shown)

    def black_hand_wins(self, state: DealState, shown: EventsBySeat) -> EventsBySeat:
        """Ends the deal where the black hand wins by itself."""
        if self.layout.black_hand is BlackHand.AUTOMATIC:
            for seat in range(self.layout.seats):
                if self.holds_black_hand(state, seat):
                    return joined(shown, self.declare(state, seat))
        return shown

    def _show_partners(self, state: DealState, shown: EventsBySeat) -> EventsBySeat:
        for side in self.layout.sides:
            shown = self._show_hands(state, shown, side)
        return shown

    def _show_hands(
        self, state: DealState, shown: EventsBySeat, among: tuple[int, ...]
    ) -> EventsBySeat:
        """Everybody of these sees the hands of the others of these."""
        more = tuple(
            tuple(
                HandShown(seat, tuple(state.hands[seat]))
                for seat in among
                if reader in among and seat != reader and state.hands[seat]
            )
            for reader in range(self.layout.seats)
        )
        return joined(shown, more)


def joined(shown: EventsBySeat, more: EventsBySeat) -> EventsBySeat:
    """What each seat is shown, one behind the other."""
    return tuple((*first, *then) for first, then in zip(shown, more, strict=True))


def original_turn_up(state: DealState) -> Card | None:
    """The card that was turned up at the deal."""
    exchanges = state.told.exchanges
    return exchanges[0][2] if exchanges else state.turn_up
