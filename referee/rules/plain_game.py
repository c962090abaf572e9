"""The games without an auction: cards are dealt, tricks are played, and things announced.

Everything in which they differ is a number of their `Layout`.
"""

from collections.abc import Sequence

from protocol.events import HandDealt, HandShown, NextCard, Removed, TurnUp
from protocol.messages import View
from referee.rules.announcements import Announcing, original_turn_up
from referee.rules.cards import Card
from referee.rules.deal import DealState, Play, points_of
from referee.rules.deal_scoring import (
    SCORINGS,
    DealOutcome,
    forfeited,
    sides_by_seat,
    stakes_of,
    tally,
)
from referee.rules.game import DealAccount, EventsBySeat, Stakes, Tally
from referee.rules.layout import Layout, Trump


class PlainGame:
    """`referee.rules.game.Game` for a layout."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.seats = layout.seats
        self.pack = layout.pack
        self.partners = layout.sides
        self._play = Play(layout)
        self._announcing = announcing = Announcing(layout)
        self._any_card = self._play.any_card
        self._watches = announcing.watches
        self._silent = announcing.none
        self._silent_later = announcing.first_trick_only

    @property
    def actions(self) -> tuple[str, ...]:
        """The cards of the pack, then the announcements."""
        return (*dict.fromkeys(self.pack), *self._announcing.actions)

    @property
    def max_acts(self) -> int:
        """Every card is played once; every announcement comes at most so often."""
        return len(self.pack) + self._announcing.most

    @property
    def stakes(self) -> Stakes:
        """The least a deal can bring."""
        return stakes_of(self.layout.most_points)

    def deal(self, deck: Sequence[Card], dealer: int) -> tuple[DealState, EventsBySeat]:
        """Deals; everybody sees the own hand and the card that shows the trump."""
        state = self._play.deal(deck, dealer)
        removed, turn_up = state.told.removed, state.turn_up
        public = (
            *(() if removed is None else (Removed(removed),)),
            *(() if turn_up is None else (TurnUp(turn_up),)),
            *((NextCard(state.talon[0]),) if self.layout.open else ()),
        )
        held: tuple[HandShown, ...] = ()
        if turn_up is not None and self.layout.trump is Trump.EXPOSED:
            held = (HandShown(dealer, (turn_up,)),)
        shown = tuple(
            (HandDealt(tuple(hand)), *public, *(held if seat != dealer else ()))
            for seat, hand in enumerate(state.hands)
        )
        return state, self._announcing.opened(state, shown)

    def to_move(self, state: DealState) -> int | None:
        """The leader, then counter-clockwise, until the hands are empty."""
        over = not state.hands[state.turn] or state.told.black_hand is not None
        return None if over else state.turn

    def legal(self, state: DealState) -> tuple[str, ...]:
        """The cards, in order of arrival, then the announcements."""
        cards = tuple(state.hands[state.turn]) if self._any_card else self._play.legal(state)
        if self._silent or (self._silent_later and state.tricks):
            return cards
        return (*cards, *self._announcing.offers(state))

    def suit_to_follow(self, state: DealState) -> str | None:
        """Return the suit led, where it must be followed."""
        return self._play.suit_to_follow(state)

    def default(self, state: DealState) -> Card:
        """The first card that may be played; nothing is announced."""
        return self._play.legal(state)[0]

    def apply(self, state: DealState, action: str) -> EventsBySeat:
        """Plays a card, or announces something."""
        if len(action) != 2:
            shown = self._announcing.announce(state, action)
            return self._announcing.black_hand_wins(state, shown)
        if not self._watches:
            return self._play.play(state, action)
        drew = bool(state.talon)
        shown = self._play.play(state, action)
        if state.trick:
            return shown
        return self._announcing.after_trick(state, shown, drew=drew)

    def copy(self, state: DealState) -> DealState:
        """Another branch of the deal."""
        return state.copy()

    def _outcome(self, state: DealState) -> DealOutcome:
        """What the sides took."""
        layout, sides = self.layout, self.partners
        side_of = sides_by_seat(sides)
        won, taken = [0] * len(sides), [0] * len(sides)
        for trick in state.tricks:
            side = side_of[trick.winner]
            won[side] += 1
            taken[side] += trick.points
        for seat, _, worth in state.told.marriages:
            taken[side_of[seat]] += worth
        tricks = tuple(won)
        winner = state.told.black_hand
        if winner is not None:
            side = side_of[winner]
            points = tuple(layout.total if at == side else 0 for at in range(len(sides)))
            return DealOutcome(points, tricks, black_hand=side, packs=layout.packs)
        first = self._first(state, side_of)
        return DealOutcome(tuple(taken), tricks, first=first, packs=layout.packs)

    def _first(self, state: DealState, side_of: tuple[int, ...]) -> int | None:
        """The side that was the first to reach what wins, where that is what counts."""
        if self.layout.first_to is None:
            return None
        taken = [0] * len(self.partners)
        for trick in state.tricks:
            side = side_of[trick.winner]
            taken[side] += trick.points
            if taken[side] >= self.layout.first_to * self.layout.packs:
                return side
        return None

    def tally(self, state: DealState) -> Tally:
        """What the finished deal brings."""
        return tally(self._outcome(state), self.partners, SCORINGS[self.layout.scoring])

    def forfeit(self, state: DealState, seat: int) -> Tally:
        """The other side is counted all card points, taken or not."""
        side = next(at for at, seats in enumerate(self.partners) if seat in seats)
        layout = self.layout
        scoring = SCORINGS[layout.scoring]
        return forfeited(side, self.partners, scoring, layout.most_points, layout.packs)

    def account(self, state: DealState) -> DealAccount:
        """The deal so far, all-seeing."""
        return DealAccount(
            trump=state.trump,
            turn_up=original_turn_up(state),
            sides=self.partners,
            points=points_of(state),
            tricks=tuple(state.tricks),
            black_hand=state.told.black_hand,
        )

    def opening(self, seat: int, dealer: int) -> View:
        """The seats and the size of the talon are known before any card is."""
        layout = self.layout
        cards = len(self.pack) - (layout.removed_two == "random")
        return View(
            phase="play",
            seat=seat,
            dealer=dealer,
            hand=[],
            trump=None,
            turn_up=None,
            talon=cards - layout.seats * layout.hand,
            leader=self._play.first_leader(dealer),
            trick=[],
            points=[0] * layout.seats,
            leaders=[],
            tricks=[],
        )
