"""Two bots by their blocks: means, what luck did, and how sure it is who is better."""

import numpy as np
import pytest

from ladder.versus import leads, versus
from referee.workers.jobs import BlockResult
from support.simulations import dice


def blocks(values: list[int], luck: list[int] | None = None) -> list[BlockResult]:
    """Blocks of two deals, by A's deal values added up; luck in thousandths of them."""
    return [
        BlockResult(
            block=at,
            deals=2,
            values=(value, -value),
            luck=() if luck is None else (luck[at], -luck[at]),
            faults=(0, 0),
        )
        for at, value in enumerate(values)
    ]


def drawn(count: int, mean: float = 0.0) -> list[int]:
    return [
        int(value) for value in np.rint(dice("versus", count, mean).normal(2 * mean, 36, count))
    ]


def test_means_are_a_deal() -> None:
    """A block of two deals that brought 10 is a mean of 5."""
    found = versus(blocks([10, 0, -4, 10]))

    assert (found.blocks, found.deals) == (4, 8)
    assert found.mean.value == 2.0
    assert (found.won, found.level, found.lost) == (2, 1, 1)


def test_one_who_plays_on_is_not_charged_for_its_partner() -> None:
    """Where values do not add up to nought, A's lead is half the difference."""
    assert leads([BlockResult(0, 2, (-240, 20), (), (2, 0))]).tolist() == [-65.0]


def test_luck_is_taken_out() -> None:
    """Raw is luck and adjusted together; where luck was all there was, nothing is left to vary."""
    values = drawn(60)
    found = versus(blocks(values, [1000 * value - 3000 for value in values]))

    assert found.adjusted is not None
    assert found.luck is not None
    assert found.adjusted.value == 1.5
    assert found.luck + found.adjusted.value == pytest.approx(found.mean.value, abs=0.002)
    assert found.gain == 0


def test_luck_that_is_none_is_no_gain() -> None:
    """Noise taken out of blocks makes them vary more, and that is said."""
    noise = [1000 * value for value in drawn(60, mean=0.1)]

    assert (versus(blocks(drawn(60), noise)).gain or 0) > 1.2


def test_without_luck_nothing_is_said_of_it() -> None:
    """It was not counted, or not in every block."""
    some = [*blocks([3], [500]), BlockResult(1, 2, (4, -4), (), (0, 0))]

    for found in (versus(blocks([3, 4])), versus(some)):
        assert (found.luck, found.adjusted, found.gain) == (None, None, None)


def test_the_other_way_round_everything_is_the_other_way_round() -> None:
    """Whoever is called A: means, intervals, Elo and the likelihood of superiority."""
    values = drawn(80, mean=3)
    one, other = versus(blocks(values)), versus(blocks([-value for value in values]))

    assert one.mean.low is not None
    assert other.mean.high == -one.mean.low
    assert other.elo.high == -(one.elo.low or 0)
    assert (one.los or 0) + (other.los or 0) == pytest.approx(1)


def test_the_order_of_blocks_does_not_matter() -> None:
    """Not in a single digit."""
    found = blocks(drawn(50))

    assert versus(found[::-1]) == versus(found)


def test_a_single_block_has_no_interval() -> None:
    """And says nothing about how sure it is."""
    found = versus(blocks([4]))

    assert (found.mean.low, found.elo.high, found.los) == (None, None, None)


def test_elo_says_how_often_blocks_are_won() -> None:
    """Three of four are 400 log10(3); all of them are a finite number."""
    assert versus(blocks([5, 5, 5, -5] * 100)).elo.value == pytest.approx(190.8, abs=2)
    assert 500 < versus(blocks([5] * 50)).elo.value < 1500


def test_bots_that_do_the_same_are_level() -> None:
    """Nothing is said for either."""
    found = versus(blocks([0] * 20))

    assert (found.mean.value, found.elo.value, found.los) == (0, 0, 0.5)


def test_few_blocks_leave_a_doubt() -> None:
    """Even where all of them say the same."""
    assert 0.9 < (versus(blocks([1, 1])).los or 0) < 0.99
    assert 0.7 < (versus(blocks([1, 30])).los or 0) < 0.9


def test_intervals_hold_the_true_mean() -> None:
    """In some 95 % of comparisons, as simulated; with few blocks too."""
    held = 0
    for number in range(120):
        values = np.rint(dice("held", number).normal(6, 36, 12)).astype(int).tolist()
        found = versus(blocks(values)).mean
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 3 <= found.high

    assert 0.88 <= held / 120 <= 1
