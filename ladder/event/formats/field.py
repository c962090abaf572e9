"""What all formats work on: who takes part, how tables are made up, what was played. Pure."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from ladder.results import Pairing, Round, RoundResult
from referee.errors import RefereeError
from referee.rules.game import Sides


class Entrants(Struct, frozen=True, kw_only=True):
    """Who plays a section of an event, and how much.

    Attributes:
        entrants: how many; they are numbered from 0 in the order of seeding, the best first.
        size: how many entrants sit at a table: one a seat, or one a side.
        partners: the places at a table that score together, where single bots play in
            partnerships; all sides equally large. Empty where everybody scores for itself.
        blocks: how many blocks a table plays in a round.
        rounds: how many rounds were asked for; None for as many as the format needs.
        heroes: the entrants that a gauntlet is about.
        first: the index of the section's first block.
    """

    entrants: int
    size: int = 2
    partners: Sides = ()
    blocks: int = 1
    rounds: int | None = None
    heroes: tuple[int, ...] = ()
    first: int = 0

    @property
    def sides(self) -> Sides:
        """The places at a table that score together, those that stand alone included."""
        return self.partners or tuple((place,) for place in range(self.size))

    def left(self, benched: Collection[int]) -> tuple[int, ...]:
        """The entrants that still play, the best seed first."""
        return tuple(number for number in range(self.entrants) if number not in benched)

    def next_round(
        self,
        played: Sequence[RoundResult],
        tables: Iterable[tuple[int, ...]],
        label: str,
        byes: Iterable[int] = (),
    ) -> Round:
        """A round after those that were played, with decks that no bot has met."""
        first = played[-1].round.first + played[-1].round.blocks if played else self.first
        return Round(
            tables=tuple(map(Pairing, tables)),
            first=first,
            blocks=self.blocks,
            byes=tuple(sorted(byes)),
            label=label,
        )


def check_field(field: Entrants) -> None:
    """Refuses what no format can play.

    Raises:
        RefereeError: naming what is wrong.
    """
    if field.size < 2:
        raise RefereeError(f"size={field.size}: at least two entrants sit at a table")
    if field.entrants < field.size:
        raise RefereeError(f"{field.entrants} entrants: a table has {field.size}")
    for name, number in (("blocks", field.blocks), ("rounds", field.rounds)):
        if number is not None and number < 1:
            raise RefereeError(f"{name}={number}: at least one")
    if field.partners:
        places = sorted(place for side in field.partners for place in side)
        if places != list(range(field.size)) or len(set(map(len, field.partners))) > 1:
            raise RefereeError(f"partners {field.partners}: they do not share out {field.size}")


def present(played: Round) -> frozenset[int]:
    """Who was still in the event when a round was played: at a table, or resting."""
    return frozenset(played.byes).union(*(table.bots for table in played.tables))
