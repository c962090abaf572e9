"""Places: by rating, or as a knockout has decided. Pure."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from ladder.bootstrap import REPLICATES
from ladder.numbering import distinct
from ladder.observed import Observed
from ladder.rating import Better, places, rate
from ladder.scoreboard import Estimate
from referee.rules import Sides

LARGE_FIELD: Final = 64
REPLICATES_OF_LARGE_EVENT: Final = 200
"""How often blocks are drawn for a larger field: a fit takes more than the cube of the bots."""

_NOWHERE: Final = (0, 0)


class Ranking(Struct, frozen=True):
    """How entrants compare.

    Attributes:
        order: those that are ranked, the best first.
        places: the first and the last place that each may claim, by entrant; 0 for who is not
            ranked.
        ratings: by entrant; None for those who played nothing that counts.
        better: how probable it is that the row's entrant is the better one, by entrant.
    """

    order: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    ratings: tuple[Estimate | None, ...]
    better: tuple[tuple[float | None, ...], ...]


def rank(
    seen: Sequence[Observed],
    bots: int,
    points: Sequence[float],
    *,
    order: Sides = (),
    adjusted: bool = False,
    replicates: int | None = None,
    among: Sequence[int] | None = None,
) -> Ranking:
    """Ranks the entrants of a section.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        points: their block points, which order those with equal ratings.
        order: who came where by the format; whoever is not in it comes after it.
        adjusted: whether luck is taken out before a block is decided.
        replicates: how often blocks are drawn; None for as often as in an event.
        among: the entrants that are ranked; the others count in the fit alone. None for all.
    """
    if replicates is None:
        replicates = REPLICATES if bots <= LARGE_FIELD else REPLICATES_OF_LARGE_EVENT
    rated = rate(seen, bots, adjusted=adjusted, replicates=replicates)
    groups = _groups(seen, rated.strengths)
    unrated = frozenset(groups[-1])
    ratings = tuple(None if bot in unrated else one for bot, one in enumerate(rated.strengths))
    if among is not None:
        some = frozenset(among)
        groups = tuple(tuple(bot for bot in group if bot in some) for group in groups)
    by_rating = [
        bot
        for group in groups
        for bot in sorted(group, key=lambda bot: _rank(ratings[bot], points[bot], bot))
    ]
    if not order:
        return Ranking(tuple(by_rating), _by_better(groups, rated.better), ratings, rated.better)
    known = {bot: group for group, bots in enumerate(order) for bot in bots}
    ranked = sorted(by_rating, key=lambda bot: known.get(bot, len(order)))
    return Ranking(tuple(ranked), _by_group(known, bots, len(order)), ratings, rated.better)


def _groups(
    seen: Sequence[Observed], ratings: Sequence[Estimate | None]
) -> tuple[tuple[int, ...], ...]:
    """Those compared with others; those not rated yet; those who have only faults to their name.

    The last ones are rated against the reference alone, which says nothing of the others: who does
    not get through a block cannot be ahead of those whose blocks it has cost.
    """
    compared = {int(bot) for part in seen for bot in distinct(part.bots[part.whole])}
    everybody = range(len(ratings))
    return (
        tuple(bot for bot in everybody if bot in compared),
        tuple(bot for bot in everybody if ratings[bot] is None),
        tuple(bot for bot in everybody if ratings[bot] is not None and bot not in compared),
    )


def _rank(rating: Estimate | None, points: float, bot: int) -> tuple[float, float, int]:
    return 0.0 if rating is None else -rating.value, -points, bot


def _by_better(groups: Sequence[Sequence[int]], better: Better) -> tuple[tuple[int, int], ...]:
    """The places of one group after the other; those who cannot be told apart share theirs."""
    found: dict[int, tuple[int, int]] = {}
    for group in groups:
        above = len(found)
        among = places(tuple(tuple(better[one][other] for other in group) for one in group))
        claims = [(above + first, above + last) for first, last in among]
        found.update(zip(group, claims, strict=True))
    return tuple(found.get(bot, _NOWHERE) for bot in range(len(better)))


def _by_group(known: dict[int, int], bots: int, rest: int) -> tuple[tuple[int, int], ...]:
    """The places of a knockout: those of a group share theirs."""
    groups = [known.get(bot, rest) for bot in range(bots)]
    return tuple(
        (1 + sum(one < group for one in groups), sum(one <= group for one in groups))
        for group in groups
    )
