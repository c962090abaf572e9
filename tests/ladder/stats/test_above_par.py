"""A person beside par: what is said of it holds whenever they look, and however they leave."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from ladder.stats.above_par import AbovePar, above_par

BOUND = 240
LOOKS, DEALS = 20, 10
PEOPLE = 200
Deal = Callable[[np.random.Generator], int]


def equal(chance: np.random.Generator) -> int:
    """A deal of one who plays as well as par, in another way: mostly nothing, at times a lot."""
    return 0 if chance.random() < 0.6 else int(chance.choice([-60, -10, -10, 20, 60]))


def leaves(chance: np.random.Generator) -> int:
    """The same of one who leaves what goes badly, half-way: from there on it is as par."""
    first, second = equal(chance), equal(chance)
    return (first if first < 0 else first + second) // 2


def test_what_is_above_par_is_the_mean_and_what_may_be_true() -> None:
    found = above_par({-4: 1, 0: 2, 12: 1}, BOUND)
    assert found.deals == 4
    assert found.mean == 2
    assert found.low < 2 < found.high
    assert above_par({}, BOUND) == AbovePar(0, 0.0, -BOUND, BOUND)
    assert above_par({BOUND + 9: 3}, BOUND) == above_par({BOUND: 3}, BOUND)


@pytest.mark.parametrize("deal", [equal, leaves])
@pytest.mark.thorough
def test_one_who_stops_when_they_look_good_is_rarely_said_to_be_better(deal: Deal) -> None:
    """Who plays as par does and looks after every ten deals, to stop once it says anything: 5 % at
    most, both sides together, and no more of those who leave what goes badly."""
    chance, wrong = np.random.default_rng(1), 0
    for _ in range(PEOPLE):
        deals: Counter[int] = Counter()
        for _ in range(LOOKS):
            deals.update(deal(chance) for _ in range(DEALS))
            found = above_par(deals, BOUND)
            if not found.low <= 0 <= found.high:
                wrong += 1
                break
    assert wrong <= 0.05 * PEOPLE, wrong


def test_one_who_plays_better_is_said_to_after_enough_deals() -> None:
    chance = np.random.default_rng(2)
    deals = Counter(equal(chance) + 15 for _ in range(300))
    assert above_par(deals, BOUND).low > 0
