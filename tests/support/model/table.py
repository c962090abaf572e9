"""The cards of one deal: who holds what, what lies on the table, who has seen which card."""

from collections import Counter

from support.model.cards import card_points
from support.model.packs import deal_out, pack
from support.model.rules import Rules


class Table:
    """A card is named by its place in the deck, because two packs have equal cards."""

    def __init__(
        self, game: str, options: dict[str, str], seats: int, deck: list[str], dealer: int
    ) -> None:
        assert sorted(deck) == sorted(pack(game, options, seats))
        self.rules = Rules(game, options, seats)
        self.seats = seats
        self.dealer = dealer
        self.names = list(deck)
        layout = deal_out(self.rules, deck, dealer)
        self.hands = layout.hands
        self.talon = layout.talon
        self.dealt = [set(hand) for hand in self.hands]
        self.seen: list[set[int]] = [set(hand) for hand in self.hands]
        self.turn_up: str | None = None
        self.trump: str | None = None
        if layout.turn_up is not None:
            self.turn_up = self.names[layout.turn_up]
            self.trump = self.turn_up[1]
            self.show_all([layout.turn_up])
        if layout.removed is not None:
            self.show_all([layout.removed])
        self.trick: list[int] = []  # the trick being played
        self.leader = 0
        self.leaders: list[int] = []
        self.winners: list[int] = []
        self.tricks: list[list[str]] = []
        self.trick_points: list[int] = []
        self.points = [0] * seats
        self.sides = [list(side) for side in self.rules.sides]
        self._look_at_deal()

    def _look_at_deal(self) -> None:
        if self.rules.open_hands:  # RULES 9
            for hand in self.hands:
                self.show_all(hand)
            self.show_all(self.talon[:1])
        elif self.rules.option("team_view") in {"before_first", "both"}:  # RULES 8.6
            self.show_partners()

    # Who holds what

    def hand_names(self, seat: int) -> list[str]:
        return [self.names[card] for card in self.hands[seat]]

    def find(self, seat: int, name: str) -> int | None:
        """The card of that name in the hand, of two the older one."""
        for card in self.hands[seat]:
            if self.names[card] == name:
                return card
        return None

    def holds(self, seat: int, name: str) -> bool:
        return self.find(seat, name) is not None

    def take_from_hand(self, seat: int, name: str) -> int:
        card = self.find(seat, name)
        assert card is not None
        self.hands[seat].remove(card)
        return card

    def side_of(self, seat: int) -> int:
        return next(i for i, side in enumerate(self.sides) if seat in side)

    def side_points(self) -> list[int]:
        return [sum(self.points[seat] for seat in side) for side in self.sides]

    def tricks_won(self, seat: int) -> int:
        return self.winners.count(seat)

    def played_to_trick(self, seat: int) -> bool:
        return any((self.leader + turn) % self.seats == seat for turn in range(len(self.trick)))

    def points_of_pack(self) -> int:
        return sum(card_points(name, self.rules.profile) for name in self.names)

    # The talon

    def lying(self) -> str | None:
        """The card that lies as turn-up now; None where there is none or it has been drawn."""
        if self.turn_up is None or not self.talon:
            return None
        return self.names[self.talon[-1]]

    def draw(self, winner: int) -> None:
        """RULES 1.5: winner first, then counter-clockwise; dupla twice round (RULES U28)."""
        if not self.talon:
            return
        for turn in range(self.seats * self.rules.cards_each):
            seat = (winner + turn) % self.seats
            card = self.talon.pop(0)
            self.hands[seat].append(card)
            self.seen[seat].add(card)
            if self.rules.open_hands:  # RULES 9, U23: the drawn card and the next one
                self.show_all([card, *self.talon[:1]])
        if not self.talon and self.rules.option("team_view") in {"talon_empty", "both"}:
            self.show_partners()  # RULES 8.6

    # Who has seen what

    def show_all(self, cards: list[int]) -> None:
        for seen in self.seen:
            seen.update(cards)

    def show_partners(self) -> None:
        for side in self.sides:
            for seat in side:
                for partner in side:
                    self.seen[seat].update(self.hands[partner])

    def unseen(self, seat: int) -> Counter[str]:
        """The cards whose identity this seat has not been shown, with multiplicity."""
        seen = self.seen[seat]
        return Counter(name for card, name in enumerate(self.names) if card not in seen)
