"""Who plays no more, since it faults again and again or its deals are void. Pure.

Decided between rounds from the finished ones only, so that the order in which tables finish
changes nothing. Whoever is benched stays benched.
"""

from collections.abc import Sequence
from typing import Final

from ladder.results import RoundResult

TIMES_THE_FIELD: Final = 3
"""So many times as many void deals as the others bench a bot (DESIGN 6)."""


class _Count:
    """What counts against one bot."""

    def __init__(self) -> None:
        self.blocks = 0
        self.faulty = 0
        self.deals = 0
        self.voids = 0


def benched(entrants: int, least: int, played: Sequence[RoundResult]) -> dict[int, str]:
    """The entrants that play no more, and why, in the order in which they were benched.

    A bot is benched that was faulted in `least` blocks or more and in more than half of all that
    it has played, where deals that its match did not play after its third fault count alike; or in
    whose acts `least` deals or more became void, three times as many of its deals as of the others'
    together.

    Args:
        entrants: how many there are.
        least: so few do not bench anybody; with 0, nothing does.
        played: the finished rounds of a section.
    """
    found: dict[int, str] = {}
    counts = [_Count() for _ in range(entrants)]
    for one in played:
        _add(counts, one)
        for bot in range(entrants if least else 0):
            reason = None if bot in found else _reason(counts, bot, least)
            if reason is not None:
                found[bot] = reason
    return found


def _add(counts: list[_Count], played: RoundResult) -> None:
    for result in played.tables:
        for place, bot in enumerate(result.table.bots):
            count = counts[bot]
            count.blocks += len(result.blocks)
            count.faulty += sum(block.at_fault[place] for block in result.blocks)
            count.deals += sum(block.deals for block in result.blocks) + sum(result.voids)
            count.voids += result.voids[place]


def _reason(counts: list[_Count], bot: int, least: int) -> str | None:
    own = counts[bot]
    if own.faulty >= least and 2 * own.faulty > own.blocks:
        return f"faults in {own.faulty} of {own.blocks} blocks"
    others = [count for at, count in enumerate(counts) if at != bot]
    deals, voids = sum(one.deals for one in others), sum(one.voids for one in others)
    if own.voids >= least and own.voids * deals >= TIMES_THE_FIELD * voids * own.deals:
        return f"{own.voids} of {own.deals} deals void; of the others' {voids} of {deals}"
    return None
