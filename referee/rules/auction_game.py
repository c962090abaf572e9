"""Five players, an auction, a called card, a hidden partner (RULES 6, 11, 15).

The phases are explicit: auction, call, play, and suit after a blind first trick. The tricks are
those of `referee.rules.deal`; who the partners are stands in the state, and in no event.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from msgspec import Struct

from protocol.events import Bade, Called, Event, HandDealt, PhaseBegan, Played, Uncovered
from protocol.messages import View
from referee.rules.bids import (
    CONTRACT,
    PASS,
    Auction,
    Bidding,
    Offer,
    bids,
    is_over,
    most_bids,
    options,
    speak,
)
from referee.rules.cards import SUITS, Card, Suit
from referee.rules.contract import Contract, Payment, pay
from referee.rules.deal import DealState, Play, points_of
from referee.rules.game import DealAccount, EventsBySeat, Sides, Stakes, Tally
from referee.rules.layout import Layout
from referee.rules.tricks import seats_from, sides_of

BLIND = "blind"
"""What the caller says who names the suit of a two later."""

COVERED = Card("2")
"""A two that lies covered, as others see it: its rank, no suit."""


class Phase(StrEnum):
    """What is asked for."""

    AUCTION = "auction"
    CALL = "call"
    PLAY = "play"
    SUIT = "suit"
    """The suit of a two that was called blind."""
    VOID = "void"
    """All have passed: the deal is over."""


class Blind(StrEnum):
    """When a caller of a two may leave its suit open for the first trick (RULES 11.5)."""

    OFF = "off"
    ON = "on"
    ONLY_IF_62 = "only_if_bid_ge_62"


class Calling(Struct, frozen=True):
    """The rules of the call.

    Attributes:
        fixed_rank: the only rank that can be called, if there is one.
        own_card: the caller may call a card of the own hand, and plays alone.
        two_at_120: whoever has pledged all card points may call two cards of a suit.
        caller_leads: the caller leads first, not the dealer's right.
    """

    fixed_rank: str | None = None
    own_card: bool = True
    two_at_120: bool = False
    blind: Blind = Blind.OFF
    caller_leads: bool = False


@dataclass(slots=True)
class CalledState:
    """A deal with an auction under way; acts change it."""

    phase: Phase
    auction: Auction
    contract: Contract | None
    play: DealState


def _highest(state: CalledState) -> Offer:
    """Who has won the auction, with what; there is one, from the call on."""
    assert state.auction.highest is not None  # noqa: S101  # the phase says so
    return state.auction.highest


def _is_lead_covered(state: CalledState) -> bool:
    """Return whether the card led lies covered: until its suit is named, none can be followed."""
    trick, contract = state.play.trick, state.contract
    return bool(trick) and trick[0][0] == "2" and contract is not None and not contract.called


class AuctionGame:
    """`referee.rules.game.Game` for an auction over the tricks of a layout."""

    def __init__(
        self, layout: Layout, bidding: Bidding, calling: Calling, payment: Payment
    ) -> None:
        self.layout = layout
        self.seats = layout.seats
        self.pack = layout.pack
        self.partners: Sides = sides_of(layout.seats, layout.seats)
        self._bidding = bidding
        self._calling = calling
        self._payment = payment
        self._play = Play(layout)

    @property
    def actions(self) -> tuple[str, ...]:
        """The cards of the pack, pass and all bids, then the calls and the suits of a blind two."""
        rank, order = self._calling.fixed_rank, self.layout.profile.order
        calls = [f"call {one}{suit}" for suit in SUITS for one in rank or order]
        if self._calling.two_at_120:
            calls += [
                f"call {high}{suit} {low}{suit}"
                for suit in SUITS
                for high, low in combinations(order, 2)
                if rank in (None, high, low)
            ]
        if self._calling.blind is not Blind.OFF:
            calls += [BLIND, *(f"suit {suit}" for suit in SUITS)]
        return (*dict.fromkeys(self.pack), PASS, *bids(self._bidding), *calls)

    @property
    def max_acts(self) -> int:
        """Every card, every bid, each seat's pass, the call, and the suit of a blind two."""
        return len(self.pack) + most_bids(self._bidding) + self.seats + 2

    @property
    def stakes(self) -> Stakes:
        """The least a deal can bring; its value is its game points."""
        return Stakes(worst_score=-self._payment.most, worst_value=-self._payment.most)

    def deal(self, deck: Sequence[Card], dealer: int) -> tuple[CalledState, EventsBySeat]:
        """Deals all cards; the dealer's right speaks first."""
        play = self._play.deal(deck, dealer)
        auction = Auction(seats_from(dealer + 1, self.seats))
        state = CalledState(Phase.AUCTION, auction, None, play)
        return state, tuple((HandDealt(tuple(hand)),) for hand in play.hands)

    def to_move(self, state: CalledState) -> int | None:
        """The next to speak, the caller, or the next to play."""
        match state.phase:
            case Phase.AUCTION:
                return state.auction.live[0]
            case Phase.CALL | Phase.SUIT:
                return _highest(state).seat
            case Phase.VOID:
                return None
        return state.play.turn if state.play.hands[state.play.turn] else None

    def legal(self, state: CalledState) -> tuple[str, ...]:
        """Pass and bids, calls, suits, or cards."""
        match state.phase:
            case Phase.AUCTION:
                return options(self._bidding, state.auction)
            case Phase.CALL:
                return self._calls(state)
            case Phase.SUIT:
                return tuple(f"suit {suit}" for suit in self._suits(state))
        if _is_lead_covered(state):
            return tuple(state.play.hands[state.play.turn])
        return self._play.legal(state.play)

    def suit_to_follow(self, state: CalledState) -> str | None:
        """Return the suit led, where it must be followed; a covered two shows none."""
        if state.phase is not Phase.PLAY or _is_lead_covered(state):
            return None
        return self._play.suit_to_follow(state.play)

    def default(self, state: CalledState) -> str:
        """Pass where that is possible, else the first of what is legal."""
        return self.legal(state)[0]

    def _calls(self, state: CalledState) -> tuple[str, ...]:
        """Single cards by suit and rank, then pairs, then the blind two (SPEC 3.4)."""
        offer, calling = _highest(state), self._calling
        bid = offer.bid
        rank = bid.rank or calling.fixed_rank
        order = self.layout.profile.order
        calls = [(Card(one + suit),) for suit in SUITS for one in rank or order]
        pairs: list[tuple[Card, ...]] = []
        if calling.two_at_120 and bid.points == self.layout.total:
            pairs = [
                (Card(high + suit), Card(low + suit))
                for suit in SUITS
                for high, low in combinations(order, 2)
                if rank in (None, high, low)
            ]
        found: list[tuple[Card, ...]] = [*calls, *pairs]
        if not calling.own_card:
            own = set(state.play.hands[offer.seat])
            found = [cards for cards in found if not own & set(cards)] or found
        blind = (BLIND,) if self._may_be_blind(state, rank) else ()
        return (*(f"call {' '.join(cards)}" for cards in found), *blind)

    def _may_be_blind(self, state: CalledState, rank: str | None) -> bool:
        calling = self._calling
        if calling.blind is Blind.OFF or rank not in (None, "2"):
            return False
        if calling.blind is Blind.ONLY_IF_62 and _highest(state).bid.points <= CONTRACT:
            return False
        return bool(self._suits(state))

    def _suits(self, state: CalledState) -> tuple[str, ...]:
        """The suits whose two the caller may name."""
        if self._calling.own_card:
            return tuple(SUITS)
        caller = _highest(state).seat
        return tuple(suit for suit in SUITS if self._holder(state.play, "2" + suit) != caller)

    def _holder(self, play: DealState, card: str) -> int | None:
        """Who was dealt a card that is in a hand or on the table."""
        for place, one in enumerate(play.trick):
            if one == card:
                return (play.leader + place) % self.seats
        return next((seat for seat, hand in enumerate(play.hands) if card in hand), None)

    def apply(self, state: CalledState, action: str) -> EventsBySeat:
        """Carries out an action of the phase."""
        match state.phase:
            case Phase.AUCTION:
                return self._speak(state, action)
            case Phase.CALL:
                return self._call(state, action)
            case Phase.SUIT:
                return self._name_suit(state, Suit(action.removeprefix("suit ")))
        if state.contract is not None and not state.contract.called:
            return self._play_blind(state, action)
        return self._play.play(state.play, action)

    def copy(self, state: CalledState) -> CalledState:
        """Another branch of the deal."""
        return CalledState(state.phase, state.auction, state.contract, state.play.copy())

    def _public(self, *events: Event) -> EventsBySeat:
        return (events,) * self.seats

    def _speak(self, state: CalledState, action: str) -> EventsBySeat:
        said = Bade(state.auction.live[0], action)
        state.auction = speak(self._bidding, state.auction, action)
        if not is_over(self._bidding, state.auction):
            return self._public(said)
        state.phase = Phase.VOID if state.auction.highest is None else Phase.CALL
        return self._public(said, PhaseBegan(state.phase))

    def _call(self, state: CalledState, action: str) -> EventsBySeat:
        offer, play = _highest(state), state.play
        caller, pledge = offer.seat, offer.bid.points
        if self._calling.caller_leads:
            play.leader = play.turn = caller
        called = tuple(map(Card, action.split()[1:]))
        state.contract = self._contract(play, caller, pledge, called)
        if called:
            play.trump = Suit(called[0][1])
        state.phase = Phase.PLAY
        event = Called(caller, called, pledge, play.leader)
        return self._public(event, PhaseBegan(Phase.PLAY))

    def _contract(
        self, play: DealState, caller: int, pledge: int, called: tuple[Card, ...]
    ) -> Contract:
        holders = {self._holder(play, card) for card in called}
        partners = tuple(seat for seat in range(self.seats) if seat in holders and seat != caller)
        return Contract(caller, pledge, called, partners)

    def _play_blind(self, state: CalledState, action: str) -> EventsBySeat:
        """A card of the blind trick: twos are covered; the fifth card lets the caller speak."""
        seat, card = state.play.turn, Card(action)
        self._play.put(state.play, card)
        seen = COVERED if card[0] == "2" else card
        full = len(state.play.trick) == self._play.full
        state.phase = Phase.SUIT if full else Phase.PLAY
        tail = (PhaseBegan(Phase.SUIT),) if full else ()
        return tuple(
            (Played(seat, card if reader == seat else seen), *tail) for reader in range(self.seats)
        )

    def _name_suit(self, state: CalledState, suit: Suit) -> EventsBySeat:
        """The blind two gets its suit; then covers are opened, and the trick is taken."""
        offer, play = _highest(state), state.play
        caller, pledge = offer.seat, offer.bid.points
        play.trump, state.phase = suit, Phase.PLAY
        state.contract = contract = self._contract(play, caller, pledge, (Card("2" + suit),))
        covers = [
            Uncovered((play.leader + place) % self.seats, card)
            for place, card in enumerate(play.trick)
            if card[0] == "2"
        ]
        before: tuple[Event, ...] = (
            Called(caller, contract.called, pledge, play.leader),
            PhaseBegan(Phase.PLAY),
            *covers,
        )
        return self._play.take(play, before)

    def tally(self, state: CalledState) -> Tally:
        """Game points by seat, which are also the deal value."""
        contract, seats = state.contract, range(self.seats)
        none = (0,) * self.seats
        if contract is None:
            return Tally(none, none, none, counted=False)
        team = {contract.caller, *contract.partners}
        points, tricks = [0, 0], [0, 0]
        for trick in state.play.tricks:
            points[trick.winner not in team] += trick.points
            tricks[trick.winner not in team] += 1
        scores = pay(
            self._payment,
            contract,
            self.seats,
            taken=(points[0], points[1]),
            tricks=(tricks[0], tricks[1]),
        )
        return Tally(tuple(points[seat not in team] for seat in seats), scores, scores)

    def forfeit(self, state: CalledState, seat: int) -> Tally:
        """The seat at fault loses the most that can be lost; for the others the deal is void."""
        worst = self.stakes.worst_score
        scores = tuple(worst if at == seat else 0 for at in range(self.seats))
        return Tally((0,) * self.seats, scores, scores)

    def account(self, state: CalledState) -> DealAccount:
        """The deal so far, all-seeing: the partners too."""
        contract, play = state.contract, state.play
        sides = self.partners
        if contract is not None and contract.called:
            team = (contract.caller, *contract.partners)
            sides = (team, tuple(seat for seat in range(self.seats) if seat not in team))
        return DealAccount(
            trump=play.trump,
            turn_up=None,
            sides=sides,
            points=points_of(play),
            tricks=tuple(play.tricks),
            auction=state.auction.said,
            caller=contract.caller if contract else None,
            pledge=contract.pledge if contract else None,
            called=contract.called if contract else (),
        )

    def opening(self, seat: int, dealer: int) -> View:
        """Before the first word there is no trump, and all cards are in the hands."""
        return View(
            phase=Phase.AUCTION,
            seat=seat,
            dealer=dealer,
            hand=[],
            trump=None,
            turn_up=None,
            talon=0,
            leader=self._play.first_leader(dealer),
            trick=[],
            points=[0] * self.seats,
            leaders=[],
            tricks=[],
        )
