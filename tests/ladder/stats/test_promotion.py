"""Who moves between divisions: rarely one that is no better, whatever the bots are like."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from ladder.stats.observations import Observed, against, lineups
from ladder.stats.promotion import certainly_ahead, leads, movers

BOUND = 120
BOTS = 6
BLOCKS = 5
"""In a match."""
SEASONS = 40
LOOKS, ROUNDS = 4, 20
"""A season is looked at so often, each time after so many matches of each pair."""

Field = Callable[[np.random.Generator, int], NDArray[np.int64]]


def seen(bots: NDArray[np.int64], values: NDArray[np.int64], life: NDArray[np.int64]) -> Observed:
    """Blocks of two bots, two deals each."""
    opposed, two_sided = against(2, ())
    return Observed(
        bots=bots,
        lineup=lineups(bots, BOTS),
        block=np.arange(len(bots)),
        life=life,
        begun=np.zeros(len(bots), np.int64),
        deals=np.full(len(bots), 2),
        values=values,
        luck=np.zeros_like(values),
        lucky=np.zeros(len(bots), np.bool_),
        at_fault=np.zeros(bots.shape, np.bool_),
        met=np.zeros((len(bots), 2, 2), np.int64),
        known=np.zeros(len(bots), np.bool_),
        opposed=opposed,
        two_sided=two_sided,
    )


def plain(chance: np.random.Generator, matches: int) -> NDArray[np.int64]:
    """Blocks of equals, of the size of briscola's: matches x blocks."""
    return chance.normal(0, 40, (matches, BLOCKS)).round().clip(-240, 240).astype(np.int64)


def moody(chance: np.random.Generator, matches: int) -> NDArray[np.int64]:
    """Equals whose processes play well or badly for a whole match."""
    mood = chance.choice([-60, 60], (matches, 1))
    found: NDArray[np.int64] = np.clip(plain(chance, matches) + mood, -240, 240)
    return found


def faulty(chance: np.random.Generator, matches: int) -> NDArray[np.int64]:
    """Equals of whom either loses everything in one match of twenty, and a little is made up."""
    lost = np.where(chance.random((matches, 1)) < 0.1, chance.choice([-240, 240], (matches, 1)), 0)
    return np.where(lost == 0, plain(chance, matches), lost).astype(np.int64)


def season(chance: np.random.Generator, field: Field, better: int = 0) -> bool:
    """Whether any bot moves at any time of a season; `better`: so much the first one is."""
    pairs = np.array(list(combinations(range(BOTS), 2)))
    bots, values, life = [], [], []
    for look in range(LOOKS):
        for at, pair in enumerate(pairs):
            found = field(chance, ROUNDS).ravel() + 2 * better * (pair[0] == 0)
            bots.append(np.tile(pair, (len(found), 1)))
            values.append(np.stack([found, -found], axis=1).clip(-240, 240))
            first = (look * len(pairs) + at) * ROUNDS
            life.append(np.repeat(np.arange(first, first + ROUNDS), BLOCKS))
        blocks = seen(np.concatenate(bots), np.concatenate(values), np.concatenate(life))
        up, down = movers(certainly_ahead(blocks, range(BOTS), BOUND), 1)
        if up or down:
            return True
    return False


@pytest.mark.thorough
@pytest.mark.parametrize("field", [plain, moody, faulty])
def test_of_equals_one_moves_in_5_seasons_of_100_at_most(field: Field) -> None:
    """However often it is looked whether any may move, and whenever the season is ended then."""
    chance = np.random.default_rng(3)
    wrong = sum(season(chance, field) for _ in range(SEASONS))
    assert wrong <= 0.05 * SEASONS, wrong


def test_one_that_is_clearly_better_moves_in_a_season() -> None:
    assert season(np.random.default_rng(4), plain, better=25)


def test_a_match_is_one_observation() -> None:
    bots = np.array([[0, 1], [0, 1], [1, 0], [1, 2]])
    values = np.array([[10, -10], [30, -30], [8, -8], [50, -50]])
    blocks = seen(bots, values, np.array([0, 0, 1, 2]))
    assert leads(blocks, 0, 1).tolist() == [10.0, -4.0]
    assert leads(blocks, 0, 2).tolist() == []


@pytest.mark.parametrize(
    ("ahead", "most", "moves"),
    [
        ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], 1, ([0], [2])),
        ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], 1, ([], [])),
        ([[0, 1, 0], [0, 0, 0], [0, 1, 0]], 1, ([], [1])),
        ([[0, 1, 0], [0, 0, 0], [0, 1, 0]], 2, ([0, 2], [1])),
        ([[0, 1], [0, 0]], 2, ([], [])),
        ([[0]], 1, ([], [])),
    ],
)
def test_who_is_ahead_of_all_but_so_many_moves(
    ahead: list[list[int]], most: int, moves: tuple[list[int], list[int]]
) -> None:
    assert movers(np.array(ahead, np.bool_), most) == moves
