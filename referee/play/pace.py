"""Answers that are let through a whole number of paces after their acts, whenever they came."""

import math
from collections.abc import Collection
from typing import Final

import trio

from referee.play.off_turn import OffTurn

_LOOK_S: Final = 0.005
"""While an answer is held back, bots are looked at so often: no clock counts what they use."""


async def held_back(asked_at: float, pace_s: float, bots: Collection[OffTurn]) -> None:
    """Wait for the next beat, and see to it that no bot works until then that may not.

    Args:
        asked_at: when the act began, by trio's clock.
        pace_s: a pace, in seconds.
        bots: all that live.
    """
    paces = max(math.ceil((trio.current_time() - asked_at) / pace_s), 1)
    release = asked_at + paces * pace_s
    while (now := trio.current_time()) < release:
        await trio.sleep_until(min(now + _LOOK_S, release))
        for bot in bots:
            bot.check()
