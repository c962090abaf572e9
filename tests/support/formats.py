"""Events that are played on paper: rounds from formats, results made up."""

import random
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from ladder.event.formats import FORMATS, Entrants
from ladder.results import Pairing, Round, RoundResult, TableResult
from ladder.terms import FormatName
from referee.match.outcome import BlockResult
from referee.rules.game import Sides

PAIRS: Sides = ((0, 2), (1, 3))
TRIPLES: Sides = ((0, 2, 4), (1, 3, 5))
COUPLES: Sides = ((0, 3), (1, 4), (2, 5))

Brings = Callable[[Pairing, int], Sequence[int] | None]
"""The deal values of a table in a block, by place; None if the host failed."""

DICE = st.integers(0, 2**32).map(random.Random)


def alone(size: int) -> Sides:
    """Each place for itself."""
    return tuple((place,) for place in range(size))


def done(planned: Round, brings: Brings) -> RoundResult:
    """A round as it was played."""
    tables = []
    for table in planned.tables:
        zeros = (0,) * len(table.bots)
        blocks = range(planned.first, planned.first + planned.blocks)
        found = [(block, brings(table, block)) for block in blocks]
        kept = tuple(
            BlockResult(block, 2, tuple(values), (), zeros)
            for block, values in found
            if values is not None
        )
        given_up = "" if len(kept) == planned.blocks else "host"
        tables.append(TableResult(table, kept, 0, zeros, 0, (), zeros, given_up, ""))
    return RoundResult(planned, tuple(tables))


def by_seed(table: Pairing, _: int) -> Sequence[int]:
    """The better seed wins."""
    return [sum(table.bots) - len(table.bots) * bot for bot in table.bots]


def level(table: Pairing, _: int) -> Sequence[int]:
    """Nobody wins."""
    return [0] * len(table.bots)


def rolled(dice: random.Random) -> Brings:
    """Whatever may happen: level tables and failures of the host too."""

    def brings(table: Pairing, _: int) -> Sequence[int] | None:
        return [dice.randint(-2, 2) for _ in table.bots] if dice.random() < 0.9 else None

    return brings


def played(
    kind: FormatName,
    field: Entrants,
    brings: Brings,
    bench: Callable[[], int | None] = lambda: None,
) -> tuple[list[RoundResult], frozenset[int]]:
    """An event to its end, and who was benched on the way."""
    FORMATS[kind].check(field)
    rounds: list[RoundResult] = []
    benched: frozenset[int] = frozenset()
    while (planned := FORMATS[kind].next_round(field, rounds, benched)) is not None:
        _fits(planned, field, benched)
        rounds.append(done(planned, brings))
        one = bench()
        benched |= frozenset() if one is None else {one}
    return rounds, benched


def _fits(planned: Round, field: Entrants, benched: frozenset[int]) -> None:
    """What holds of every round: full tables of those who still play, and decks for them."""
    assert planned.tables
    assert planned.blocks == field.blocks
    for table in planned.tables:
        assert len(set(table.bots)) == len(table.bots) == field.size
    busy = {bot for table in planned.tables for bot in table.bots}
    assert not (busy | set(planned.byes)) & benched
    assert not busy & set(planned.byes)
    assert busy | set(planned.byes) <= set(range(field.entrants))
