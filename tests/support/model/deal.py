"""One deal from the first card dealt to the last trick."""

from typing import Literal

from support.model.announcements import Announcements
from support.model.auction import Auction
from support.model.calls import legal_calls, legal_suits
from support.model.cards import card_points, winning_place
from support.model.outcome import Outcome
from support.model.scores import deal_scores, deal_values
from support.model.table import Table

Phase = Literal["auction", "call", "play", "suit", "over"]


class Deal(Table):
    """The course of the deal: auction, call, tricks; what lies where is the table's matter."""

    def __init__(
        self, game: str, options: dict[str, str], seats: int, deck: list[str], dealer: int
    ) -> None:
        super().__init__(game, options, seats, deck, dealer)
        self.auction: list[tuple[int, str]] = []
        self.caller: int | None = None
        self.called: list[str] = []
        self.pledge = 0
        self.called_rank: str | None = None  # the rank that was bid
        self.blind = False  # RULES 11.5: the suit is not named yet
        self.counted = True
        self.first_to_half: int | None = None  # RULES U10: a side, by its place in `sides`
        self.black_hand: int | None = None  # the seat that showed it
        self.said = Announcements(self)
        self.bidding = Auction(self.rules, dealer)
        self.phase: Phase = "auction"
        self.to_move: int | None = self.bidding.to_bid
        if not self.rules.auction:
            self._start_play()
            self._look_for_black_hand()

    # What may be done

    def legal(self) -> list[str]:
        if self.to_move is None:
            return []
        if self.phase == "auction":
            return self.bidding.legal()
        if self.phase == "play":
            return self._playable(self.to_move) + self.said.legal(self.to_move)
        own = {self.names[card] for card in self.dealt[self.to_move]}
        if self.phase == "call":
            return legal_calls(self.rules, self.called_rank, self.pledge, own)
        return legal_suits(self.rules, own)

    def _playable(self, seat: int) -> list[str]:
        """RULES 1.4: any card, where there is no duty to follow suit; 11.5: or none to be seen."""
        names = list(dict.fromkeys(self.hand_names(seat)))
        if not self.trick or self._is_covered(self.names[self.trick[0]]):
            return names
        led = self.names[self.trick[0]][1]
        following = [name for name in names if name[1] == led]
        return following if following and self._must_follow(led) else names

    def _must_follow(self, led: str) -> bool:
        """RULES 10, 13, 14, 15."""
        follow = self.rules.option("follow")
        if follow == "after_stock":
            return not self.talon
        if follow == "after_stock_trump_led":
            return not self.talon and led == self.trump
        return follow == "must"

    # What is done

    def play(self, action: str) -> None:
        assert action in self.legal(), action
        assert self.to_move is not None
        verb, _, rest = action.partition(" ")
        if self.phase == "auction":
            self._bid(action)
        elif self.phase == "call":
            self._call(rest.split())
        elif self.phase == "suit":
            self._name_suit(rest)
        elif verb == "exchange":
            self.said.exchange(self.to_move, rest)
            self._look_for_black_hand()
        elif verb == "marry":
            self.said.marry(self.to_move, rest)
        elif verb == "signal":
            self.said.signalled.add(self.to_move)
        elif verb == "declare":
            self._end_by_black_hand(self.to_move)
        else:
            self._play_card(self.to_move, action)

    # The auction

    def _bid(self, action: str) -> None:
        self.bidding.act(action)
        self.auction = list(self.bidding.log)
        standing = self.bidding.standing
        if not self.bidding.over:
            self.to_move = self.bidding.to_bid
        elif standing is None:  # RULES U07: all have passed
            self.counted = False
            self._end()
        else:
            self.caller = self.to_move = self.bidding.bidder
            self.called_rank, self.pledge = standing.rank, standing.points
            self.phase = "call"

    def _call(self, cards: list[str]) -> None:
        self.blind = not cards
        if cards:
            self._set_called(cards)
        self._start_play()

    def _set_called(self, cards: list[str]) -> None:
        """RULES 6, 11.1, U25: the suit is trump, the holders of the cards are partners."""
        assert self.caller is not None
        self.called = cards
        self.trump = cards[0][1]
        holders = [seat for seat in range(self.seats) if self._was_dealt(seat, cards)]
        side = [self.caller, *(seat for seat in holders if seat != self.caller)]
        self.sides = [side, [seat for seat in range(self.seats) if seat not in side]]

    def _was_dealt(self, seat: int, cards: list[str]) -> bool:
        return any(self.names[card] in cards for card in self.dealt[seat])

    def _name_suit(self, suit: str) -> None:
        """RULES 11.5: after the announcement the covered twos are opened."""
        self.blind = False
        self._set_called(["2" + suit])
        self.show_all(self.trick)
        self.phase = "play"
        self._finish_trick()

    # The tricks

    def _start_play(self) -> None:
        self.phase = "play"
        self.leader = self.to_move = self._first_leader()

    def _first_leader(self) -> int:
        """RULES 1.2, U01, U09."""
        if self.rules.auction and self.rules.option("first_lead_auction") == "caller":
            assert self.caller is not None
            return self.caller
        if self.rules.family == "bisca" and self.rules.option("first_lead") == "cutter":
            return (self.dealer - 1) % self.seats
        return (self.dealer + 1) % self.seats

    def _play_card(self, seat: int, name: str) -> None:
        card = self.take_from_hand(seat, name)
        self.trick.append(card)
        if not self._is_covered(name):
            self.show_all([card])
        if len(self.trick) < self.seats * self.rules.cards_each:
            self.to_move = (seat + 1) % self.seats
        elif self.blind:
            self.phase, self.to_move = "suit", self.caller
        else:
            self._finish_trick()

    def _is_covered(self, name: str) -> bool:
        """RULES 11.5: twos of a trick whose trump is not named yet."""
        return self.blind and name[0] == "2"

    def _finish_trick(self) -> None:
        cards = [self.names[card] for card in self.trick]
        last = self.rules.option("equal_cards") == "last_wins"
        place = winning_place(cards, self.trump, self.rules.profile, last_of_equals=last)
        winner = (self.leader + place) % self.seats
        points = sum(card_points(card, self.rules.profile) for card in cards)
        self.leaders.append(self.leader)
        self.winners.append(winner)
        self.tricks.append(cards)
        self.trick_points.append(points)
        self.points[winner] += points
        self.trick = []
        self.said.signalled = set()
        self._look_for_half(winner)
        self.draw(winner)
        self.leader = self.to_move = winner
        if not self.hands[winner]:
            self._end()
        else:
            self._look_for_black_hand()

    def _look_for_half(self, winner: int) -> None:
        """RULES U10: which side first reached 60, with two packs 120."""
        side = self.side_of(winner)
        if self.first_to_half is None and self.side_points()[side] >= 60 * self.rules.packs:
            self.first_to_half = side

    # The end

    def _look_for_black_hand(self) -> None:
        """RULES 8.5, automatic: the deal ends the moment a hand holds it."""
        if self.rules.option("black_hand") != "automatic":
            return
        for seat in range(self.seats):
            if self.said.has_black_hand(seat):
                self._end_by_black_hand(seat)

    def _end_by_black_hand(self, seat: int) -> None:
        self.said.show_black_hand(seat)
        self.black_hand = seat
        self._end()

    def _end(self) -> None:
        self.phase, self.to_move = "over", None

    def scores(self) -> list[int]:
        """Game points by seat."""
        return deal_scores(self._outcome())

    def values(self) -> list[int]:
        """The deal's value by seat."""
        return deal_values(self._outcome())

    def _outcome(self) -> Outcome:
        assert self.to_move is None
        return Outcome(
            rules=self.rules,
            sides=self.sides,
            side_points=self.side_points(),
            winners=self.winners,
            pack_points=self.points_of_pack(),
            first_to_half=self.first_to_half,
            black_hand=None if self.black_hand is None else self.side_of(self.black_hand),
            all_passed=not self.counted,
            pledge=self.pledge,
        )
