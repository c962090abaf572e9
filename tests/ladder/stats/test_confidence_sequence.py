"""Deciding while looking: what it risks, what it costs, and the test that engine people know."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.stats.confidence_sequence import Conclusion, Decider, decision_by, interval
from ladder.stats.sprt import NORMALIZED, Model, Sprt, SprtPlan, SprtResult, read_sprt
from referee.errors import RefereeError
from support.simulations import (
    BOUND,
    NULLS,
    blocks_until_decided,
    dice,
    false_decisions,
    false_equalities,
    random_blocks,
    sprt_errors,
)

values = st.lists(st.integers(-240, 240).map(lambda half: half / 2), min_size=1, max_size=60)


def test_equal_bots_are_rarely_told_apart() -> None:
    """Looking after each of 1,000 blocks, whatever these are like: at most 5 %, as simulated."""
    assert all(share <= 0.05 for share in false_decisions(80, 1000).values())


def test_a_difference_is_rarely_denied() -> None:
    """Bots that differ by D are rarely said not to, nor the wrong one to be better."""
    assert all(share <= 0.05 for share in false_equalities(30, 4.0, 1000).values())


@pytest.mark.slow
@pytest.mark.thorough
def test_equal_bots_are_rarely_told_apart_in_many_comparisons() -> None:
    """The same with 200 comparisons of 2,000 blocks; `tests/soak.py` has 2,000 of them."""
    assert all(share <= 0.05 for share in false_decisions(200).values())
    assert all(share <= 0.05 for share in false_equalities(100, 4.0).values())


@pytest.mark.parametrize("name", NULLS)
def test_the_simulated_blocks_are_fair(name: str) -> None:
    """They have the mean 0 and keep to the bound; else the tests above would prove nothing."""
    found = NULLS[name](dice("fair", name), 50_000)

    assert np.abs(found).max() <= BOUND
    assert abs(found.mean()) <= 4 * found.std() / math.sqrt(len(found))


def test_blocks_of_random_bots_are_those_of_a_game() -> None:
    """Block means of briscola, in halves since each deck is played twice."""
    found = random_blocks(400)

    assert (2 * found == np.rint(2 * found)).all()
    assert 20 < found.std() < 40


@given(values, st.integers(0, 60))
def test_it_does_not_matter_in_what_portions_blocks_come(found: list[float], cut: int) -> None:
    """One by one, in two parts or all at once: the same decision after the same block."""
    whole, parts, single = (Decider(BOUND, 5.0) for _ in range(3))
    whole.look(found)
    parts.look(found[:cut])
    parts.look(found[cut:])
    for value in found:
        single.look([value])

    assert whole.decision is parts.decision is single.decision
    assert whole.blocks == parts.blocks == single.blocks


@given(values)
def test_other_way_round_the_other_one_is_better(found: list[float]) -> None:
    """Whoever is called A."""
    one, other = Decider(BOUND, 5.0), Decider(BOUND, 5.0)
    turned = {Conclusion.A: Conclusion.B, Conclusion.B: Conclusion.A}
    one.look(found)
    other.look([-value for value in found])

    assert other.decision is turned.get(one.decision, one.decision)
    assert other.blocks == one.blocks


@given(values, st.randoms(use_true_random=False))
def test_the_interval_does_not_depend_on_the_order(found: list[float], luck: object) -> None:
    """It is of the blocks, not of the way to them; and it holds their mean."""
    low, high = interval(found, BOUND)
    luck.shuffle(found)  # type: ignore[attr-defined]  # hypothesis gives random.Random no name

    assert interval(found, BOUND) == (low, high)
    assert -BOUND <= low <= sum(found) / len(found) + 1e-6
    assert sum(found) / len(found) - 1e-6 <= high <= BOUND


@given(st.integers(-40, 40), st.integers(1, 400))
def test_a_decision_is_what_the_interval_says(mean: int, seed: int) -> None:
    """A is better as soon as the interval is above 0, and so on."""
    found = np.clip(dice(seed).normal(mean / 4, 10, 400), -BOUND, BOUND)
    decider = Decider(BOUND, 3.0)
    decider.look(found)

    assert decision_by(*interval(found[: decider.blocks], BOUND), 3.0) is decider.decision
    before = interval(found[: decider.blocks - 1], BOUND)
    assert decider.blocks == 1 or decision_by(*before, 3.0) is Conclusion.UNDECIDED


def test_bots_that_do_the_same_soon_do_not_differ() -> None:
    """Blocks without any variance say so within some hundreds of blocks."""
    decider = Decider(BOUND, 1.0)

    assert decider.look(np.zeros(20_000)) is Conclusion.NO_DIFFERENCE
    assert decider.blocks < 700


def test_a_clear_difference_takes_few_blocks() -> None:
    """A bot that wins by 35 points with the spread of random bots is soon found to."""
    assert blocks_until_decided(35, 30, 20).max() < 60


@pytest.mark.slow
@pytest.mark.thorough
def test_looking_all_the_time_costs_a_few_times_the_blocks() -> None:
    """Against a test that looks once, of the usual power, and that must know what to look for."""
    mean, spread = 3.0, 18.0
    once = ((1.96 + 0.84) * spread / mean) ** 2

    assert blocks_until_decided(mean, spread, 100).mean() < 2.5 * once


def test_a_block_beyond_the_bound_is_refused() -> None:
    """The bets would not be fair."""
    with pytest.raises(ValueError, match="beyond the bound"):
        Decider(120).look([121.0])
    with pytest.raises(ValueError, match="beyond the bound"):
        interval([math.nan], 120)


def test_without_blocks_anything_is_possible() -> None:
    """The interval is the whole scale, and nothing is decided."""
    assert interval([], 120) == (-120, 120)
    assert Decider(120).look([]) is Conclusion.UNDECIDED


def test_the_sequential_ratio_is_that_of_the_definition() -> None:
    """As Van den Bergh writes it, computed from the blocks by hand, but for a weak prior."""
    found = np.round(2 * dice("ratio").normal(2, 18, 500)) / 2
    plan = SprtPlan(elo0=0, elo1=30, alpha=1e-9, beta=1e-9)
    test = Sprt(plan, BOUND, deals=2)
    for value in found:
        test.add(float(value))
    by_deal = found.mean() / (found.std() * math.sqrt(2))
    at, first, second = (math.sqrt(2) * elo for elo in (by_deal, 0, 30 / NORMALIZED))
    ratio = 250 * math.log((1 + (at - first) ** 2) / (1 + (at - second) ** 2))

    assert test.ratio == pytest.approx(ratio, rel=0.02)
    assert test.elo == pytest.approx(by_deal * NORMALIZED, rel=0.02)


def test_the_logistic_ratio_is_about_blocks_won() -> None:
    """As fishtest's for a pair of results with the same mean and variance."""
    plan = SprtPlan(elo0=0, elo1=50, alpha=1e-9, beta=1e-9, model=Model.LOGISTIC)
    test = Sprt(plan, BOUND, deals=2)
    for value in [4.0] * 60 + [0.0] * 10 + [-80.0] * 30:
        test.add(value)
    scores = np.array([1.0] * 60 + [0.5] * 10 + [0.0] * 30)
    second = 1 / (1 + 10 ** (-50 / 400))
    ratio = 50 * math.log(((scores - 0.5) ** 2).mean() / ((scores - second) ** 2).mean())

    assert test.ratio == pytest.approx(ratio, rel=0.01)
    assert test.elo == pytest.approx(400 * math.log10(0.65 / 0.35), rel=0.01)


