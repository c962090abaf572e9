"""For how long a bot waits in the kernel for what it cannot be woken from."""

from itertools import count, islice

import pytest

from referee.play import blocked
from referee.play.blocked import Blocked
from support.fake_process import FakeProcess


@pytest.mark.parametrize(
    ("seen", "expected_us"),
    [
        ([False, False], 0),
        ([True], 15),
        ([False, True, False, False], 20),
        ([True, True], 25),
        ([True, False, False, True], 35),
    ],
)
def test_it_counts_from_the_look_before_to_the_next_at_which_it_is_over(
    seen: list[bool], expected_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looks are 10 us apart, and it is asked 5 us after the last."""
    now_us = [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_us[0] * 1000)
    monkeypatch.setattr(FakeProcess, "threads", lambda _: (1,))
    process = FakeProcess()
    it = Blocked(process, 0)
    for is_now in seen:
        now_us[0] += 10
        monkeypatch.setattr(blocked, "is_blocked", lambda _, is_now=is_now: is_now)
        it.look()
    now_us[0] += 5
    assert it.us() == expected_us
    process.release()


def test_a_bot_with_threads_without_end_is_soon_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that began first are looked at: others may be anything."""
    threads = count()
    monkeypatch.setattr(FakeProcess, "threads", lambda _: islice(threads, 1_000_000))
    process = FakeProcess()
    Blocked(process, 0).look()
    assert next(threads) < 100
    process.release()
