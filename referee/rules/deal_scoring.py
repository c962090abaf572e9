"""What a deal is worth: from what the sides took to game points (RULES 8.2) and deal values."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from referee.rules.game import Sides, Stakes, Tally


class DealOutcome(Struct, frozen=True):
    """What the sides have taken in a finished deal.

    Attributes:
        points: card points by side, marriages included.
        tricks: how many tricks, by side.
        first: the side that was the first to reach what wins the deal, where that counts.
        black_hand: the side that has won by the black hand; `points` are then all its own.
        packs: how many packs the cards came from.
    """

    points: tuple[int, ...]
    tricks: tuple[int, ...]
    first: int | None = None
    black_hand: int | None = None
    packs: int = 1


class Scoring(Struct, frozen=True):
    """A way to score deals.

    Attributes:
        score: what was taken to game points by side.
        most: the most that a deal can bring to a side; None for its points.
        sides: how many sides it is for, where that matters.
        by_points: a match is played to points, since several sides can score in a deal.
    """

    score: Callable[[DealOutcome], tuple[int, ...]]
    most: int | None
    sides: int | None = None
    by_points: bool = False

    def __call__(self, outcome: DealOutcome) -> tuple[int, ...]:
        """Game points by side."""
        return self.score(outcome)


def won_by(outcome: DealOutcome) -> int | None:
    """The side that has won the deal; None for a void deal.

    The one with the black hand, else the first at the threshold, else the single side with the
    most card points: with two sides and 120 points that is 61 or more (RULES 5, 8.1, U10).
    """
    if outcome.black_hand is not None:
        return outcome.black_hand
    if outcome.first is not None:
        return outcome.first
    best = max(outcome.points)
    return outcome.points.index(best) if outcome.points.count(best) == 1 else None


class Win(Struct, frozen=True):
    """A deal won: the winner's card points out of one pack, and whether it took all tricks."""

    points: int
    all_tricks: bool


def _to_winner(worth: Callable[[Win], int], most: int, sides: int | None = None) -> Scoring:
    """A scoring in which only the winner scores; by the black hand always 1 (RULES U19)."""

    def score(outcome: DealOutcome) -> tuple[int, ...]:
        side = won_by(outcome)
        if side is None:
            return (0,) * len(outcome.points)
        win = Win(
            outcome.points[side] // outcome.packs, outcome.tricks[side] == sum(outcome.tricks)
        )
        points = worth(win) if outcome.black_hand is None else 1
        return tuple(points if at == side else 0 for at in range(len(outcome.points)))

    return Scoring(score, most, sides)


def three_hand_40(outcome: DealOutcome) -> tuple[int, ...]:
    """Three players: 1 to each of two over 40; 2 to the only one over 40, 3 if it has all 120."""
    over = [mine > 40 for mine in outcome.points]
    all_points = 2 if outcome.black_hand is not None else 3
    alone = sum(over) == 1
    return tuple(
        0 if not mine_over else 1 if not alone else all_points if mine == 120 else 2
        for mine_over, mine in zip(over, outcome.points, strict=True)
    )


def cumulative(outcome: DealOutcome) -> tuple[int, ...]:
    """The points themselves; there is no void deal (RULES 8.2)."""
    return outcome.points


def _from_91(win: Win) -> int:
    return 1 + (win.points >= 91)


SCORINGS: Final[Mapping[str, Scoring]] = {
    "one": _to_winner(lambda _: 1, most=1),
    "pennycook": _to_winner(lambda win: _from_91(win) + (win.points == 120), most=3, sides=2),
    "three_hand_40": Scoring(three_hand_40, most=3, sides=3, by_points=True),
    "cumulative": Scoring(cumulative, most=None, sides=2, by_points=True),
    "91_120": _to_winner(lambda win: 4 if win.points == 120 else _from_91(win), most=4),
    "82_all": _to_winner(lambda win: 4 if win.all_tricks else 1 + (win.points >= 82), most=4),
    "sueca": _to_winner(lambda win: 4 if win.all_tricks else _from_91(win), most=4),
    "sueca_120": _to_winner(lambda win: 4 if win.points == 120 else _from_91(win), most=4),
}
"""Every deal scoring by its name. Bands of card points hold for each pack (RULES 13)."""


def values(points: tuple[int, ...]) -> tuple[int, ...]:
    """Deal value by side: a side's card points times the number of sides, less all card points.

    For two sides that is the difference; it always adds up to nought.
    """
    total = sum(points)
    return tuple([len(points) * mine - total for mine in points])


def tally(outcome: DealOutcome, sides: Sides, scoring: Scoring) -> Tally:
    """What a deal brings to each seat."""
    order, points = sides_by_seat(sides), outcome.points
    scores, worth = scoring(outcome), values(points)
    return Tally(
        tuple([points[side] for side in order]),
        tuple([scores[side] for side in order]),
        tuple([worth[side] for side in order]),
    )


@cache
def sides_by_seat(sides: Sides) -> tuple[int, ...]:
    """Which side each seat belongs to."""
    side_of = {seat: side for side, seats in enumerate(sides) for seat in seats}
    return tuple(side_of[seat] for seat in range(len(side_of)))


def _taken_all(side: int, sides: int, total: int, packs: int) -> DealOutcome:
    """The outcome in which one side takes everything, at once."""
    points = tuple(total if at == side else 0 for at in range(sides))
    tricks = tuple(int(at == side) for at in range(sides))
    return DealOutcome(points, tricks, first=side, packs=packs)


def forfeited(side: int, sides: Sides, scoring: Scoring, total: int, packs: int) -> Tally:
    """What a deal brings that `side` gave up, of `total` card points out of so many packs.

    One opponent is counted all the points; several score as in a void deal.
    """
    if len(sides) == 2:
        return tally(_taken_all(1 - side, 2, total, packs), sides, scoring)
    stakes = stakes_of(total)
    lost = set(sides[side])
    seats = range(sum(map(len, sides)))
    return Tally(
        tuple(0 for _ in seats),
        tuple(stakes.worst_score if seat in lost else stakes.void_score for seat in seats),
        tuple(stakes.worst_value if seat in lost else stakes.void_value for seat in seats),
    )


def stakes_of(total: int) -> Stakes:
    """The least a deal can bring: no game point, and the deal value of no card point."""
    return Stakes(worst_score=0, worst_value=-total)
