"""Ratings: against the plain likelihood, their laws, and whether their intervals hold."""

from collections.abc import Sequence
from itertools import pairwise, permutations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from ladder.bootstrap import MOST_UNITS, ratios, seed_of, weights
from ladder.choices import Orders, choices
from ladder.numbering import Floats
from ladder.observed import observed
from ladder.rating import (
    ELO,
    Ratings,
    places,
    rate,
    rate_orders,
    strengths,
    with_doubt,
)
from ladder.results import RoundResult
from ladder.scoreboard import Estimate
from support.sections import block, played, round_robin, table
from support.simulations import coverage, dice

Sides = tuple[tuple[int, ...], ...]
Row = tuple[Sides, tuple[int, ...]]
"""Who held each side of a table, and what decided."""


def orders(rows: Sequence[Row]) -> Orders:
    """Rows as blocks with indexes of their own; all have equally many and equally large sides."""
    return Orders(
        np.arange(len(rows)),
        np.array([[list(side) for side in sides] for sides, _ in rows]),
        np.array([scores for _, scores in rows]),
    )


def likelihood(found: Sequence[float], rows: Sequence[Row]) -> float:
    """The logarithm, as a textbook has it; of level sides, the mean over all their orders."""
    total = 0.0
    for sides, scores in rows:
        sums = [sum(found[bot] for bot in side) for side in sides]
        allowed = [
            order
            for order in permutations(range(len(sides)))
            if all(scores[one] >= scores[other] for one, other in pairwise(order))
        ]
        for order in allowed:
            left = [sums[at] for at in order]
            chosen = (left[at] - np.logaddexp.reduce(left[at:]) for at in range(len(left)))
            total += float(sum(chosen)) / len(allowed)
    prior = (one / 2 - np.logaddexp(one, 0) for one in found)
    return total + float(sum(prior))


def textbook(rows: Sequence[Row], bots: int) -> Floats:
    """Strengths in Elo with the mean 0, found by a library from the textbook's likelihood."""

    def unlikely(last_by_others: Floats) -> float:
        return -likelihood([*last_by_others, -last_by_others.sum()], rows)

    found = minimize(unlikely, np.zeros(bots - 1), tol=1e-7).x
    return np.array([*found, -found.sum()]) * ELO


def some_rows(seed: int, bots: int, seats: int, partners: int, count: int = 40) -> list[Row]:
    """Tables of anybody, with few different scores, so that many are level."""
    roll = dice("rows", seed)
    rows: list[Row] = []
    for _ in range(count):
        who = roll.permutation(bots)[: seats * partners].reshape(seats, partners)
        sides = tuple(tuple(int(bot) for bot in side) for side in who)
        rows.append((sides, tuple(int(score) for score in roll.integers(0, seats, seats))))
    return rows


@pytest.mark.parametrize(
    ("bots", "seats", "partners"),
    [(5, 2, 1), (5, 3, 1), (5, 4, 1), (6, 2, 2), (7, 2, 3)],
)
def test_strengths_are_those_of_the_plain_likelihood(bots: int, seats: int, partners: int) -> None:
    """Two sides, several, and partners: what a general optimiser finds from the definition."""
    rows = some_rows(bots, bots, seats, partners)
    found, _ = strengths(choices([orders(rows)], bots), replicates=1)

    assert found * ELO == pytest.approx(textbook(rows, bots), abs=1e-2)


def test_tables_of_all_sizes_are_fitted_together() -> None:
    """A pair and a table of four tell of the same strengths."""
    pairs, fours = some_rows(1, 5, 2, 1), some_rows(2, 5, 4, 1, count=20)
    found, _ = strengths(choices([orders(pairs), orders(fours)], 5), replicates=1)

    assert found * ELO == pytest.approx(textbook([*pairs, *fours], 5), abs=1e-2)


def test_a_level_block_is_half_a_win_each() -> None:
    """Two level blocks say of strengths what a win and a loss say."""
    pair: Sides = ((0,), (1,))
    rest: list[Row] = [(pair, (1, 0))] * 3
    level, decided = ([(pair, (0, 0))] * 2, [(pair, (1, 0)), (pair, (0, 1))])
    one, other = (
        strengths(choices([orders([*rest, *more])], 2), replicates=1)[0]
        for more in (level, decided)
    )

    assert one == pytest.approx(other)


ROWS = some_rows(7, 5, 2, 1, count=60)