def test_the_sequential_test_errs_as_often_as_it_may() -> None:
    """Either hypothesis is taken for the other in about 5 %, as simulated."""
    assert max(sprt_errors(SprtPlan(elo0=0, elo1=60), tests=60)) <= 0.1


@pytest.mark.parametrize("model", Model)
def test_equal_blocks_accept_that_there_is_no_difference(model: Model) -> None:
    """Bots that do the same come to H0, though nothing varies."""
    test = Sprt(SprtPlan(elo0=0, elo1=20, model=model), BOUND, deals=2)
    while test.verdict is SprtResult.OPEN:
        test.add(0.0)

    assert test.verdict is SprtResult.H0


def test_hypotheses_are_read_from_a_text() -> None:
    """Parts are optional; what is left out is usual."""
    assert read_sprt("") == SprtPlan()
    assert read_sprt("elo1=10,elo0=-2,alpha=0.1,beta=0.2,model=logistic") == SprtPlan(
        -2, 10, 0.1, 0.2, Model.LOGISTIC
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elo0", "'elo0': write NAME=VALUE"),
        ("elo2=5", "there are elo0, elo1, alpha, beta, model"),
        ("elo1=5,elo1=6", "each once"),
        ("elo1=many", "elo1=many: it must be a number"),
        ("model=bayesian", "it must be normalized or logistic"),
        ("elo0=5,elo1=5", "elo0 must be less than elo1"),
        ("elo1=nan", "elo0 must be less than elo1"),
        ("alpha=0", "alpha and beta must lie between 0 and 1"),
        ("alpha=0.5,beta=0.5", "and so must their sum"),
    ],
)
def test_wrong_hypotheses_are_named(text: str, words: str) -> None:
    """One line says what is wrong with them."""
    with pytest.raises(RefereeError, match=words):
        read_sprt(text)
