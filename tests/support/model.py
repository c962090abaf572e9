"""An independent model of the plain briscola games, written from RULES.md, not from the engine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

MOST_DEALS = 50  # RULES 5: the cap on the deals of a match
PROFILES = {  # RULES 1.3: order high to low (T is the ten), points (ranks not named: none)
    "it3": ("A3KQJ76542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "gen7": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt7": ("A7KJQ65432", {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}),
    "pt7_qj": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt10": ("ATKJQ65432", {"A": 11, "T": 10, "K": 4, "J": 3, "Q": 2}),
    "it3_low3": ("AKQJ765432", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "it7": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "es48": ("A3KQJ9876542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
}


@dataclass
class DealOutcome:
    turn_up: str
    winners: list[int]
    leaders: list[int]
    tricks: list[list[str]]
    points: list[int]
    hands_left: list[list[str]]


def seats_of(game: str) -> int:
    return int(game.split("-")[1])


def profile_of(game: str, options: dict[str, str]) -> str:
    return options.get("rank_profile", "it3" if game.startswith("briscola") else "gen7")


def scoring_of(game: str, options: dict[str, str]) -> str:
    return options.get("deal_scoring", "one") if game.startswith("briscola") else "one"


def pack(game: str, options: dict[str, str]) -> set[str]:
    """RULES 2: twos leave until the pack divides by the seats."""
    cards = {rank + suit for rank in PROFILES[profile_of(game, options)][0] for suit in "HDCS"}
    first = options.get("removed_two", "S")
    suits = [first, *(suit for suit in "SHDC" if suit != first)]
    for suit in suits[: len(cards) % seats_of(game)]:
        cards.remove("2" + suit)
    return cards


def trick_winner(cards: list[str], trump: str | None, profile: str) -> int:
    """RULES 1.4: the highest trump, else the highest of the suit led; of equal cards the first."""
    places = [place for place, card in enumerate(cards) if card[1] == trump]
    if not places:
        places = [place for place, card in enumerate(cards) if card[1] == cards[0][1]]
    return sorted(places, key=lambda place: PROFILES[profile][0].index(cards[place][0]))[0]


def card_points(card: str, profile: str) -> int:
    return PROFILES[profile][1].get(card[0], 0)


def play_deal(
    game: str,
    options: dict[str, str],
    deck: list[str],
    dealer: int,
    choose: Callable[[int, list[str]], str],
) -> DealOutcome:
    assert sorted(deck) == sorted(pack(game, options))
    seats, profile, talon = seats_of(game), profile_of(game, options), list(deck)
    hands: list[list[str]] = [[] for _ in range(seats)]
    for turn in range(3 * seats):  # RULES 1.2: three each, one card at a time, the dealer last
        hands[(dealer + 1 + turn) % seats].append(talon.pop(0))
    turn_up = talon.pop(0)
    talon.append(turn_up)  # RULES 1.5: the turn-up is the last card drawn
    done = DealOutcome(turn_up, [], [], [], [0] * seats, hands)
    leader = (dealer + 1) % seats
    while any(hands):
        trick = []
        for turn in range(seats):
            seat = (leader + turn) % seats
            card = choose(seat, list(hands[seat]))
            hands[seat].remove(card)  # ValueError when the card is not of the hand
            trick.append(card)
        winner = (leader + trick_winner(trick, turn_up[1], profile)) % seats
        done.leaders.append(leader)
        done.winners.append(winner)
        done.tricks.append(trick)
        done.points[winner] += sum(card_points(card, profile) for card in trick)
        if talon:  # RULES 1.5: the winner draws first, then counter-clockwise
            for turn in range(seats):
                hands[(winner + turn) % seats].append(talon.pop(0))
        leader = winner
    return done


def sides(game: str) -> list[list[int]]:
    """RULES 1.2: four and six seats play in two teams of equal parity."""
    sides_of = {2: "0 1", 3: "0 1 2", 4: "02 13", 6: "024 135"}[seats_of(game)]
    return [[int(seat) for seat in side] for side in sides_of.split()]


def side_points(game: str, points: list[int]) -> list[int]:
    return [sum(points[seat] for seat in side) for side in sides(game)]


def deal_scores(game: str, options: dict[str, str], points_by_side: list[int]) -> list[int]:
    scoring, points = scoring_of(game, options), points_by_side
    if scoring == "cumulative":  # RULES 8.2: 60-60 simply adds 60 to each side
        return list(points)
    if scoring == "pennycook":  # RULES 8.2: 61-90, 91-119, 120
        return [3 if own == 120 else 2 if own >= 91 else 1 if own >= 61 else 0 for own in points]
    if scoring == "three_hand_40":  # RULES 8.2: "over 40" is strict
        if 120 in points:
            return [3 if own == 120 else 0 for own in points]
        worth = 2 if len([own for own in points if own > 40]) == 1 else 1
        return [worth if own > 40 else 0 for own in points]
    if len(points) == 3:  # RULES 5 and 8.2: strictly most points, a tie for first is void
        return [1 if own == max(points) and points.count(own) == 1 else 0 for own in points]
    return [1 if own >= 61 else 0 for own in points]  # RULES 1.6


def deal_values(points_by_side: list[int]) -> list[int]:
    return [len(points_by_side) * own - sum(points_by_side) for own in points_by_side]


class Match:
    def __init__(self, game: str, options: dict[str, str]) -> None:
        self.game, self.options, self.sides = game, options, sides(game)
        default = {  # RULES 3 and 5, RULES 8.2 for the game points
            "biscambiggia-2": "first-to:2",
            "biscambiggia-3": "first-to:3",
            "biscambiggia-4": "deals:4",
            "biscambiggia-6": "deals:6",
            "briscola-3": "first-to:2",
        }.get(game, "best-of:3")
        self.scoring = scoring_of(game, options)
        if self.scoring != "one":
            default = "points:121" if self.scoring == "cumulative" else "points:12"
        self.kind, number = options.get("match", default).split(":")
        self.number = int(number)
        if self.kind == "best-of":
            self.kind, self.number = "first-to", {3: 2, 5: 3}[self.number]
        if self.kind == "points" and "target" in options:
            self.number = int(options["target"])
        self.game_points = [0] * len(self.sides)
        self.card_points = [0] * len(self.sides)
        self.won_deals = [0] * len(self.sides)
        self.remaining = list(range(seats_of(game)))
        self.deals: list[tuple[bool, list[int]]] = []  # was it void, who still plays after it
        self.over = False
        self.winner: list[int] | None = None
        self.reason: Literal["target", "deals", "cap"] | None = None

    def add(self, points_by_side: list[int]) -> None:
        assert not self.over
        playing = [i for i, side in enumerate(self.sides) if side[0] in self.remaining]
        if len(playing) == len(self.sides):
            scores = deal_scores(self.game, self.options, points_by_side)
        else:  # RULES U14: the two who are left play briscola-2 with pennycook scores
            scores = deal_scores("briscola-2", {"deal_scoring": "pennycook"}, points_by_side)
        for i, points, score in zip(playing, points_by_side, scores, strict=True):
            self.card_points[i] += points
            self.game_points[i] += score
            self.won_deals[i] += 1 if score > 0 else 0
        self._settle(number_dealt=len(self.deals) + 1)
        self.deals.append((sum(scores) == 0, self.remaining))

    def _settle(self, number_dealt: int) -> None:
        if self.kind == "deals":
            if number_dealt == self.number:  # RULES 5: then card points, then drawn
                totals = list(zip(self.game_points, self.card_points, strict=True))
                self._end("deals", [i for i, t in enumerate(totals) if t == max(totals)])
            return  # a number of deals over the cap is a cap of its own
        counts = self.game_points if self.kind == "points" else self.won_deals
        top = [i for i, count in enumerate(counts) if count == max(counts)]
        if max(counts) >= self.number:
            if len(top) == 1:
                self._end("target", top)
            elif (self.kind, self.scoring) == ("points", "three_hand_40") and len(top) == 2:
                self.remaining = top  # RULES 8.2: the third player drops out
        if number_dealt == MOST_DEALS and not self.over:
            self._end("cap", [])

    def _end(self, reason: Literal["target", "deals", "cap"], top: list[int]) -> None:
        self.over, self.reason = True, reason
        self.winner = list(self.sides[top[0]]) if len(top) == 1 else None

    def dealer(self, first_dealer: int) -> int:
        """RULES 1.2 and U03: the deal passes, also after a void deal unless the option keeps it."""
        seat = first_dealer
        for void, remaining in self.deals:
            if void and self.options.get("void_keeps_dealer", "false") == "true":
                continue
            seat = (seat + 1) % seats_of(self.game)
            while seat not in remaining:
                seat = (seat + 1) % seats_of(self.game)
        return seat
