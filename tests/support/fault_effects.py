"""What faults bring to a bot, and to its friend, measured over many fields."""

from collections.abc import Callable, Iterator, Sequence
from statistics import mean, stdev
from typing import Final

from msgspec import Struct

from ladder.results import RoundResult
from ladder.stats.observations import observed
from ladder.stats.ratings import rate
from support.faulters import (
    ATTACKER,
    FRIEND,
    Field,
    SimulatedBot,
    for_a_friend,
    never,
    results,
    when_last,
    when_not_first,
)

RANK_NOISE: Final = 0.25
"""Ranks among others that come and go with a sock puppet's own rating."""


def elo(field: Field, played: Sequence[RoundResult]) -> tuple[float, ...]:
    """Return the rating of each bot on the scale of Elo; all ratings here are asked for here."""
    found = rate(observed(played, ()), field.bots).strengths
    return tuple(0.0 if one is None else one.value for one in found)


def rank(ratings: Sequence[float], bot: int, among: Sequence[int]) -> float:
    """Return 1 and how many are rated above a bot; those that are level count half."""
    others = [ratings[at] for at in among if at != bot]
    above = sum(rating > ratings[bot] for rating in others)
    return 1 + above + sum(rating == ratings[bot] for rating in others) / 2


class Effect(Struct, frozen=True):
    """What faults have changed, field by field.

    Attributes:
        field: where.
        attack: what the attacker did.
        unit: what is counted.
        honest: with an attacker that never faults.
        faulting: with the same cards and bots, and faults.
    """

    field: Field
    attack: str
    unit: str
    honest: tuple[float, ...]
    faulting: tuple[float, ...]

    @property
    def change(self) -> tuple[float, float, float]:
        """The mean change, and the ends of its 95 % interval."""
        apart = [after - before for before, after in zip(self.honest, self.faulting, strict=True)]
        middle, half = mean(apart), 1.96 * stdev(apart) / len(apart) ** 0.5
        return middle, middle - half, middle + half

    def text(self) -> str:
        """In one line."""
        middle, low, high = self.change
        where = f"{self.field.game}, {self.field.bots} bots, {self.attack}: {self.unit}"
        return (
            f"{where}: {mean(self.honest):.2f} -> {mean(self.faulting):.2f}, "
            f"change {middle:+.2f} ({low:+.2f} to {high:+.2f})"
        )


_WEAK, _BETTER = SimulatedBot(slips=1.0, bids=0.5), SimulatedBot(slips=0.7)
_EQUAL = SimulatedBot()
_FAULTER: Final = (
    Field("biscambiggia-3", 3, 6, _WEAK, _BETTER, blocks=3),
    Field("briscola-chiamata-points", 5, 5, _WEAK, _BETTER, blocks=3),
)
_FRIEND: Final = (
    Field("biscambiggia-3", 3, 12, _EQUAL, _EQUAL, blocks=5),
    Field("briscola-chiamata-points", 5, 12, _EQUAL, _EQUAL, blocks=5),
)


def faulter(fields: int) -> Iterator[Effect]:
    """Measure what a bot below average gains by its faults, in Elo, over so many fields."""
    for field in _FAULTER:
        honest = [elo(field, results(field, str(one), never)) for one in range(fields)]
        for name, attack in (("faults when last", when_last), ("when not first", when_not_first)):
            faulting = [elo(field, results(field, str(one), attack)) for one in range(fields)]
            yield Effect(
                field,
                name,
                "its Elo",
                tuple(one[ATTACKER] for one in honest),
                tuple(one[ATTACKER] for one in faulting),
            )


def friend(fields: int) -> Iterator[Effect]:
    """Measure what a friend gains by a sock puppet's faults, over so many fields of equal bots.

    Its rank among all is better already where the sock puppet falls behind it. What it gains on the
    others tells its rating among them, and its rank.
    """
    attack = for_a_friend(FRIEND)
    units: dict[str, Callable[[Sequence[float]], float]] = {
        "the friend's rank of 12": lambda ratings: rank(ratings, FRIEND, range(12)),
        "its rank of 11, the sock puppet aside": lambda ratings: rank(
            ratings, FRIEND, range(1, 12)
        ),
        "its Elo less the others' mean": lambda ratings: ratings[FRIEND] - mean(ratings[2:]),
    }
    for field in _FRIEND:
        honest = [elo(field, results(field, str(one), never)) for one in range(fields)]
        faulting = [elo(field, results(field, str(one), attack)) for one in range(fields)]
        for unit, of in units.items():
            yield Effect(
                field,
                "faults when the friend does not win",
                unit,
                tuple(map(of, honest)),
                tuple(map(of, faulting)),
            )


def pays(effect: Effect) -> bool:
    """Whether a fault has brought something beyond noise: Elo, or a better rank."""
    _, low, high = effect.change
    if "rank" in effect.unit:
        return "aside" in effect.unit and high < -RANK_NOISE
    return low > 0
