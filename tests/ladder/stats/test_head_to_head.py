"""Two bots by their match parts: means, what luck did, and how sure it is who is better."""

import numpy as np
import pytest

from ladder.stats.estimates import Estimate
from ladder.stats.head_to_head import Part, lead, versus
from referee.match.outcome import BlockResult
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


def singly(values: list[int], luck: list[int] | None = None) -> list[Part]:
    """The same blocks, each played by processes of its own."""
    return [[one] for one in blocks(values, luck)]


def width(measure: Estimate) -> float:
    assert measure.low is not None
    assert measure.high is not None
    return measure.high - measure.low


def drawn(count: int, mean: float = 0.0) -> list[int]:
    return [
        int(value) for value in np.rint(dice("versus", count, mean).normal(2 * mean, 36, count))
    ]


def test_means_are_a_deal() -> None:
    """A block of two deals that brought 10 is a mean of 5."""
    found = versus(singly([10, 0, -4, 10]))

    assert (found.parts, found.blocks, found.deals) == (4, 4, 8)
    assert found.mean.value == 2.0
    assert (found.won, found.level, found.lost) == (2, 1, 1)


def test_one_who_plays_on_is_not_charged_for_its_partner() -> None:
    """Where values do not add up to 0, A's lead is half the difference."""
    assert lead([BlockResult(0, 2, (-240, 20), (), (2, 0))]) == -65.0


def test_a_lead_is_the_mean_of_a_match_part() -> None:
    """Over all deals of its blocks."""
    assert lead(blocks([10, -4, 0])) == 1.0


def test_blocks_of_the_same_processes_are_one_observation() -> None:
    """Ten blocks that one mood decided are no more certain than one: as wide as parts alone are."""
    moods = [value for value in drawn(12) for _ in range(10)]
    found = versus([blocks(moods)[at : at + 10] for at in range(0, 120, 10)])
    whole = versus(singly(drawn(12)))
    alone = versus(singly(moods))

    assert (found.parts, found.blocks) == (12, 120)
    assert found.mean == whole.mean
    assert found.los == pytest.approx(whole.los, abs=0.001)
    assert width(alone.mean) < width(found.mean) / 2
    assert width(alone.elo) < width(found.elo) / 2


def test_parts_of_blocks_that_do_not_hang_together_lose_little() -> None:
    """Where processes change nothing, parts of two give nearly the interval of single blocks."""
    values = drawn(400)
    found = versus([blocks(values)[at : at + 2] for at in range(0, 400, 2)])

    assert width(found.mean) == pytest.approx(width(versus(singly(values)).mean), rel=0.1)


def test_deals_charged_unplayed_are_counted() -> None:
    """By bot; blocks that know of none have none."""
    out = BlockResult(1, 2, (-240, 240), (), (1, 0), (1, 0))

    assert versus([[*blocks([3]), out], [out, out]]).unplayed == (3, 0)
    assert versus(singly([3])).unplayed == (0, 0)


def test_a_bot_that_is_benched_inside_a_match_has_one_bad_match() -> None:
    """However many blocks are charged unplayed then; each by itself they would tell equals apart.

    In two of twelve matches A was given up at once.
    """
    values = [*drawn(100), *[-240] * 20]
    found = versus([blocks(values)[at : at + 10] for at in range(0, 120, 10)]).mean
    alone = versus(singly(values)).mean

    assert found.low is not None
    assert found.high is not None
    assert alone.high is not None
    assert found.low < 0 < found.high
    assert alone.high < 0


def test_luck_is_taken_out() -> None:
    """Raw is luck and adjusted together; where luck was all there was, nothing is left to vary."""
    values = drawn(60)
    found = versus(singly(values, [1000 * value - 3000 for value in values]))

    assert found.adjusted is not None
    assert found.luck is not None
    assert found.adjusted.value == 1.5
    assert found.luck + found.adjusted.value == pytest.approx(found.mean.value, abs=0.002)
    assert found.gain == 0


def test_luck_that_is_none_is_no_gain() -> None:
    """Noise taken out of blocks makes them vary more, and that is said."""
    noise = [1000 * value for value in drawn(60, mean=0.1)]

    assert (versus(singly(drawn(60), noise)).gain or 0) > 1.2


def test_without_luck_nothing_is_said_of_it() -> None:
    """It was not counted, or not in every block."""
    some = [*blocks([3], [500]), BlockResult(1, 2, (4, -4), (), (0, 0))]

    for found in (versus(singly([3, 4])), versus([some])):
        assert (found.luck, found.adjusted, found.gain) == (None, None, None)


def test_the_other_way_round_everything_is_the_other_way_round() -> None:
    """Whoever is called A: means, intervals, Elo and the likelihood of superiority."""
    values = drawn(80, mean=3)
    one, other = versus(singly(values)), versus(singly([-value for value in values]))

    assert one.mean.low is not None
    assert other.mean.high == -one.mean.low
    assert other.elo.high == -(one.elo.low or 0)
    assert (one.los or 0) + (other.los or 0) == pytest.approx(1)


def test_the_order_of_parts_does_not_matter() -> None:
    """Not in a single digit, nor does that of blocks in a part."""
    whole = blocks(drawn(50))
    found = [whole[at : at + 2] for at in range(0, 50, 2)]

    assert versus([part[::-1] for part in found[::-1]]) == versus(found)


def test_a_single_part_has_no_interval() -> None:
    """And says nothing about how sure it is, however many blocks it has."""
    for found in (versus(singly([4])), versus([blocks(drawn(40))])):
        assert (found.mean.low, found.mean.high, found.los) == (None, None, None)
        assert (found.elo.low, found.elo.high) == (None, None)


def test_elo_says_how_often_blocks_are_won() -> None:
    """Three of four are 400 log10(3); all of them are a finite number."""
    assert versus(singly([5, 5, 5, -5] * 100)).elo.value == pytest.approx(190.8, abs=2)
    assert 500 < versus(singly([5] * 50)).elo.value < 1500


def test_bots_that_do_the_same_are_level() -> None:
    """Nothing is said for either."""
    found = versus(singly([0] * 20))

    assert (found.mean.value, found.elo.value, found.los) == (0, 0, 0.5)


def test_few_parts_leave_a_doubt() -> None:
    """Even where all of them say the same."""
    assert 0.9 < (versus(singly([1, 1])).los or 0) < 0.99
    assert 0.7 < (versus(singly([1, 30])).los or 0) < 0.9


def test_intervals_hold_the_true_mean() -> None:
    """In some 95 % of comparisons, as simulated; with few blocks too."""
    held = 0
    for number in range(120):
        values = np.rint(dice("held", number).normal(6, 36, 12)).astype(int).tolist()
        found = versus(singly(values)).mean
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 3 <= found.high

    assert 0.88 <= held / 120 <= 1
