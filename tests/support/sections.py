"""Sections of an event that nobody played: strengths, cards that are good or bad, and dice."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ladder.results import Pairing, Round, RoundResult, TableResult
from ladder.standings.section import Section
from referee.match.outcome import BlockResult, FaultFound
from referee.match.verdict import FaultCode

NAMES = ("greedy", "counting-c", "first", "random", "last", "highest", "trumps", "sleepy")


def block(
    index: int,
    values: Sequence[int],
    *,
    deals: int = 2,
    luck: Sequence[int] = (),
    faults: Sequence[int] = (),
) -> BlockResult:
    """A block."""
    return BlockResult(
        block=index,
        deals=deals,
        values=tuple(values),
        luck=tuple(luck),
        faults=tuple(faults) or (0,) * len(values),
    )


def table(
    bots: Sequence[int],
    blocks: Sequence[BlockResult],
    *,
    faults: Sequence[FaultFound] = (),
    given_up: str = "",
    slow: int = 1,
    parts: Sequence[int] = (),
) -> TableResult:
    """A table of so many blocks.

    Args:
        bots: who sits at it.
        blocks: what it has finished.
        faults: those that are told one by one.
        given_up: why blocks are missing.
        slow: how much longer its bots thought.
        parts: how many blocks each match part has; left out, each block has processes of its own.
    """
    deals = sum(one.deals for one in blocks)
    return TableResult(
        table=Pairing(tuple(bots)),
        blocks=tuple(blocks),
        acts=40 * deals,
        used_us=tuple(slow * 1000 * (bot + 1) * deals for bot in bots),
        wall_us=slow * 5000 * deals,
        fault_list=tuple(faults),
        voids=(0,) * len(bots),
        given_up=given_up,
        game_digest="0" * 64,
        parts=tuple(parts) or (1,) * len(blocks),
    )


def played(tables: Sequence[TableResult], *, blocks: int, label: str = "round 1") -> RoundResult:
    """A round of those tables."""
    planned = Round(
        tables=tuple(one.table for one in tables), first=0, blocks=blocks, byes=(), label=label
    )
    return RoundResult(planned, tuple(tables))


def round_robin(bots: int = 4, *, blocks: int = 40, seed: int = 1, slow: int = 1) -> Section:
    """Everybody against everybody over the same decks; a bot of a lower number is better.

    What the cards bring is luck of both seats together, so half of it is left in a block.
    """
    dice = np.random.default_rng(seed)
    names = tuple(NAMES[bot] if bot < len(NAMES) else f"bot-{bot}" for bot in range(bots))
    tables = []
    for one, other in combinations(range(bots), 2):
        luck = dice.integers(-30_000, 30_001, blocks)
        value = np.rint(luck / 1000 + dice.normal(6 * (other - one), 20, blocks)).astype(int)
        tables.append(
            table(
                (one, other),
                [
                    block(index, (int(left), -int(left)), luck=(int(chance), -int(chance)))
                    for index, (left, chance) in enumerate(zip(value, luck, strict=True))
                ],
                slow=slow,
            )
        )
    return Section(
        game="briscola-2",
        format="round-robin",
        names=names,
        rounds=(played(tables, blocks=blocks),),
    )


def tables_of(seats: int, bots: int, *, tables: int, blocks: int, seed: int = 1) -> Section:
    """Tables of many, each bot for itself; a bot of a lower number is better."""
    dice = np.random.default_rng(seed)
    rounds = []
    for _ in range(tables):
        who = [int(bot) for bot in dice.permutation(bots)[:seats]]
        drawn = np.rint(dice.normal([-5.0 * bot for bot in who], 20, (blocks, seats))).astype(int)
        rounds.append(
            table(who, [block(at, row.tolist(), deals=6) for at, row in enumerate(drawn)])
        )
    return Section(
        game="briscola-3",
        format="balanced tables",
        names=tuple(f"bot-{bot}" for bot in range(bots)),
        rounds=(played(rounds, blocks=blocks),),
    )


def fault(bot: int, code: FaultCode = FaultCode.LATE, detail: str = "no answer") -> FaultFound:
    """A fault of the bot at that place of the table."""
    return FaultFound(0, 1, 0, bot, bot, code, detail)
