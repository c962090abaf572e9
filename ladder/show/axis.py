"""The axis of a plot: as wide as what is shown, with ticks at round numbers. Pure."""

from collections.abc import Iterable
from math import ceil, floor, log10

from msgspec import Struct

from ladder.stats.estimates import Estimate


class Scale(Struct, frozen=True):
    """From `low` to `high`, a tick at each multiple of `step`."""

    low: float
    high: float
    step: float

    def share(self, value: float) -> float:
        """Where a value lies between both ends, 0 to 1."""
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """The multiples of `step` from the lowest on."""
        first, last = ceil(self.low / self.step), floor(self.high / self.step)
        return [self.step * at for at in range(first, last + 1)]

    @property
    def digits(self) -> int:
        """How many decimals its ticks have."""
        return max(0, -floor(log10(self.step)))


def scale_of(found: Iterable[Estimate], ticks: int = 5) -> Scale:
    """As wide as values and intervals, with some five ticks; zero is always in it."""
    ends = [end for each in found for end in (each.low, each.high, each.value) if end is not None]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    if high == low:
        low, high = -1.0, 1.0
    pad = (high - low) * 0.03
    low, high = low - pad, high + pad
    rough = (high - low) / ticks
    power = 10.0 ** floor(log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    return Scale(low, high, step)