def rated(rows: Sequence[Row] = ROWS, bots: int = 5) -> Ratings:
    return rate_orders([orders(rows)], bots, replicates=200)


def known(rating: Estimate | None) -> Estimate:
    assert rating is not None
    return rating


def ends(rating: Estimate | None) -> tuple[float, float]:
    """Of its interval."""
    low, high = known(rating).low, known(rating).high
    assert low is not None
    assert high is not None
    return low, high


def width(rating: Estimate | None) -> float:
    low, high = ends(rating)
    return high - low


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_log_changes_no_byte(luck: object) -> None:
    """Blocks in any order, and the bots of a table in any order, give the same ratings."""
    whole = orders(ROWS)
    at = np.arange(len(ROWS))
    luck.shuffle(at)  # type: ignore[attr-defined]  # hypothesis gives random.Random no public name
    turned = at % 2 == 0
    bots, scores = whole.bots[at].copy(), whole.scores[at].copy()
    bots[turned], scores[turned] = bots[turned][:, ::-1], scores[turned][:, ::-1]
    again = rate_orders([Orders(whole.block[at], bots, scores)], 5, replicates=200)

    assert msgspec.json.encode(again) == msgspec.json.encode(rated())


def test_bots_with_other_numbers_have_the_same_ratings() -> None:
    """Strengths, intervals and chances go with the bots, whatever their numbers are."""
    new = (3, 0, 4, 1, 2)
    rows: list[Row] = [
        (tuple(tuple(new[bot] for bot in side) for side in sides), scores) for sides, scores in ROWS
    ]
    usual, other = rated(), rated(rows)

    for bot in range(5):
        assert other.strengths[new[bot]] == usual.strengths[bot]
        assert other.places[new[bot]] == usual.places[bot]
        for against in range(5):
            assert other.better[new[bot]][new[against]] == usual.better[bot][against]


def test_bots_that_always_do_alike_are_level_in_every_replicate() -> None:
    """Copies of one bot have one strength and half a chance each, not the noise of a fit."""
    rows: list[Row] = []
    for luck in (1, 0, 1, 1, 0, 1, 1):
        rows += [(((0,), (copy,)), (luck, 1 - luck)) for copy in (1, 2, 3)]
        rows += [(((one,), (other,)), (0, 0)) for one, other in ((1, 2), (1, 3), (2, 3))]
    index = np.repeat(np.arange(7), 6)
    found = orders(rows)
    better = rate_orders([Orders(index, found.bots, found.scores)], 4).better

    assert {better[one][other] for one, other in permutations((1, 2, 3), 2)} == {0.5}


def test_few_blocks_tell_nobody_apart() -> None:
    """One says nothing of who is better, and of some more the same share says less than of many."""
    shares = np.array([[0.5, 0.99], [0.01, 0.5]])
    one, four, many = (with_doubt(shares, np.array([n, n]))[0, 1] for n in (1, 4, 1000))

    assert one == 0.5
    assert 0.9 < four < 0.97 < many < 0.991
    assert rated(ROWS[:1], 5).better[0][1] in (0.5, None)


def test_strengths_have_the_mean_nought() -> None:
    """Ratings are about nothing but each other."""
    assert sum(known(one).value for one in rated().strengths) == pytest.approx(0, abs=0.3)


def test_more_of_the_same_is_surer_and_says_the_same() -> None:
    """Every result in a second block too: strengths stay but for the prior, intervals shrink."""
    once, twice = rated(), rated([*ROWS, *ROWS])

    for one, two in zip(once.strengths, twice.strengths, strict=True):
        assert known(two).value == pytest.approx(known(one).value * 1.02, abs=5)
        assert width(two) < 0.85 * width(one)


def test_who_has_won_everything_is_first_and_finite() -> None:
    """A bot without a loss has a rating, and an interval that is wider upwards."""
    rows: list[Row] = [(((0,), (1,)), (1, 0)), (((1,), (2,)), (1, 0)), (((0,), (2,)), (1, 0))] * 10
    first = known(rated(rows, 3).strengths[0])
    low, high = ends(first)

    assert 200 < first.value < 1000
    assert low < first.value < high < 3000
    assert high - first.value > first.value - low


def test_who_did_not_play_has_no_rating() -> None:
    """Nothing is said of it, and the others' mean is 0 without it."""
    found = rated(ROWS, 6)

    assert found.strengths[:5] == rated().strengths
    assert found.strengths[5] is None
    assert found.better[5] == (None,) * 6
    assert found.places[5] == (1, 6)


