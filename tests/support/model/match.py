"""The course of a match to the game's own end: RULES 5, 8.2, 11.7, 12, 13 and U03 to U17."""

from typing import Literal

from support.model.packs import seat_counts
from support.model.rules import Rules

MOST_DEALS = 50  # RULES 5: the cap
Reason = Literal["target", "deals", "cap"]


class Match:
    """A side is a list of seats of the first deal; at an auction game every seat is a side."""

    def __init__(self, game: str, options: dict[str, str], seats: int) -> None:
        assert seats in seat_counts(game)
        self.rules = Rules(game, options, seats)
        self.sides = self.rules.sides
        self.scoring = self.rules.option("deal_scoring")
        self.kind, self.number = self._goal()
        self.game_points = [0] * len(self.sides)
        self.card_points = [0] * len(self.sides)
        self.won_deals = [0] * len(self.sides)
        self.dealt = 0  # void deals included
        self.counted = 0  # without those that all passed, RULES U07
        self.remaining = list(range(seats))
        self.course: list[tuple[bool, list[int]]] = []  # was it void, who plays after it
        self.times = 1
        self.plus = 0
        self.over = False
        self.winner: list[int] | None = None
        self.reason: Reason | None = None

    def _goal(self) -> tuple[str, int]:
        match = self.rules.options.get("match", self._usual_match())
        kind, _, number = match.partition(":")
        if kind == "best-of":  # RULES 8.2: first to two or three won deals
            return "first-to", {3: 2, 5: 3}[int(number)]
        if kind == "points" and "target" in self.rules.options:
            return kind, self.rules.number("target")
        return kind, int(number)

    def _usual_match(self) -> str:
        """RULES 3, the column "Match default", and 5."""
        if self.rules.family == "biscambiggia":
            return {2: "first-to:2", 3: "first-to:3", 4: "deals:4", 6: "deals:6"}[self.rules.seats]
        usual = {
            "bisca": "points:4",
            "sueca": "points:4",
            "mariagio": "points:200",
            "auction-biscambiggia": "deals:5",
            "chiamata": "points:10",
            "sueca-italiana": "points:10",
        }
        return usual.get(self.rules.family) or self._usual_match_by_scoring()

    def _usual_match_by_scoring(self) -> str:
        """RULES 8.2 and 10."""
        if self.scoring == "one":
            two_to_win = self.rules.seats == 3 or self.rules.family == "briscolone"
            return "first-to:2" if two_to_win else "best-of:3"
        return "points:121" if self.scoring == "cumulative" else "points:12"

    # A finished deal

    def add(self, scores: list[int], points: list[int], counted: bool) -> None:
        assert not self.over
        playing = [i for i, side in enumerate(self.sides) if side[0] in self.remaining]
        by_side = [scores[self._seat_in_deal(i)] for i in playing]
        for i, score in zip(playing, by_side, strict=True):
            self.game_points[i] += score
            self.card_points[i] += points[self._seat_in_deal(i)]
            self.won_deals[i] += 1 if self._has_won(score, by_side) else 0
        self.dealt += 1
        self.counted += 1 if counted else 0
        void = not any(scores)
        self._settle()
        self._next_deal_is_worth(void)
        self.course.append((void, self.remaining))

    def _seat_in_deal(self, side: int) -> int:
        return self.remaining.index(self.sides[side][0])

    def _has_won(self, score: int, by_side: list[int]) -> bool:
        """At an auction several win a deal together, elsewhere it is the strict leader's."""
        if self.rules.auction:
            return score > 0
        return score == max(by_side) and by_side.count(score) == 1

    def _next_deal_is_worth(self, void: bool) -> None:
        """RULES U07: double after a void deal; RULES U17: one more for each 60-60 in a row."""
        if self.rules.option("all_pass") == "redeal_next_double":
            self.times = 2 if void else 1
        if self.rules.option("sueca_tie_bonus") == "next_plus_one":
            self.plus = self.plus + 1 if void else 0

    # The end

    def _settle(self) -> None:
        if self.kind == "deals":
            self._settle_deals()
        else:
            self._settle_target()
        most = MOST_DEALS
        if self.kind == "deals":  # an auction that all pass is not one of them, RULES U07
            most = max(most, self.number * (2 if self.rules.auction else 1))
        if self.dealt == most and not self.over:
            self._end("cap", [])

    def _settle_deals(self) -> None:
        """RULES 5: game points, then card points, then drawn. RULES U12: tokens are shared."""
        if self.counted < self.number:
            return
        if self.rules.auction:
            self._end("deals", _top(self.game_points))
            return
        leaders = _top(self.game_points)
        most = max(self.card_points[i] for i in leaders)
        leaders = [i for i in leaders if self.card_points[i] == most]
        self._end("deals", leaders if len(leaders) == 1 else [])

    def _settle_target(self) -> None:
        """RULES 8.2, 11.7, U15: at the target the strict leader wins, else they play on."""
        reached = self.game_points if self.kind == "points" else self.won_deals
        leaders = _top(reached)
        if max(reached) < self.number:
            return
        if len(leaders) == 1:
            self._end("target", leaders)
        elif self.kind == "points" and self.scoring == "three_hand_40" and len(leaders) == 2:
            self.remaining = leaders  # RULES 8.2, U14: the third player drops out

    def _end(self, reason: Reason, leaders: list[int]) -> None:
        self.over, self.reason = True, reason
        seats = sorted(seat for i in leaders for seat in self.sides[i])
        self.winner = seats or None

    # The next deal

    def dealer(self, first_dealer: int) -> int:
        """RULES 1.2 and U03: the deal passes, after a void deal too unless the option keeps it."""
        seat = first_dealer
        for void, remaining in self.course:
            if not (void and self.rules.yes("void_keeps_dealer")):
                seat = (seat + 1) % self.rules.seats
            while seat not in remaining:
                seat = (seat + 1) % self.rules.seats
        return seat


def _top(counts: list[int]) -> list[int]:
    return [i for i, count in enumerate(counts) if count == max(counts)]
