"""A bot may not keep its memory locked, and is not charged for what others do to it."""

from itertools import repeat

from referee.sandbox.lockout import Lockout


def looks_until_the_end(ran_us: int, *, is_blocked: bool = True, at_most: int = 1000) -> int | None:
    """How many looks there are until a bot that runs so long between them is ended."""
    used_us = 5_000_000
    lockout = Lockout(used_us)
    for look, between_us in enumerate(repeat(ran_us, at_most), 1):
        used_us += between_us
        if lockout.look(used_us, is_blocked=is_blocked):
            return look
    return None


def test_a_bot_has_a_second_of_its_own_time() -> None:
    """However long that takes it, and however often it is looked at."""
    assert [looks_until_the_end(us) for us in (100_000, 50_000, 10_000, 9_000)] == [
        10,
        20,
        100,
        112,
    ]


def test_one_that_does_not_run_has_two_hundred_looks() -> None:
    """Another bot may keep its core meanwhile, for seconds."""
    assert [looks_until_the_end(us) for us in (0, 1, -1_000)] == [200, 200, 200]


def test_who_waits_for_a_processor_is_not_locked_out() -> None:
    assert looks_until_the_end(100_000, is_blocked=False) is None


def test_time_in_which_the_count_went_on_is_not_charged() -> None:
    lockout = Lockout(0)
    found = [lockout.look(turn * 500_000, is_blocked=turn % 4 == 0) for turn in range(1, 8)]
    assert found == [False] * 7
    assert lockout.look(8 * 500_000, is_blocked=True)
    assert lockout.looks == 2
