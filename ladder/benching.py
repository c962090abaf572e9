"""Who plays no more, since it faults again and again or its deals are void. Pure.

In events it is decided between rounds from the finished ones only, so that the order in which
tables finish changes nothing, and inside a round by `ladder.event.forfeits`; in ladders after each
match. A bot that is benched stays benched.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ladder.results import RoundResult
from referee.match.outcome import BlockResult

TIMES_THE_FIELD: Final = 3
"""So many times as many void deals as the others bench a bot."""


class Misconduct(Struct, frozen=True):
    """What counts against a bot, or against several together.

    Attributes:
        blocks: how many it has played.
        faulty: in how many of them something was charged to it.
        deals: how many it was dealt, void ones included.
        voids: how many of them became void in its acts.
    """

    blocks: int = 0
    faulty: int = 0
    deals: int = 0
    voids: int = 0


def counted(blocks: Sequence[BlockResult], voids: Sequence[int], place: int) -> Misconduct:
    """What a match counts against the bot at a place.

    Args:
        blocks: those that were finished.
        voids: deals that were void, by the place whose act it was.
        place: of the bot.
    """
    return Misconduct(
        len(blocks),
        sum(block.at_fault[place] for block in blocks),
        sum(block.deals for block in blocks) + sum(voids),
        voids[place],
    )


def total(counts: Iterable[Misconduct]) -> Misconduct:
    """The sum of counts."""
    blocks = faulty = deals = voids = 0
    for one in counts:
        blocks, faulty = blocks + one.blocks, faulty + one.faulty
        deals, voids = deals + one.deals, voids + one.voids
    return Misconduct(blocks, faulty, deals, voids)


def recent(newest_first: Iterable[Misconduct], least: int) -> Misconduct:
    """What the last matches count against a bot, as many as make twice `least` blocks.

    Where there is no end, who has played well for a year must not be allowed to fail for another.

    Args:
        newest_first: what each of its matches counts against it.
        least: as in `reason`.
    """
    found: list[Misconduct] = []
    blocks = 0
    for one in newest_first:
        if blocks >= 2 * least:
            break
        found.append(one)
        blocks += one.blocks
    return total(found)


def reason(
    own: Misconduct, others: Iterable[Misconduct], least: int, *, last: bool = False
) -> str | None:
    """Why a bot is benched, in words; None if it plays on.

    A bot is benched that was faulted in `least` blocks or more and in more than half of all that
    it has played, where deals that its match did not play after its third fault count alike; or in
    whose acts `least` deals or more became void, three times as many of its deals as of the others'
    together.

    Args:
        own: what counts against it.
        others: what counts against the others of its field.
        least: so few do not bench anybody; with 0, nothing does.
        last: whether what counts against it are its last blocks only.
    """
    if least and own.faulty >= least and 2 * own.faulty > own.blocks:
        return f"faults in {own.faulty} of {'its last ' if last else ''}{own.blocks} blocks"
    if not least or own.voids < least:
        return None
    field = total(others)
    if own.voids * field.deals < TIMES_THE_FIELD * field.voids * own.deals:
        return None
    return f"{own.voids} of {own.deals} deals void; of the others' {field.voids} of {field.deals}"


def benched(entrants: int, least: int, played: Sequence[RoundResult]) -> dict[int, str]:
    """The entrants that play no more, and why, in the order in which they were benched.

    Args:
        entrants: how many there are.
        least: as in `reason`.
        played: the finished rounds of a section.
    """
    found: dict[int, str] = {}
    counts = [Misconduct()] * entrants
    for one in played:
        for result in one.tables:
            for place, bot in enumerate(result.table.bots):
                more = counted(result.played_by(bot), result.voids, place)
                counts[bot] = total((counts[bot], more))
        for bot in range(entrants):
            others = (count for at, count in enumerate(counts) if at != bot)
            why = None if bot in found else reason(counts[bot], others, least)
            if why is not None:
                found[bot] = why
    return found