def test_no_blocks_give_no_ratings() -> None:
    """An event that has not begun can be rated."""
    assert rate([], 2) == Ratings((None, None), ((None, None), (None, None)), ((1, 2), (1, 2)))


def threes(*, crashed: bool) -> RoundResult:
    """Three bots at a table; in every other block the third is at fault, or it is not played."""
    roll = dice("threes")
    blocks = []
    for index in range(40):
        values = [int(value) for value in roll.integers(-20, 20, 3)]
        if index % 2 == 0:
            blocks.append(block(index, values))
        elif crashed:
            blocks.append(block(index, (60, -60, -120), faults=(0, 0, 1)))
    return played([table((0, 1, 2), blocks)], blocks=40)


def test_a_fault_at_a_table_of_three_costs_the_bot_at_fault_alone() -> None:
    """What others have against each other is nearly as if the block had not been played."""
    clean, crashed = (
        rate(observed([threes(crashed=crashed)], ()), 3, replicates=100).strengths
        for crashed in (False, True)
    )

    def ahead(ratings: Sequence[Estimate | None], one: int, other: int) -> float:
        return known(ratings[one]).value - known(ratings[other]).value

    assert ahead(crashed, 0, 1) == pytest.approx(ahead(clean, 0, 1), abs=10)
    assert ahead(crashed, 2, 0) < ahead(clean, 2, 0) - 100


def test_mixed_partners_are_told_apart() -> None:
    """A bot that makes every side win is the best one, whoever its partner is."""
    tables = []
    for at, (one, other, third) in enumerate(permutations((1, 2, 3))):
        blocks = [block(20 * at + index, (9, -9, 9, -9), deals=8) for index in range(20)]
        tables.append(table((0, one, other, third), blocks))
    seen = observed([played(tables, blocks=120)], ((0, 2), (1, 3)))
    found = rate(seen, 4, replicates=100)

    assert known(found.strengths[0]).value > 200
    for mate in (1, 2, 3):
        assert known(found.strengths[mate]).value == pytest.approx(
            -known(found.strengths[0]).value / 3, abs=1
        )
        assert found.places[mate] == (2, 4)


def test_places_overlap_where_bots_cannot_be_told_apart() -> None:
    """Places 2 to 3 are shared by two of which neither is better with 97.5 %."""
    better = ((None, 0.99, 0.98), (0.01, None, 0.9), (0.02, 0.1, None))

    assert places(better) == ((1, 1), (2, 3), (2, 3))


def test_luck_is_taken_out_where_the_event_says_so() -> None:
    """Blocks are then decided by the adjusted values."""
    section = round_robin(3, blocks=30)
    seen = observed(section.rounds, ())

    assert rate(seen, 3, adjusted=True, replicates=50) != rate(seen, 3, replicates=50)


def test_weights_are_one_in_the_mean_and_follow_from_the_seed() -> None:
    """The same data have the same dice on every machine."""
    seed = seed_of([np.arange(3), np.array([0.5])])
    found = weights(200, 500, seed)

    assert found.mean() == pytest.approx(1, abs=0.02)
    assert found.std() == pytest.approx(1, abs=0.03)
    assert seed.hex()[:16] == "bc9cb640d299222f"
    assert found[0, :3].tolist() == pytest.approx([0.0992432, 0.2040810, 0.3006092], abs=1e-6)


def test_more_blocks_than_bundles_are_drawn_in_bundles() -> None:
    """The interval of a mean is what it should be then, too."""
    values = dice("many").normal(0, 1, (5 * MOST_UNITS, 1))
    mean, low, high = ratios(values, np.ones_like(values))[:, 0]

    assert low < mean < high
    assert high - low == pytest.approx(2 * 1.96 / np.sqrt(5 * MOST_UNITS), rel=0.15)


def test_intervals_hold_what_is_true() -> None:
    """In 95 % of bots, as simulated; blocks taken for tables of their own do not."""
    assert 0.91 <= coverage(60) <= 0.99
    assert coverage(60, shared=False) < 0.88


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(("seats", "blocks"), [(2, 40), (2, 100), (4, 40)])
def test_intervals_hold_what_is_true_in_many_events(seats: int, blocks: int) -> None:
    """Between 93 and 97 % of 95 % intervals hold the true strength."""
    assert 0.93 <= coverage(300, seats=seats, blocks=blocks) <= 0.97
