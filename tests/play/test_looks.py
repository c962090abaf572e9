"""When the next look at an act under way is due."""

import time
from itertools import pairwise

import pytest

from referee.play.looks import FIRST_LOOK_NS, Looks
from referee.play.seat import Seat
from support.fake_process import FakeProcess

SECOND_NS = 1_000_000_000


@pytest.mark.parametrize("allowance_us", [100_000, 11_000_000, 3_600_000_000])
def test_a_bot_that_begins_to_work_meanwhile_has_a_fifth_of_the_time_until_then(
    allowance_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had a hundredth of an act's limit: 196 ms of one of 200, where the bank was a minute.

    In a long act they are as rare as ever, and never nearer than ten milliseconds.
    """
    now_ns = [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    process = FakeProcess()
    looks = Looks(Seat(0, process), 0, allowance_us, 0)
    assert looks.rest_s() == FIRST_LOOK_NS / 1e9
    at = [0]
    while at[-1] < allowance_us * 1000:
        now_ns[0] += round(looks.rest_s() * 1e9)
        at.append(now_ns[0])
        assert looks.end_rest() == 0
    rests_ns = [later - earlier for earlier, later in pairwise(at)][1:]
    longest_ns = max(min(allowance_us * 10, SECOND_NS), 10_000_000)
    assert all(
        rest <= max(earlier / 5, 10_000_000) + 1
        for rest, earlier in zip(rests_ns, at[1:], strict=False)
    )
    assert min(rests_ns) == 10_000_000
    assert longest_ns - 1 <= max(rests_ns) <= longest_ns
    process.release()


def test_what_the_referee_did_itself_is_no_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    """To see to other bots puts the next look off, and other work is taken off."""
    now_ns, used_ns = [0], [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    monkeypatch.setattr("time.thread_time_ns", lambda: used_ns[0])
    process = FakeProcess()
    seat = Seat(0, process)
    monkeypatch.setattr(seat.standstill, "end", lambda late_us: late_us // 10)
    looks = Looks(seat, 0, 100_000, 0)
    looks.be_away(7_000_000, 2_000_000)
    used_ns[0] = 5_000_000
    now_ns[0] = FIRST_LOOK_NS + 7_000_000 + 20_000_000
    assert looks.end_rest() == 2000
    assert looks.late_us == 18_000
    assert seat.lag_us == 18_000 - 3000
    process.release()


def test_time_is_what_the_clock_says() -> None:
    """A rest is over when it is due."""
    process = FakeProcess()
    looks = Looks(Seat(0, process), time.perf_counter_ns() - SECOND_NS, 100_000, 0)
    assert looks.rest_s() == 0
    process.release()
