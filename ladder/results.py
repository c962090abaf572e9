"""What an event has played so far: the input of formats, standings, ratings and benching. Pure."""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Final

from msgspec import Struct

from referee.match.outcome import BlockResult, FaultFound

FAULTS_KEPT: Final = 20
"""How many faults of a table are kept in words; all are counted."""


class Pairing(Struct, frozen=True):
    """A table of a round: entrants by number, in the order in which they hold seats or sides.

    Where single bots play in partnerships, the order is that of the seats, so partners are those
    whose seats score together.
    """

    bots: tuple[int, ...]


class Round(Struct, frozen=True):
    """What is played next: tables that do not wait for each other, all with the same decks.

    Attributes:
        first: the index of the first block.
        blocks: how many blocks each table plays.
        byes: entrants that rest in this round.
        label: what people call it: "round 3", "semi-final".
    """

    tables: tuple[Pairing, ...]
    first: int
    blocks: int
    byes: tuple[int, ...] = ()
    label: str = ""


class TableResult(Struct, frozen=True):
    """A table that was played.

    Attributes:
        blocks: its finished blocks, by index; fewer than the round has where the host failed.
            In `BlockResult`, bots are numbered by their place in `table.bots`.
        used_us: what each bot's clock was charged, by place in `table.bots`.
        voids: deals that were void, by the bot whose act it was.
        given_up: why blocks are missing; "" if none are.
        faults: all faults by place, those after the last deal of a match included; empty where
            they were not counted.
        parts: how many blocks each match part finished, in the order of the blocks; empty where the
            same processes played them all.
        begun: how many parts of this table were begun before each, in the order of `parts`; empty
            where they were begun in that order.
        forfeits: the bots that were benched before each part, in the order of `parts`; empty where
            there are none.
    """

    table: Pairing
    blocks: tuple[BlockResult, ...]
    acts: int
    used_us: tuple[int, ...]
    wall_us: int
    fault_list: tuple[FaultFound, ...]
    voids: tuple[int, ...]
    given_up: str
    game_digest: str
    faults: tuple[int, ...] = ()
    parts: tuple[int, ...] = ()
    begun: tuple[int, ...] = ()
    forfeits: tuple[tuple[int, ...], ...] = ()

    def played_by(self, bot: int) -> tuple[BlockResult, ...]:
        """The blocks of the matches that a bot did not forfeit."""
        if not self.forfeits:
            return self.blocks
        of_part = chain.from_iterable(map(repeat, self.forfeits, self.parts))
        return tuple(
            block for block, benched in zip(self.blocks, of_part, strict=True) if bot not in benched
        )


class RoundResult(Struct, frozen=True):
    """A round that is finished; `tables` in the order of `round.tables`."""

    round: Round
    tables: tuple[TableResult, ...]


def less_luck(values: Sequence[int], luck: Sequence[int]) -> list[int]:
    """What is left of values without what chance brought, in thousandths; luck is in those, too."""
    return [1000 * value - part for value, part in zip(values, luck, strict=True)]
