"""The plain game: cards are dealt, one is turned up as trump, and there are only tricks.

Everything a plain variant can differ in is a number of its `Layout`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from msgspec import Struct

from protocol.events import Drew, Event, HandDealt, Played, TrickWon, TurnUp
from protocol.messages import View
from referee.cards import PROFILES, Card, Suit, pack, strengths, suit_of, worths
from referee.rules import Account, Shown, Sides, Stakes, Tally, Trick
from referee.scoring import DEAL_SCORINGS, forfeited, stakes_of, tally
from referee.tricks import parity_sides, seats_from, solo_sides, winner, without


class Layout(Struct, frozen=True):
    """The numbers of a plain game.

    Attributes:
        profile: a name of `PROFILES`.
        hand: cards in a hand.
        teams: two sides of alternating seats, instead of every seat for itself.
        removed_two: the suit of the first two to leave a pack that cannot be shared out.
        scoring: a name of `DEAL_SCORINGS`.
    """

    seats: int
    profile: str
    hand: int = 3
    teams: bool = False
    removed_two: str = "S"
    scoring: str = "one"


class State(Struct, frozen=True):
    """A plain deal under way. `talon` is in the order of drawing, the turn-up last."""

    dealer: int
    turn_up: Card
    hands: tuple[tuple[Card, ...], ...]
    talon: tuple[Card, ...]
    leader: int
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    points: tuple[int, ...]


_HIDDEN_DRAWS: Final = tuple(Drew(seat) for seat in range(8))


@dataclass(frozen=True)
class PlainGame:
    """`referee.rules.Game` for a layout. Free play: any card of the hand, at any time."""

    layout: Layout
    seats: int = field(init=False)
    pack: tuple[Card, ...] = field(init=False)
    partners: Sides = field(init=False)

    def __post_init__(self) -> None:
        layout = self.layout
        sides = parity_sides(layout.seats) if layout.teams else solo_sides(layout.seats)
        profile = PROFILES[layout.profile]
        suit = Suit(layout.removed_two)
        object.__setattr__(self, "seats", layout.seats)
        object.__setattr__(self, "pack", pack(profile, layout.seats, removed_two=suit))
        object.__setattr__(self, "partners", sides)

    @cached_property
    def _strength(self) -> Mapping[Card, int]:
        return strengths(PROFILES[self.layout.profile])

    @cached_property
    def _worth(self) -> Mapping[Card, int]:
        return worths(PROFILES[self.layout.profile])

    @cached_property
    def total(self) -> int:
        """The card points in a deal."""
        return sum(self._worth[one] for one in self.pack)

    @property
    def max_acts(self) -> int:
        """Every card is played once."""
        return len(self.pack)

    @property
    def stakes(self) -> Stakes:
        """The least a deal can bring."""
        return stakes_of(self.partners, self.total)

    def deal(self, deck: Sequence[Card], dealer: int) -> tuple[State, Shown]:
        """One card at a time from the dealer's right, then the turn-up; the rest covers it."""
        order = seats_from(dealer + 1, self.seats)
        dealt = self.seats * self.layout.hand
        hands = tuple(
            tuple(deck[order.index(seat) : dealt : self.seats]) for seat in range(self.seats)
        )
        turn_up = deck[dealt]
        state = State(
            dealer=dealer,
            turn_up=turn_up,
            hands=hands,
            talon=(*deck[dealt + 1 :], turn_up),
            leader=order[0],
            trick=(),
            tricks=(),
            points=(0,) * self.seats,
        )
        return state, tuple((HandDealt(hand), TurnUp(turn_up)) for hand in hands)

    def to_move(self, state: State) -> int | None:
        """The leader, then counter-clockwise, until the hands are empty."""
        seat = (state.leader + len(state.trick)) % self.seats
        return seat if state.hands[seat] else None

    def legal(self, state: State) -> tuple[Card, ...]:
        """Any card of the hand, in order of arrival."""
        return state.hands[(state.leader + len(state.trick)) % self.seats]

    def default(self, state: State) -> Card:
        """The card that came into the hand first."""
        return self.legal(state)[0]

    def apply(self, state: State, action: str) -> tuple[State, Shown]:
        """Plays a card; the last card of a trick also ends it and lets everybody draw."""
        seats = self.seats
        seat = (state.leader + len(state.trick)) % seats
        card = Card(action)
        hands = list(state.hands)
        hands[seat] = without(hands[seat], card)
        trick = (*state.trick, card)
        played: tuple[Event, ...] = (Played(seat, card),)
        if len(trick) == seats:
            return self._end_trick(state, hands, trick, played)
        state = State(
            state.dealer,
            state.turn_up,
            tuple(hands),
            state.talon,
            state.leader,
            trick,
            state.tricks,
            state.points,
        )
        return state, (played,) * seats

    def _end_trick(
        self,
        state: State,
        hands: list[tuple[Card, ...]],
        cards: tuple[Card, ...],
        played: tuple[Event, ...],
    ) -> tuple[State, Shown]:
        place = winner(cards, suit_of(state.turn_up), self._strength)
        taker = (state.leader + place) % self.seats
        worths_here = self._worth
        worth = sum([worths_here[one] for one in cards])
        public = (*played, TrickWon(taker, worth))
        shown = self._draw(state, hands, taker, public) if state.talon else (public,) * self.seats
        points = state.points
        state = State(
            state.dealer,
            state.turn_up,
            tuple(hands),
            state.talon[self.seats :],
            taker,
            (),
            (*state.tricks, Trick(state.leader, cards, taker, worth)),
            (*points[:taker], points[taker] + worth, *points[taker + 1 :]),
        )
        return state, shown

    def _draw(
        self,
        state: State,
        hands: list[tuple[Card, ...]],
        taker: int,
        public: tuple[Event, ...],
    ) -> Shown:
        """Everybody draws one card, the winner first; only the turn-up is seen by all.

        Adds the cards to `hands`; returns what is shown, with `public` before it.
        """
        own, others = [], []
        seat = taker
        for card in state.talon[: self.seats]:
            hands[seat] = (*hands[seat], card)
            own.append(Drew(seat, card))
            others.append(own[-1] if card == state.turn_up else _HIDDEN_DRAWS[seat])
            seat = (seat + 1) % self.seats
        shown = []
        for reader in range(self.seats):
            place = (reader - taker) % self.seats
            shown.append((*public, *others[:place], own[place], *others[place + 1 :]))
        return tuple(shown)

    def _side_points(self, state: State) -> tuple[int, ...]:
        return tuple(sum(state.points[seat] for seat in side) for side in self.partners)

    def tally(self, state: State) -> Tally:
        """What the finished deal brings."""
        scoring = DEAL_SCORINGS[self.layout.scoring]
        return tally(self._side_points(state), self.partners, scoring)

    def forfeit(self, state: State, seat: int) -> Tally:
        """The other side is counted all card points, taken or not."""
        side = next(at for at, seats in enumerate(self.partners) if seat in seats)
        return forfeited(side, self.partners, DEAL_SCORINGS[self.layout.scoring], self.total)

    def account(self, state: State) -> Account:
        """The deal so far, all-seeing."""
        return Account(
            trump=suit_of(state.turn_up),
            turn_up=state.turn_up,
            sides=self.partners,
            points=state.points,
            tricks=state.tricks,
        )

    def hidden(self, state: State) -> Mapping[str, tuple[Card, ...]]:
        """The hands and the talon, but for the turn-up, which everybody has seen."""
        places = {f"hand {seat}": hand for seat, hand in enumerate(state.hands)}
        return {
            place: tuple(card for card in cards if card != state.turn_up)
            for place, cards in {**places, "talon": state.talon}.items()
        }

    def opening(self, seat: int, dealer: int) -> View:
        """The seats and the size of the talon are known before any card is."""
        return View(
            phase="play",
            seat=seat,
            dealer=dealer,
            hand=(),
            trump=None,
            turn_up=None,
            talon=len(self.pack) - self.seats * self.layout.hand,
            leader=(dealer + 1) % self.seats,
            trick=(),
            points=(0,) * self.seats,
            leaders=(),
            tricks=(),
        )

    def see(self, view: View, events: Sequence[Event]) -> View:
        """Adds up what was shown."""
        hand, trick, talon = view.hand, view.trick, view.talon
        leader, leaders, tricks = view.leader, view.leaders, view.tricks
        points, turn_up = view.points, view.turn_up
        for event in events:
            if type(event) is Played:
                trick = (*trick, event.card)
                if event.seat == view.seat:
                    hand = without(hand, event.card)
            elif type(event) is TrickWon:
                taker = event.winner
                leaders, tricks = (*leaders, leader), (*tricks, trick)
                points = (*points[:taker], points[taker] + event.points, *points[taker + 1 :])
                leader, trick = taker, ()
            elif type(event) is Drew:
                talon -= 1
                if event.seat == view.seat and event.card is not None:
                    hand = (*hand, event.card)
            elif type(event) is HandDealt:
                hand = event.cards
            elif type(event) is TurnUp:
                turn_up = event.card
        return View(
            view.phase,
            view.seat,
            view.dealer,
            hand,
            turn_up and turn_up[1],
            turn_up,
            talon,
            leader,
            trick,
            points,
            leaders,
            tricks,
        )
