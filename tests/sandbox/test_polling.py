"""Without control groups a bot is looked at, and cannot make us wait for what we look at."""

import os
import threading
import time
from itertools import count

import pytest
from trio.testing import MockClock

from referee.sandbox import polling
from referee.sandbox.polling import PolledGroup


async def test_memory_that_stays_locked_is_too_much(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """A second in which the bot runs is waited for the lock, in a thread."""
    unlocked = threading.Event()
    monkeypatch.setattr(polling, "mappings_kib", lambda *_: int(unlocked.wait()))
    monkeypatch.setattr(polling, "is_blocked", lambda _: True)  # an event is no lock of the kernel
    used_us = count(step=50_000)
    monkeypatch.setattr(PolledGroup, "_used_us", lambda _: next(used_us))
    try:
        assert await PolledGroup(4096)._has_too_much((os.getpid(),))
    finally:
        unlocked.set()


async def test_memory_that_cannot_be_read_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a bot makes of what /proc says of it, no look ends the referee."""

    def unreadable(*_: object) -> int:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    monkeypatch.setattr(polling, "mappings_kib", unreadable)
    assert await PolledGroup(4096)._has_too_much((os.getpid(),))


async def test_memory_that_is_not_locked_is_counted() -> None:
    """As that of this process, which has more than one MiB, and less than four GiB."""
    found = [await PolledGroup(mib)._has_too_much((os.getpid(),)) for mib in (1, 4096)]
    assert found == [True, False]


async def test_a_look_that_waits_for_a_processor_ends_no_bot(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """A machine with other work is no bot's doing, however long it takes."""
    done, looks = threading.Event(), 0

    def starved(_: int) -> bool:
        nonlocal looks
        looks += 1
        if looks == 60:
            done.set()
        return False

    monkeypatch.setattr(polling, "is_blocked", starved)
    assert await PolledGroup(4096)._in_time(done.wait)
    assert looks >= 60


def test_a_count_that_took_long_is_not_made_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three for each look at another bot that was to move kept that from its core."""
    group, made = polling.PolledGroup(64), list[int]()
    worked_ns, now_ns = [0], [0]
    monkeypatch.setattr(time, "thread_time_ns", lambda: worked_ns[0])
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns[0])

    def members() -> tuple[int, ...]:
        made.append(now_ns[0])
        worked_ns[0] += 10_000_000
        now_ns[0] += 10_000_000
        return ()

    monkeypatch.setattr(group, "members", members)
    while now_ns[0] < 200_000_000:
        group.recount()
        now_ns[0] += 1_000_000
    assert made == [0, 40_000_000, 80_000_000, 120_000_000, 160_000_000]


def group_of(used: dict[int, int], monkeypatch: pytest.MonkeyPatch) -> PolledGroup:
    """A group of process 1, which uses nothing, and of others that have used so much."""
    root, first = 1 << 30, 1 << 29
    monkeypatch.setattr(polling, "descendants", lambda _: set(used))
    monkeypatch.setattr(polling, "cpu_us", lambda pid, waited=True: used[pid])
    monkeypatch.setattr(polling, "children", {root: {first}, first: {1}}.__getitem__)
    monkeypatch.setattr(time, "clock_gettime_ns", lambda _: 0)
    group = PolledGroup(64)
    group.begin(root)
    assert group.cpu_us() == 0
    return group


def test_what_children_use_is_known_when_it_is_recounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looks they can stop a core, and who is to move then must not pay for it."""
    group = group_of({1: 10_000, 2: 300_000}, monkeypatch)
    group.recount()

    assert group.cpu_us() == 300_000


def test_what_children_have_used_in_an_act_is_no_work_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Found later it is left out; once a bot is known to have any, an act's end counts them."""
    used = {1: 10_000, 2: 0}
    group = group_of(used, monkeypatch)
    seen_us = []
    for in_act_us, later_us in ((5_000, 0), (0, 300), (7_000, 0), (0, 300)):
        used[2] += in_act_us
        if in_act_us:
            group.end_act()
            seen_us.append(group.cpu_us())
        used[2] += later_us
        group.recount()
        seen_us.append(group.cpu_us())

    assert seen_us == [0, 0, 300, 7_300, 7_300, 7_600]
