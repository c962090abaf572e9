"""A machine whose clock does not go as the conductor's does is found: its bots have other time."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from ladder.cluster.clock import FIRST_S, LONGEST_S, MOST_OFF, Clock, Reading, is_off
from support.clusters import FakeMachine, at_rate, cluster

DELAYS = st.floats(0, 30)
RATES = st.floats(1 - MOST_OFF + 0.001, 1 + MOST_OFF - 0.001)


def readings(
    moments: Sequence[float], delays: Iterator[tuple[float, float]], clock: Callable[[float], float]
) -> list[Reading]:
    """What a clock says at some moments; a question and an answer may take their time."""
    return [
        Reading(clock(at), at - before, at + after)
        for at, (before, after) in zip(moments, delays, strict=False)
    ]


@given(RATES, st.lists(st.tuples(st.integers(0, 10**5), DELAYS, DELAYS), min_size=2, max_size=20))
def test_no_delay_makes_a_right_clock_wrong(
    rate: float, taken: list[tuple[int, float, float]]
) -> None:
    """Of questions, of answers, of either for as long as it likes."""
    taken.sort()
    moments = [at for at, _, _ in taken]
    delays = ((before, after) for _, before, after in taken)
    found = readings(moments, delays, lambda at: 5e6 + rate * at)
    assert not any(is_off(one, other) for one, other in pairwise(found))


@given(st.one_of(st.floats(0, 0.85), st.floats(1.15, 100)), st.lists(DELAYS, min_size=6))
def test_a_wrong_clock_is_wrong_whatever_it_began_with(rate: float, delays: list[float]) -> None:
    """Where answers take a fiftieth of the time between them."""
    moments = [60.0 * at for at in range(len(delays))]
    quick = ((delay / 50, 0.0) for delay in delays)
    found = readings(moments, quick, lambda at: rate * at - 1e4)
    assert all(is_off(one, other) for one, other in pairwise(found))


def test_a_clock_that_has_stopped_once_is_right() -> None:
    """As that of a virtual machine that was paused; twice in succession is once too often."""
    clock = Clock(0.0)
    said = [0, 10, 20, 20, 30, 40, 40, 40]  # at each tenth second
    found = [clock.read(Reading(theirs, 10 * at, 10 * at)) for at, theirs in enumerate(said)]
    assert found == [None, None, None, None, None, None, None, 0.0]


def test_a_machine_is_asked_at_once_and_then_ever_less_often() -> None:
    clock, asked = Clock(1000.0), []
    for now in range(1000, 1300):
        if clock.is_due(now):
            clock.ask(now)
            asked.append(now - 1000)
    assert asked == [0, 2, 4, 8, 16, 32, 64, 124, 184, 244]
    assert asked[1] == FIRST_S
    assert asked[-1] - asked[-2] == LONGEST_S


async def watched(
    seconds: float, clock: trio.testing.MockClock, *machines: FakeMachine
) -> list[str]:
    """What is said of machines that are watched for so long."""
    clock.autojump_threshold = 0
    said: list[str] = []
    found, _ = await cluster(*machines, said=said)
    with trio.move_on_after(seconds):
        await found.watch()
    return [line for line in said if "left out" in line]


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.8, 1.3, 10.0])
async def test_a_machine_whose_clock_is_wrong_is_named_within_six_seconds(
    rate: float, tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    odd, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    odd.clock = at_rate(rate)
    (line,) = await watched(6, mock_clock, odd, other)
    assert line == (
        "machine a is left out: its clock, by which bots have their time, goes "
        f"{rate:.2f} times as fast as ours"
    )


@pytest.mark.parametrize("answer", [b"", b"soon", b"nan", b"1e9", b"9" * 400, b"\xff"])
async def test_a_clock_that_says_nonsense_is_none(
    answer: bytes, tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    odd, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    odd.clock = lambda: answer
    (line,) = await watched(30, mock_clock, odd, other)
    assert line == "machine a is left out: it does not answer as a machine does"


async def test_a_machine_that_says_nothing_keeps_nobody(
    tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    """It may be busy; what comes of the matches that it has tells whether it hangs."""
    silent, odd = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    odd.clock = at_rate(0.5)
    mock_clock.autojump_threshold = 0
    said: list[str] = []
    found, _ = await cluster(silent, odd, said=said)
    silent.is_silent = True
    with trio.move_on_after(25):
        await found.watch()
    assert [line.split(":")[0] for line in said if "left out" in line] == ["machine b is left out"]
