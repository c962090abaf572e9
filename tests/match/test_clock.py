"""referee.match.clock: what a seat has left, told the time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.match.clock import Clock, full_clock, parse_time

CONTROL = parse_time("move=100ms,bank=1s,inc=10ms,soft=20ms,strikes=2,start=5s")


def test_parts_are_optional_and_have_units() -> None:
    """What is left out is the default; durations are ms, s, m or h."""
    control = parse_time("move=1.5s,bank=2m")

    assert (control.move_ms, control.bank_ms) == (1500, 120_000)
    assert control == parse_time(" move=1500ms, bank=120s ,")
    assert parse_time("").start_ms == 10_000
    assert parse_time("bank=1h,start=90s") == parse_time("bank=60m,start=1.5m")


def test_none_is_a_clock_that_stops_no_bot() -> None:
    """A day for each act, and for the start."""
    control = parse_time("none")

    assert full_clock(control).allowance_us == (86_400_000 + control.soft_ms) * 1000
    assert control.start_ms == 86_400_000


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("move=1", "duration"),
        ("move=-1s", "duration"),
        ("move=", "duration"),
        ("move=1d", "duration"),
        ("move=2000m", "longer than a day"),
        ("mov=1s", "each part optional"),
        ("1s", "each part optional"),
        ("strikes=x", "no number"),
        ("strikes=-1", "no number"),
        ("move=0ms,bank=0s", "longer than nothing"),
        ("start=0s", "longer than nothing"),
    ],
)
def test_what_is_no_time_is_refused(text: str, word: str) -> None:
    """A wrong part is named."""
    with pytest.raises(RefereeError, match=word):
        parse_time(text)


def test_an_act_takes_from_move_then_from_the_bank() -> None:
    """Within `move` the bank stays whole; beyond it the bank pays; `inc` comes after each act."""
    clock = full_clock(CONTROL)
    assert clock.charge(100_000).bank_us == 1_010_000
    assert clock.charge(100_001).bank_us == 1_009_999
    assert clock.charge(600_000).bank_us == 510_000
    assert clock.charge(600_000).refill().bank_us == 1_000_000


def test_a_little_more_than_everything_is_a_strike() -> None:
    """Beyond move and bank, within soft: the bank is empty and a strike is gone."""
    clock = full_clock(CONTROL)
    assert clock.allowance_us == 1_120_000
    assert clock.charge(1_100_000).strikes == 2
    after = clock.charge(1_100_001)
    assert (after.bank_us, after.strikes) == (10_000, 1)
    none_left = Clock(CONTROL, 0, 0)
    assert none_left.allowance_us == 100_000
    assert after.refill().strikes == 1


@given(st.lists(st.integers(0, 1_200_000)))
def test_no_one_ever_takes_more_than_there_is(uses: list[int]) -> None:
    """In-time acts of a deal add up to no more than move, bank, inc and the strikes allow."""
    clock, used, acts, soft = full_clock(CONTROL), 0, 0, 0
    for use in uses:
        if use > clock.allowance_us:
            continue
        before = clock.strikes
        clock = clock.charge(use)
        used, acts, soft = used + use, acts + 1, soft + (before - clock.strikes)
        assert clock.bank_us >= 0
        assert clock.strikes >= 0

    assert used <= acts * 110_000 + 1_000_000 + soft * 20_000


def test_the_bot_is_told_whole_milliseconds_rounded_down() -> None:
    """What a bot is told it has, it has."""
    shown = Clock(CONTROL, 1_999, 1).shown()
    assert (shown.move_ms, shown.bank_ms, shown.strikes) == (100, 1, 1)
