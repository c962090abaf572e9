"""The sequential test that engine people know, on blocks instead of pairs of games. Pure.

Wald's test of two hypotheses, that A is better by `elo0` or by `elo1`, with the likelihoods of all
distributions that have such a mean at their largest (GSPRT). Definitions and approximations are
those of Van den Bergh that fishtest and fastchess test by (cantate.be/Fishtest: "Comments on
normalized Elo", 4.2, and "support_MLE_multinomial"). They take a pair of games as one of five
results; both ask only for mean and variance, so a block may have any real value.

- `normalized` (the usual one): Elo is the mean deal value in standard deviations of a single deal,
  times 800/ln 10. It has no unit, so any deal value does.
- `logistic`: Elo is what the expected block score says, a block won being 1 and a level one 1/2;
  this is the scale of ratings.

Unlike a confidence sequence the test is right only about, and only where blocks are many: it takes
the variance from the blocks, and its thresholds leave out by how far they are overshot.
"""

import math
from enum import StrEnum
from typing import Final

from msgspec import Struct

from referee.errors import RefereeError

NORMALIZED: Final = 800 / math.log(10)
"""Normalized Elo of a bot whose mean is a standard deviation of a single deal above nought."""

_SMALLEST: Final = 1e-3
"""So many blocks of either extreme are thought added: no variance is then nought (as fishtest)."""


class Model(StrEnum):
    """What an Elo is."""

    NORMALIZED = "normalized"
    LOGISTIC = "logistic"


class SprtPlan(Struct, frozen=True):
    """The two hypotheses, and the chance to take each for the other.

    Attributes:
        alpha: the chance to say `elo1` where `elo0` holds.
        beta: the chance to say `elo0` where `elo1` holds.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = Model.NORMALIZED

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which `elo0` is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)


class SprtResult(StrEnum):
    """What the test says."""

    H0 = "H0"
    H1 = "H1"
    OPEN = "open"


class Sprt:
    """Takes blocks in, one after the other."""

    def __init__(self, plan: SprtPlan, bound: float, deals: int) -> None:
        """Begins without blocks.

        Args:
            plan: what is tested.
            bound: the largest value that a block can have, and less its smallest.
            deals: how many deals a block has.
        """
        self.plan = plan
        self.blocks = 0
        self.verdict = SprtResult.OPEN
        self._deals = deals
        self._bound = bound if plan.model is Model.NORMALIZED else 0.5
        self._sum = 0.0
        self._squares = 2 * _SMALLEST * self._bound**2

    def add(self, value: float) -> SprtResult:
        """Takes in one block: A's mean deal value. Once decided, blocks change nothing."""
        if self.verdict is not SprtResult.OPEN:
            return self.verdict
        if self.plan.model is Model.LOGISTIC:
            value = ((value > 0) - (value < 0)) / 2
        self.blocks += 1
        self._sum += value
        self._squares += value * value
        ratio = self.ratio
        if ratio >= self.plan.upper:
            self.verdict = SprtResult.H1
        elif ratio <= self.plan.lower:
            self.verdict = SprtResult.H0
        return self.verdict

    @property
    def ratio(self) -> float:
        """The generalised log-likelihood ratio of `elo1` to `elo0`."""
        count = self.blocks + 2 * _SMALLEST
        mean, square = self._sum / count, self._squares / count
        spread = square - mean * mean
        if self.plan.model is Model.NORMALIZED:
            step = math.sqrt(self._deals) / NORMALIZED
            at = mean / math.sqrt(spread)
            far0 = 1 + (at - self.plan.elo0 * step) ** 2
            far1 = 1 + (at - self.plan.elo1 * step) ** 2
        else:
            far0 = spread + (mean - _score(self.plan.elo0)) ** 2
            far1 = spread + (mean - _score(self.plan.elo1)) ** 2
        return count / 2 * math.log(far0 / far1)

    @property
    def elo(self) -> float:
        """Where A stands by these blocks, on the scale of the model."""
        count = self.blocks + 2 * _SMALLEST
        mean = self._sum / count
        if self.plan.model is Model.NORMALIZED:
            spread = self._squares / count - mean * mean
            return mean / math.sqrt(spread * self._deals) * NORMALIZED
        return 400 * math.log10((0.5 + mean) / (0.5 - mean))


def _score(elo: float) -> float:
    """The expected block score above one half."""
    return 1 / (1 + 10 ** (-elo / 400)) - 0.5


def read_sprt(text: str) -> SprtPlan:
    """A plan from a text like elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized; parts optional.

    Raises:
        RefereeError: it is not written so, or makes no sense.
    """
    found: dict[str, float | Model] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals or name not in SprtPlan.__struct_fields__ or name in found:
            names = ", ".join(SprtPlan.__struct_fields__)
            raise RefereeError(f"sprt: {part!r}: write NAME=VALUE, each once; there are {names}")
        try:
            found[name] = Model(value) if name == "model" else float(value)
        except ValueError as error:
            wanted = " or ".join(Model) if name == "model" else "a number"
            raise RefereeError(f"sprt: {name}={value}: it must be {wanted}") from error
    plan = SprtPlan(**found)  # type: ignore[arg-type]  # names and types were seen to above
    if not -1000 <= plan.elo0 < plan.elo1 <= 1000:
        raise RefereeError("sprt: elo0 must be less than elo1, and both within 1000")
    if not (0 < plan.alpha < 1 and 0 < plan.beta < 1 and plan.alpha + plan.beta < 1):
        raise RefereeError("sprt: alpha and beta must lie between 0 and 1, and so must their sum")
    return plan
