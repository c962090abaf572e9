"""Answers that are let through a whole number of paces after their acts, whenever they came."""

import math
from collections.abc import Collection

import trio

from referee.play.off_turn import OffTurn
from referee.play.off_turn_table import none_at_work


async def held_back(asked_at: float, pace_s: float, bots: Collection[OffTurn]) -> None:
    """Wait for the next beat, and see to it that no bot works until then that may not.

    Args:
        asked_at: when the act began, by trio's clock.
        pace_s: a pace, in seconds.
        bots: all that live.
    """
    paces = max(math.ceil((trio.current_time() - asked_at) / pace_s), 1)
    async with none_at_work(bots):
        await trio.sleep_until(asked_at + paces * pace_s)
