"""Estimates as tables show them: a number with its interval, and what luck adds. Pure."""

import math
from typing import Final

from msgspec import Struct

ELO: Final = 400 / math.log(10)
"""Elo in one natural unit: with 400 more a bot wins ten blocks for each that it loses."""

MOST_CROSSED: Final = 100
"""Largest number of bots for which standings have squares of bot against bot."""


def rounded(number: float, digits: int) -> float:
    """A plain number with so many decimals; zero has no sign."""
    return round(float(number), digits) + 0.0


class Estimate(Struct, frozen=True):
    """A number and its 95 % interval; without one where a single block tells nothing of it."""

    value: float
    low: float | None
    high: float | None


class Gain(Struct, frozen=True):
    """Variances of block means round those of their line-up, and with luck taken out."""

    raw: float
    adjusted: float

    @property
    def helps(self) -> bool:
        """Whether taking luck out makes nothing worse."""
        return self.adjusted <= self.raw

    @property
    def ratio(self) -> float | None:
        """The adjusted variance as a part of the raw one; None where all blocks are alike."""
        return round(self.adjusted / self.raw, 3) if self.raw else None
