"""The standings of a section, as values; `ladder.standings.section` makes them. Pure.

All numbers are rounded already, so that every way to show them shows the same. Nothing follows from
time but what is named for it.
"""

from typing import Final

from msgspec import Struct

from ladder.core.tallies import FaultKind
from ladder.standings.favours import Favours
from ladder.stats.estimates import Estimate, Gain


class Time(Struct, frozen=True):
    """What a bot's clock was charged.

    Attributes:
        used_us: in all.
        acts: its part of the decisions: those of a table, shared out evenly.
    """

    used_us: int
    acts: float

    @property
    def ms_per_act(self) -> float | None:
        """Milliseconds, None if it was never asked."""
        return round(self.used_us / 1000 / self.acts, 4) if self.acts else None


_AGAIN: Final = {
    "first": "at_first_tables",
    "tables": "at_later_tables",
    "beyond": "beyond_chance",
}
"""What the fields of `Again` are called in JSON, where no other fields say what they are about."""


class Again(Struct, frozen=True, rename=_AGAIN):
    """What later meetings of a deck brought a bot more than the first one, a deal.

    Attributes:
        difference: of the legs of all blocks that count.
        first: of those at its first table of each deck; None where tables do not share decks.
        tables: of its later tables of each deck and the first; None likewise, and for a bot that
            had no deck at two tables.
        blocks: how many count: those without faults of anybody.
        beyond: whether it is more than chance explains.
    """

    difference: Estimate
    first: Estimate | None
    tables: Estimate | None
    blocks: int
    beyond: bool


class Row(Struct, frozen=True, kw_only=True):
    """A bot in the table; what is a number a deal is in units of the deal value.

    Attributes:
        bot: its number among the entrants.
        place: the best place that it may claim; with `last` the places that it shares with bots
            it cannot be told apart from. 0 for a bot that has not played.
        points: block points: a block won is 1, a level one 1/2; at tables of many bots, the share
            of those it is compared with that it is ahead of.
        blocks: those that it played.
        parts: match parts that it played: how often its processes lived, which is what certainty
            counts.
        mean: the mean deal value of a block; None without blocks.
        luck: what of the mean was luck; None where it was not counted.
        adjusted: the mean with luck taken out.
        rating: on the scale of Elo, the mean of the field at 0; None where nothing can be said.
        match_points: what a Swiss event orders by; None in other formats.
        faults: how many.
        codes: faults by code, as far as they are known one by one.
        unplayed: deals charged to it that it did not play, since it had had so many faults; at
            tables of three and more the stand-in played them.
        faulty: blocks that are charged to it: those with a fault of it or unplayed by it.
        seated: blocks of all its tables.
        voids: deals that were void by its acts, no bot's fault.
        benched: why it plays no more; "" if it does.
        again: what later meetings of a deck brought it more than first ones; None: not known.
        author: of the bot, in a ladder; "" in an event.
        version: of the bot, in a ladder; 0 in an event.
    """

    bot: int
    name: str
    place: int
    last: int
    points: float
    blocks: int
    parts: int
    deals: int
    mean: Estimate | None
    luck: float | None
    adjusted: Estimate | None
    gain: Gain | None
    rating: Estimate | None
    match_points: int | None
    faults: int
    codes: tuple[tuple[str, int], ...]
    unplayed: int
    faulty: int
    seated: int
    voids: int
    benched: str
    time: Time
    again: Again | None = None
    author: str = ""
    version: int = 0


class Cell(Struct, frozen=True):
    """A bot against another, from the first one's point of view.

    Attributes:
        difference: the mean over blocks: of its deal value where a table has two sides, of the
            difference between the two bots' deal values where there are more.
    """

    difference: float
    won: int
    level: int
    lost: int


class BotEntry(Struct, frozen=True, rename={"name": "bot"}):
    """A bot at a table of a round.

    Attributes:
        side: bots of a table with the same number score together.
        won: blocks in which all its opponents were behind it.
        level: blocks in which the best of them was level with it.
        lost: blocks in which one of them was ahead of it.
        mean: its mean deal value, by which the round is decided; None without blocks.
    """

    name: str
    side: int
    won: int
    level: int
    lost: int
    mean: float | None


class TableLine(Struct, frozen=True):
    """A table of a round: its bots by place, its finished blocks, and whether it was given up."""

    bots: tuple[BotEntry, ...]
    blocks: int
    given_up: bool


class RoundEntry(Struct, frozen=True, rename={"first": "first_block"}):
    """A round.

    Attributes:
        first: the index of its first block.
        blocks: how many each of its tables was to play.
        byes: who rested.
    """

    label: str
    first: int
    blocks: int
    byes: tuple[str, ...]
    tables: tuple[TableLine, ...]


class Missing(Struct, frozen=True, rename={"names": "bots"}):
    """Blocks that were given up: left out of everything, and shown."""

    round: str
    names: tuple[str, ...]
    blocks: int
    why: str


class Standings(Struct, frozen=True, kw_only=True):
    """A section of an event added up, or a pool of a ladder.

    Attributes:
        rows: by place; `cross` and `better` have the same order.
        by_format: whether the format gives the places; else the rating does.
        cross: bot against bot; None where they did not meet. Empty above `MOST_CROSSED` bots.
        better: how probable it is that a bot is the better one of two; None on the diagonal, and
            where no chain of results links them. Empty above `MOST_CROSSED` bots.
        gain: what taking luck out does to all blocks; None where luck was not counted.
        blocks: how many tables' blocks were played.
        parts: how many match parts they were played in: lives of processes.
        unlinked: the names of bots by group, where no results link the groups; else empty.
        misfit: how probable it is that strengths alone leave so much unexplained; None: unknown.
        unordered: whether one number a bot does not order this field.
        faults: the first kinds of them.
        champion: who won a knockout; "" in other formats.
        wall_us: what all tables took, one after the other.
        matches: how many were played in a ladder, which has no rounds; None in an event.
        left: how many versions that play no more are left out of a ladder's fit, being long gone.
        favours: what the last whole proof that was asked for them has found; None: not known.
    """

    title: str
    game: str
    options: str
    format: str
    finished: bool
    by_adjusted: bool
    by_format: bool
    two_sided: bool
    rows: tuple[Row, ...]
    cross: tuple[tuple[Cell | None, ...], ...]
    better: tuple[tuple[float | None, ...], ...]
    gain: Gain | None
    rounds: tuple[RoundEntry, ...]
    blocks: int
    parts: int
    unlinked: tuple[tuple[str, ...], ...]
    misfit: float | None
    unordered: bool
    deals: int
    faults: tuple[FaultKind[str], ...]
    missing: tuple[Missing, ...]
    champion: str
    wall_us: int
    matches: int | None = None
    left: int = 0
    favours: Favours | None = None
