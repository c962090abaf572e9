"""Places: by rating, or as a knockout has decided. Pure."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ladder.stats.arrays import Ints
from ladder.stats.estimates import MOST_CROSSED, Estimate
from ladder.stats.observations import Observed
from ladder.stats.ratings import Ratings, rate
from referee.rules.game import Sides

_NOWHERE: Final = (0, 0)

Places = tuple[tuple[int, int], ...]


class Ranking(Struct, frozen=True):
    """How entrants compare.

    Attributes:
        order: those that are ranked, the best first.
        places: the first and the last place that each may claim, by entrant; 0 for an entrant that
            is not ranked or has not played.
        ratings: by entrant; None for those that have not played.
        parts: how many match parts each has played, by entrant.
        better: how probable it is that the bot of a row is better than that of a column, both in
            `order`; None where they are not compared. Empty above `MOST_CROSSED` bots.
        unlinked: entrants by group, the largest first, where no results link the groups; else
            empty.
        misfit: see `Ratings`.
        unordered: see `Ratings`.
    """

    order: tuple[int, ...]
    places: Places
    ratings: tuple[Estimate | None, ...]
    parts: tuple[int, ...]
    better: tuple[tuple[float | None, ...], ...]
    unlinked: tuple[tuple[int, ...], ...]
    misfit: float | None
    unordered: bool


def rank(
    seen: Sequence[Observed],
    bots: int,
    points: Sequence[float],
    *,
    order: Sides = (),
    adjusted: bool = False,
    among: Sequence[int] | None = None,
) -> Ranking:
    """Rank the entrants of a section.

    Args:
        seen: the blocks.
        bots: how many entrants there are.
        points: their block points, which order those with equal ratings.
        order: who came where by the format; entrants that are not in it come after it.
        adjusted: whether luck is taken out before a block is decided.
        among: the entrants that are ranked; the others count in the fit alone. None for all.
    """
    rated = rate(seen, bots, adjusted=adjusted)
    some = range(bots) if among is None else among
    unlinked = _unlinked(rated.groups, some)
    ranked = sorted(some, key=lambda bot: _rank(rated.strengths[bot], points[bot], bot))
    if order:
        known = {bot: group for group, together in enumerate(order) for bot in together}
        ranked.sort(key=lambda bot: known.get(bot, len(order)))
        places = _by_group(known, bots, len(order))
    else:
        places = _by_rating(rated, bots, some)
    return Ranking(
        order=tuple(ranked),
        places=places,
        ratings=rated.strengths,
        parts=rated.lives,
        better=tuple(map(tuple, rated.chances(ranked))) if len(ranked) <= MOST_CROSSED else (),
        unlinked=unlinked,
        misfit=rated.misfit,
        unordered=rated.unordered,
    )


def _rank(rating: Estimate | None, points: float, bot: int) -> tuple[bool, float, float, int]:
    """Those that have not played come last."""
    return rating is None, 0.0 if rating is None else -rating.value, -points, bot


def _by_rating(rated: Ratings, bots: int, among: Sequence[int]) -> Places:
    """The places that each entrant may claim among those that have played, beginning with 1.

    It stands below those that are told apart from it as better, and above those that it is better
    than; all of these statements hold together with a risk of 5 %. Where no results link two bots,
    either may be ahead.
    """
    played = [bot for bot in among if rated.strengths[bot] is not None]
    ahead = rated.told_apart(played)
    above, below = ahead.sum(axis=0).tolist(), ahead.sum(axis=1).tolist()
    found = [_NOWHERE] * bots
    for bot, more, fewer in zip(played, above, below, strict=True):
        found[bot] = (1 + more, len(played) - fewer)
    return tuple(found)


def _unlinked(groups: Ints, among: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The groups of entrants that no results link, if there is more than one."""
    some = np.array(among, np.int64)
    found = [tuple(some[groups[some] == group].tolist()) for group in np.unique(groups[some])]
    linked = [group for group in found if groups[group[0]] >= 0]
    return tuple(sorted(linked, key=lambda one: (-len(one), one))) if len(linked) > 1 else ()


def _by_group(known: dict[int, int], bots: int, rest: int) -> Places:
    """The places of a knockout: those of a group share theirs."""
    groups = [known.get(bot, rest) for bot in range(bots)]
    return tuple(
        (1 + sum(one < group for one in groups), sum(one <= group for one in groups))
        for group in groups
    )
