"""How often an interval for a mean misses it, on values that are made to mislead, too."""

import random
from collections.abc import Callable

import pytest

from referee.debug.mean_interval import ERROR, mean_interval

Draw = Callable[[random.Random], float]

VALUES: dict[str, tuple[Draw, float]] = {
    "like a deal of briscola": (lambda dice: max(-120, min(120, dice.gauss(0, 35))), 0),
    "all or nothing": (lambda dice: dice.choice((-120, 120)), 0),
    "a rare loss of everything": (lambda dice: -120 if dice.random() < 0.02 else 2, -0.44),
    "a rare win of everything": (lambda dice: 120 if dice.random() < 0.02 else -120, -115.2),
    "always the same": (lambda _: 7, 7),
    "always the least": (lambda _: -120, -120),
}


@pytest.mark.parametrize("count", [1, 5, 20, 100])
@pytest.mark.parametrize("kind", VALUES)
def test_an_interval_misses_the_mean_no_more_often_than_it_says(
    kind: str, count: int, many_cases: bool
) -> None:
    """Of many intervals at most one in twenty does not hold the true mean, whatever the values."""
    draw, mean = VALUES[kind]
    dice, runs = random.Random(f"{kind} {count}"), 2000 if many_cases else 200
    missed = 0
    for _ in range(runs):
        found = mean_interval([draw(dice) for _ in range(count)], -120, 120)
        assert -120 <= found.low <= found.high <= 120
        missed += not found.low - 1e-9 <= mean <= found.high + 1e-9
    assert missed <= ERROR * runs


def test_many_values_make_it_narrow() -> None:
    """With a thousand values that scatter by 35 points the interval is about six points wide."""
    dice = random.Random(1)
    values = [max(-120, min(120, dice.gauss(0, 35))) for _ in range(1000)]
    found = mean_interval(values, -120, 120)
    assert 3 < found.high - found.low < 8
    assert found.mean == pytest.approx(sum(values) / 1000)
