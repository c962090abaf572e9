"""What the figures should come to: ratios of what was measured in one round. Pure.

A ratio is taken round by round, then its median: whatever slows the machine slows both of its
parts.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from msgspec import Struct

from referee.bench.figures import LINE

Samples = Mapping[str, Sequence[float]]
"""By figure, a sample a round."""

ACTS_A_DEAL = 40
_ACT_L = {"act.bare.auto": 4.0, "act.bwrap.auto": 4.5}
_FROZEN = {"act.bwrap.always": "act.bwrap.auto"}
_FROZEN_TIMES = 1.5
_DEALS_SHARE = 0.22


class Goal(Struct, frozen=True):
    """A target.

    Attributes:
        text: what is to be reached.
        reached: what was, in the same unit; x is an act that is not frozen.
        met: whether that is enough.
    """

    text: str
    reached: float
    met: bool


def in_l(figure: str, samples: Samples) -> float:
    """How many L a figure in microseconds is: the median over the rounds."""
    return _ratio(samples[figure], samples[LINE])


def goal(figure: str, samples: Samples, cores: int) -> Goal | None:
    """The target of a figure that was measured, or None if it has none."""
    if figure in _ACT_L:
        return _at_most(_ACT_L[figure], in_l(figure, samples))
    if figure in _FROZEN:
        found = _ratio(samples[figure], samples[_FROZEN[figure]])
        return Goal(f"<= {_FROZEN_TIMES} x", found, found <= _FROZEN_TIMES)
    if figure.startswith("deals."):
        possible = [cores * 1e6 / (ACTS_A_DEAL * line) for line in samples[LINE]]
        least = _DEALS_SHARE * median(possible)
        found = _ratio(samples[figure], possible) * median(possible)
        return Goal(f">= {least:,.0f}/s", found, found >= least)
    return None


def _at_most(most: float, found: float) -> Goal:
    return Goal(f"<= {most:.1f} L", found, found <= most)


def _ratio(above: Sequence[float], below: Sequence[float]) -> float:
    return median(a / b for a, b in zip(above, below, strict=True))
