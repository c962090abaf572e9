"""Everybody against everybody, as often as there are rounds. Pure."""

from collections.abc import Collection, Sequence
from math import comb

from ladder.event.formats.field import Entrants
from ladder.event.formats.format import Format
from ladder.event.formats.tables import balanced, tables_a_turn
from ladder.results import Round, RoundResult


class RoundRobin(Format):
    """Everybody against everybody."""

    def next_round(
        self, field: Entrants, played: Sequence[RoundResult], benched: Collection[int] = ()
    ) -> Round | None:
        """All pairings once, so that the event is balanced after each of its rounds.

        With larger tables it is all tables once where they are few; else so many that everybody
        plays equally often, and in the long run meets everybody equally often (`balanced`).
        """
        turn, rounds = len(played), field.rounds or 1
        left = field.left(benched)
        if turn >= rounds or len(left) < field.size:
            return None
        if field.size == 2:
            tables = circle(len(left), turn)
        else:
            tables = balanced(len(left), field.size, field.sides, turn)
        seated = (tuple(left[at] for at in table) for table in tables)
        return field.next_round(played, seated, f"round {turn + 1} of {rounds}")

    def expected_tables(self, field: Entrants) -> int:
        """How many tables the whole section has if no bot is benched."""
        if field.size == 2:
            return (field.rounds or 1) * comb(field.entrants, 2)
        return (field.rounds or 1) * tables_a_turn(field.entrants, field.size, field.sides)


def circle(entrants: int, turn: int) -> tuple[tuple[int, ...], ...]:
    """All pairs, in an order in which any part from the beginning is balanced too.

    The circle method: one stands still, the others move round it; the one without an opponent
    rests. Who is named first alternates, and changes from turn to turn.
    """
    ring = [-1] * (entrants % 2) + list(range(entrants))
    half, pairs = len(ring) // 2, []
    for step in range(len(ring) - 1):
        for at in range(half):
            pair = (ring[at], ring[-1 - at])
            if -1 not in pair:
                turned = (at or step) + turn
                pairs.append(pair[::-1] if turned % 2 else pair)
        ring.insert(1, ring.pop())
    return tuple(pairs)
