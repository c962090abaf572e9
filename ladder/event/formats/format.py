"""What a format of an event says: what is played next, and who came where. Pure."""

from collections.abc import Collection, Sequence
from typing import Protocol

from ladder.event.formats.field import Entrants, check_field
from ladder.results import Round, RoundResult
from referee.errors import RefereeError

Groups = tuple[tuple[int, ...], ...]
"""Entrants in the order of their places; those who share one stand together."""


class Format(Protocol):
    """A format; one that says no order leaves it to points and ratings.

    Attributes:
        has_heroes: whether it is about some of the entrants.
    """

    has_heroes: bool = False

    def check(self, field: Entrants) -> None:
        """Refuse what cannot be played; to be called before the first round.

        Raises:
            RefereeError: naming what is wrong.
        """
        check_field(field)
        if field.heroes and not self.has_heroes:
            raise RefereeError("heroes: this format has none; a gauntlet has")

    def next_round(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Round | None:
        """Return the round after those that were played, or None when the section is over.

        Args:
            field: who plays, and how much; `check` has let it pass.
            played: all finished rounds, in their order.
            benched: entrants that get no more tables; none ever leaves this set.

        Raises:
            RefereeError: the rounds cannot have been played in this format.
        """

    def order(
        self,
        field: Entrants,  # for formats that say an order
        played: Sequence[RoundResult],
        benched: Collection[int] = (),
    ) -> Groups:
        """Return who came where, as far as it was played."""
        return ()

    def match_points(
        self,
        field: Entrants,  # for formats that have points
        played: Sequence[RoundResult],
    ) -> tuple[int, ...]:
        """Return by entrant what the order is from, byes included, if it is from such points."""
        return ()

    def expected_tables(self, field: Entrants) -> int:
        """Return how many tables there are if no bot is benched and no knockout table is level."""
