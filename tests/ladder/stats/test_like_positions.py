"""What is left of gifts once positions of the same kind are compared with each other."""

import random

import numpy as np
from msgspec.structs import replace

from ladder.stats.like_positions import LikePositions
from referee.match.gifts import Choice, Position, unpacked
from support.positions import positions
from support.simulations import dice


def like(seen: list[Position]) -> LikePositions:
    return LikePositions(np.array([one.packed() for one in seen]))


def test_what_depends_on_the_position_alone_leaves_nothing() -> None:
    """However little of a line it is, where each position comes often enough."""
    different = list(dict.fromkeys(positions(200, random.Random(1))))
    roll = dice("any function")
    laid = roll.integers(0, 12, len(different)).astype(np.float64)
    rest = like(different * 3).rest(np.tile(laid, 3))
    assert np.abs(rest).max() < 1e-9


def test_a_line_in_the_numbers_leaves_nothing_where_each_position_comes_once() -> None:
    seen = list(dict.fromkeys(positions(300, random.Random(2), cards=8)))
    numbers = np.array([one.numbers() for one in seen])
    rest = like(seen).rest(numbers @ dice("line").normal(0, 5, numbers.shape[1]))
    assert np.abs(rest).max() < 1e-6


def test_what_is_left_of_chance_is_the_part_that_is_told() -> None:
    """So that errors are not taken for smaller than they are."""
    seen = random.Random(3).choices(positions(400, random.Random(4)), k=2_000)
    found = like(seen)
    left = [np.square(found.rest(dice("chance", at).normal(0, 1, len(seen)))) for at in range(30)]
    assert 0.4 < found.spare < 0.95
    assert abs(np.mean(left) - found.spare) < 0.02


def test_equal_choices_make_equal_positions_and_others_do_not() -> None:
    """Packed, they differ whenever anything does that bears on gifts."""
    one = positions(1, random.Random(5))[0]
    others = [
        replace(one, points=one.points + 1),
        replace(one, cards=one.cards + 1),
        replace(one, is_last=not one.is_last),
        replace(one, holds_trump=not one.holds_trump),
        replace(one, talon_is_empty=not one.talon_is_empty),
        replace(one, holder_called=not one.holder_called),
        replace(one, choices=(*one.choices, Choice(11, leaves=True, is_trump=True))),
        replace(one, choices=(Choice(0, leaves=False, is_trump=False), *one.choices)),
    ]
    packed = [other.packed() for other in (one, *others)]
    assert len(set(packed)) == len(packed)
    assert [unpacked(each) for each in packed] == [one, *others]
    assert all(each[-1] for each in packed)


def test_kinds_are_told_from_the_widest_to_the_position_itself() -> None:
    seen = positions(3_000, random.Random(6))
    kinds = [one.kinds() for one in seen]
    counts = [len({each[level] for each in kinds}) for level in range(len(kinds[0]))]
    assert counts[0] < 60 < min(counts[1:-1])
    assert max(counts[1:-1]) < counts[-1]
    assert [each[-1] for each in kinds] == [one.packed() for one in seen]
