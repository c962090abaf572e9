"""What happened in a section, told one by one: its rounds, table by table, and its faults. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from ladder.core.tallies import FaultKind
from ladder.results import RoundResult, TableResult
from ladder.standings.table import BotEntry, RoundEntry, TableLine
from ladder.stats.estimates import rounded
from ladder.stats.observations import observed
from referee.match.verdict import FaultCode
from referee.rules.game import Sides


def label_of(number: int, played: RoundResult) -> str:
    """What people call a round; `number` counts from 1."""
    return played.round.label or f"round {number}"


def listed_rounds(
    rounds: Sequence[RoundResult], names: Sequence[str], sides: Sides, *, adjusted: bool
) -> tuple[RoundEntry, ...]:
    """Who met whom, and what came of it.

    Args:
        rounds: in the order of the schedule; the last one may be unfinished.
        names: of the entrants.
        sides: the places that score together; empty where each scores for itself.
        adjusted: whether luck is taken out before blocks are decided.
    """
    return tuple(
        RoundEntry(
            label_of(number, played),
            played.round.first,
            played.round.blocks,
            tuple(names[bot] for bot in played.round.byes),
            tuple(
                TableLine(
                    tuple(_bots(played, table, names, sides, adjusted=adjusted)),
                    len(table.blocks),
                    bool(table.given_up),
                )
                for table in played.tables
            ),
        )
        for number, played in enumerate(rounds, 1)
    )


def _bots(
    played: RoundResult, table: TableResult, names: Sequence[str], sides: Sides, *, adjusted: bool
) -> Iterator[BotEntry]:
    """The bots of a table by place; a block is won by those whom no opponent comes up to."""
    side_of = {place: at for at, side in enumerate(sides) for place in side}
    seen = observed([RoundResult(played.round, (table,))], sides)
    for place, bot in enumerate(table.table.bots):
        side = side_of.get(place, place)
        if not seen:
            yield BotEntry(names[bot], side, 0, 0, 0, None)
            continue
        (part,) = seen
        scored = part.scored(adjusted=adjusted)
        best = scored[:, list(part.opposed[place])].max(axis=1)
        ahead = np.sign(scored[:, place] - best)
        won, level, lost = (int((ahead == sign).sum()) for sign in (1, 0, -1))
        mean = rounded(scored[:, place].sum() / (1000 * part.deals.sum()), 3)
        yield BotEntry(names[bot], side, won, level, lost, mean)


def listed_faults(
    rounds: Sequence[RoundResult], names: Sequence[str]
) -> tuple[FaultKind[str], ...]:
    """The faults that are known one by one; those of a bot that are alike stand together."""
    first: dict[tuple[str, FaultCode, str], str] = {}
    found: Counter[tuple[str, FaultCode, str]] = Counter()
    for number, played in enumerate(rounds, 1):
        for table in played.tables:
            for one in table.fault_list:
                kind = (names[table.table.bots[one.bot]], one.code, one.detail)
                first.setdefault(kind, label_of(number, played))
                found[kind] += 1
    return tuple(FaultKind(*kind, times, first[kind]) for kind, times in found.items())
