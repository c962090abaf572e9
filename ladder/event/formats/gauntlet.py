"""One bot, or a few, against all the others. Pure."""

from collections.abc import Collection, Sequence

from ladder.event.formats.field import Entrants
from ladder.event.formats.format import Format
from ladder.event.formats.tables import balanced, tables_a_turn
from ladder.results import Round, RoundResult
from referee.errors import RefereeError
from referee.rules.game import Sides


class Gauntlet(Format):
    """One bot, or a few, against all the others."""

    has_heroes = True

    def check(self, field: Entrants) -> None:
        """Refuses what makes no gauntlet.

        Raises:
            RefereeError: naming what is wrong.
        """
        super().check(field)
        if not field.heroes:
            raise RefereeError("heroes: a gauntlet needs at least one")
        strange = [hero for hero in field.heroes if not 0 <= hero < field.entrants]
        if strange or len(set(field.heroes)) < len(field.heroes):
            raise RefereeError(f"heroes {list(field.heroes)}: each is an entrant, and named once")
        others = field.entrants - len(field.heroes)
        if others < field.size - 1:
            raise RefereeError(
                f"heroes: a table has {field.size - 1} others, and there are {others}"
            )

    def next_round(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Round | None:
        """Every hero against all the others, with the same company; heroes do not meet.

        At tables of three and more the others are drawn up so that they sit with a hero equally
        often, beside it and against it, and meet each other as `balanced` has it.
        """
        turn, rounds = len(played), field.rounds or 1
        left = field.left(benched)
        heroes = [entrant for entrant in left if entrant in field.heroes]
        others = [entrant for entrant in left if entrant not in field.heroes]
        if turn >= rounds or not heroes or len(others) < field.size - 1:
            return None
        company = balanced(len(others), field.size - 1, _rest(field.sides), turn)
        tables = ((hero, *(others[at] for at in table)) for table in company for hero in heroes)
        return field.next_round(played, tables, f"round {turn + 1} of {rounds}")

    def expected_tables(self, field: Entrants) -> int:
        """How many tables the whole section has if no bot is benched."""
        others = field.entrants - len(field.heroes)
        company = tables_a_turn(others, field.size - 1, _rest(field.sides))
        return (field.rounds or 1) * len(field.heroes) * company


def _rest(sides: Sides) -> Sides:
    """The sides of a table without the place of the hero, which is the first."""
    fewer = (tuple(place - 1 for place in side if place) for side in sides)
    return tuple(side for side in fewer if side)
