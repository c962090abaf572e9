"""What of a finished deal counts for its game points."""

from dataclasses import dataclass

from support.model.rules import Rules


@dataclass(frozen=True)
class Outcome:
    rules: Rules
    sides: list[list[int]]
    side_points: list[int]
    winners: list[int]  # of the tricks
    pack_points: int  # 120, with two packs 240
    first_to_half: int | None  # a side
    black_hand: int | None  # a side
    all_passed: bool
    pledge: int

    def took_all_tricks(self, side: int) -> bool:
        return all(seat in self.sides[side] for seat in self.winners)

    def by_seat(self, by_side: list[int]) -> list[int]:
        """Each seat of a side has what its side has."""
        values = dict.fromkeys(range(self.rules.seats), 0)
        for seats, value in zip(self.sides, by_side, strict=True):
            values.update(dict.fromkeys(seats, value))
        return list(values.values())
