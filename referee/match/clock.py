"""The clock of one seat, as a value. It is told the time and never asks for it."""

import re
from typing import Final

from msgspec import Struct

from protocol.messages import Clock as ClockShown
from protocol.messages import TimeControl
from referee.errors import RefereeError

DEFAULT_TIME: Final = "move=1s,bank=10s,inc=0ms,soft=50ms,strikes=3,start=10s"
NO_TIME: Final = "none"
"""What stands for a clock that stops no bot: a day for each act."""

_MILLISECONDS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_DURATION: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)")
_LONGEST_MS: Final = 24 * 60 * 60 * 1000
_UNTIMED: Final = "move=24h,bank=0ms,start=24h"


def _milliseconds(name: str, text: str) -> int:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise RefereeError(
            f"time {name}={text!r} is no duration: write it like 200ms, 1.5s, 2m or 1h"
        )
    found = round(float(match[1]) * _MILLISECONDS[match[2]])
    if found > _LONGEST_MS:
        raise RefereeError(f"time {name}={text} is longer than a day")
    return found


def parse_time(text: str) -> TimeControl:
    """Reads a time specification like `move=200ms,bank=10s,inc=100ms`; what is absent is default.

    `none` is a clock that stops no bot.

    Raises:
        RefereeError: naming the part that is wrong.
    """
    parts: dict[str, str] = {}
    text = _UNTIMED if text.strip() == NO_TIME else text
    for part in f"{DEFAULT_TIME},{text}".split(","):
        name, equals, value = part.strip().partition("=")
        if not name and not equals:
            continue
        if name not in ("move", "bank", "inc", "soft", "strikes", "start") or not equals:
            raise RefereeError(
                f"time {part.strip()!r}: write it like {DEFAULT_TIME}, each part optional"
            )
        parts[name] = value
    if not re.fullmatch(r"\d{1,6}", parts["strikes"]):
        raise RefereeError(f"time strikes={parts['strikes']!r} is no number")
    found = {
        f"{name}_ms": _milliseconds(name, parts[name])
        for name in ("start", "move", "bank", "inc", "soft")
    }
    if found["move_ms"] + found["bank_ms"] == 0 or found["start_ms"] == 0:
        raise RefereeError(f"time {text}: move or bank, and start, must be longer than nothing")
    return TimeControl(**found, strikes=int(parts["strikes"]))


def time_text(control: TimeControl) -> str:
    """Return a time control as `parse_time` reads it; "" for the usual one."""
    usual = parse_time("")
    parts = {
        "move": control.move_ms,
        "bank": control.bank_ms,
        "inc": control.inc_ms,
        "soft": control.soft_ms,
        "start": control.start_ms,
    }
    said = [
        f"{name}={_duration(ms)}"
        for name, ms in parts.items()
        if ms != getattr(usual, f"{name}_ms")
    ]
    strikes = [f"strikes={control.strikes}"] if control.strikes != usual.strikes else []
    return ",".join((*said, *strikes))


def _duration(ms: int) -> str:
    return f"{ms // 1000}s" if ms and ms % 1000 == 0 else f"{ms}ms"


class Clock(Struct, frozen=True):
    """What a seat has left, in microseconds.

    An act takes from `move`, then from the bank. What it takes beyond both is a strike as long as
    it is within `soft` and strikes are left; else the act is late.
    """

    control: TimeControl
    bank_us: int
    strikes: int

    @property
    def allowance_us(self) -> int:
        """How long the next act may take before it is late."""
        soft_ms = self.control.soft_ms if self.strikes else 0
        return (self.control.move_ms + soft_ms) * 1000 + self.bank_us

    @property
    def free_us(self) -> int:
        """How long an act may take that leaves the clock as it is; -1: none does."""
        return -1 if self.control.inc_ms else self.control.move_ms * 1000

    def charge(self, used_us: int) -> "Clock":
        """The clock after an act that was in time."""
        if used_us <= self.free_us:
            return self
        over = used_us - self.control.move_ms * 1000
        bank = self.bank_us - max(over, 0)
        strikes = self.strikes - (bank < 0)
        return Clock(self.control, max(bank, 0) + self.control.inc_ms * 1000, strikes)

    def refill(self) -> "Clock":
        """The clock at the next deal: the bank is full again, strikes stay lost."""
        full_us = self.control.bank_ms * 1000
        return self if self.bank_us == full_us else Clock(self.control, full_us, self.strikes)

    def shown(self) -> ClockShown:
        """What the bot is told."""
        return ClockShown(self.control.move_ms, self.bank_us // 1000, self.strikes)


def full_clock(control: TimeControl) -> Clock:
    """The clock at the start of a leg."""
    return Clock(control, control.bank_ms * 1000, control.strikes)
