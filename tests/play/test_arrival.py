"""Bytes that came while the referee was away: since when they can have lain there."""

import os

import pytest

from referee.play.arrival import Arrival
from support.fake_process import FakeProcess


def test_bytes_lie_there_since_it_was_last_seen_that_there_were_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With what the bot has used since: what it did before is part of its act."""
    process, now_ns = FakeProcess(), [0]
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns[0])
    arrival = Arrival(process)

    def works_on(ms: int) -> None:
        now_ns[0] += ms * 1_000_000
        process.worked_us += ms * 500

    arrival.begin()
    works_on(200)
    arrival.look()
    works_on(70)
    os.write(process.says, b"x")
    assert arrival.is_there()
    for _ in range(2):
        works_on(100)
        arrival.look()
    assert arrival.unread_us() == (270_000, 135_000)
    os.read(process.stdout, 1)
    assert not arrival.is_there()
    arrival.begin()
    assert arrival.unread_us() == (0, 0)
    process.release()
