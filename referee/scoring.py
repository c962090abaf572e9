"""What card points are worth: game points by side (RULES 8.2), and the deal value. Pure."""

from collections.abc import Callable, Mapping
from typing import Final

from referee.rules import Sides, Stakes, Tally

DealScoring = Callable[[tuple[int, ...]], tuple[int, ...]]
"""Card points by side to game points by side."""


def one(points: tuple[int, ...]) -> tuple[int, ...]:
    """One game point to the single side with the most card points; a tie is a void deal.

    With two sides and 120 points that is the side with 61 or more (RULES 5, 8.1).
    """
    best = max(points)
    return tuple(int(mine == best and points.count(best) == 1) for mine in points)


def pennycook(points: tuple[int, ...]) -> tuple[int, ...]:
    """1 for the deal, 2 from 91 card points, 3 for all 120 (RULES 8.2); two sides only."""
    return tuple(
        won * (1 + (mine >= 91) + (mine == 120))
        for won, mine in zip(one(points), points, strict=True)
    )


def three_hand_40(points: tuple[int, ...]) -> tuple[int, ...]:
    """Three players: 1 to each of two over 40; 2 to the only one over 40, 3 if it has all 120."""
    over = [mine > 40 for mine in points]
    alone = sum(over) == 1
    return tuple(
        0 if not mine_over else 1 if not alone else 3 if mine == 120 else 2
        for mine_over, mine in zip(over, points, strict=True)
    )


def cumulative(points: tuple[int, ...]) -> tuple[int, ...]:
    """The card points themselves; there is no void deal (RULES 8.2)."""
    return points


DEAL_SCORINGS: Final[Mapping[str, DealScoring]] = {
    "one": one,
    "pennycook": pennycook,
    "three_hand_40": three_hand_40,
    "cumulative": cumulative,
}


def values(points: tuple[int, ...]) -> tuple[int, ...]:
    """Deal value by side: a side's card points times the number of sides, less all card points.

    For two sides that is the difference; it always adds up to nought.
    """
    total = sum(points)
    return tuple(len(points) * mine - total for mine in points)


def tally(points: tuple[int, ...], sides: Sides, scoring: DealScoring) -> Tally:
    """What a deal brings to each seat when the sides took `points`."""
    seat_side = {seat: side for side, seats in enumerate(sides) for seat in seats}
    order = [seat_side[seat] for seat in range(len(seat_side))]

    def by_seat(by_side: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(by_side[side] for side in order)

    return Tally(by_seat(points), by_seat(scoring(points)), by_seat(values(points)))


def forfeited(side: int, sides: Sides, scoring: DealScoring, total: int) -> Tally:
    """What a deal brings that `side` gave up, of `total` card points.

    One opponent is counted all the points; several score as in a void deal.
    """
    if len(sides) == 2:
        return tally(tuple(0 if at == side else total for at in range(2)), sides, scoring)
    stakes = stakes_of(sides, total)
    lost = set(sides[side])
    seats = range(sum(map(len, sides)))
    return Tally(
        tuple(0 for _ in seats),
        tuple(stakes.worst_score if seat in lost else stakes.void_score for seat in seats),
        tuple(stakes.worst_value if seat in lost else stakes.void_value for seat in seats),
    )


def stakes_of(sides: Sides, total: int) -> Stakes:
    """The least a deal can bring: no game point, and the deal value of no card point."""
    return Stakes(worst_score=0, worst_value=-total)
