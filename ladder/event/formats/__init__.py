"""Formats: what is played next, as a pure function of what was played.

The same rounds played and the same entrants benched give the same next round: there is no
randomness here, no clock, and nothing is remembered but what follows from the arguments. The order
in which tables of a round were finished does not matter. Begin with `round_robin`.
"""

from collections.abc import Collection, Sequence
from typing import Final

from ladder.event.formats import gauntlet, heats, knockout, round_robin, swiss
from ladder.event.formats.field import Entrants, check_field
from ladder.results import Round, RoundResult
from ladder.terms import Format
from referee.errors import RefereeError

__all__ = ["Entrants", "check", "expected_tables", "match_points", "next_round", "order"]

_NOBODY: Final[frozenset[int]] = frozenset()


def check(kind: Format, field: Entrants) -> None:
    """Refuses what cannot be played; to be called before the first round.

    Raises:
        RefereeError: naming what is wrong.
    """
    check_field(field)
    if field.heroes and kind is not Format.GAUNTLET:
        raise RefereeError(f"heroes: a {kind} has none; a gauntlet has")
    if kind is Format.GAUNTLET:
        gauntlet.check(field)
    if kind in (Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT):
        knockout.check(field)
    if kind is Format.DOUBLE_KNOCKOUT and field.size > 2:
        raise RefereeError(f"double-knockout: it is for two at a table, not for {field.size}")


def next_round(
    kind: Format,
    field: Entrants,
    played: Sequence[RoundResult],
    benched: Collection[int] = _NOBODY,
) -> Round | None:
    """The round after those that were played, or None when the section is over.

    Args:
        kind: the format.
        field: who plays, and how much; `check` has let it pass.
        played: all finished rounds, in their order.
        benched: entrants that get no more tables; nobody ever leaves this set.

    Raises:
        RefereeError: the rounds cannot have been played in this format.
    """
    match kind:
        case Format.ROUND_ROBIN:
            return round_robin.next_round(field, played, benched)
        case Format.GAUNTLET:
            return gauntlet.next_round(field, played, benched)
        case Format.SWISS:
            return swiss.next_round(field, played, benched)
        case Format.KNOCKOUT if field.size > 2:
            return heats.next_round(field, played, benched)
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            return knockout.next_round(kind, field, played, benched)


def order(
    kind: Format,
    field: Entrants,
    played: Sequence[RoundResult],
    benched: Collection[int] = _NOBODY,
) -> tuple[tuple[int, ...], ...]:
    """Who came where, as far as it was played; those who share a place stand together.

    Empty for a round-robin and a gauntlet, where points and ratings say it.
    """
    match kind:
        case Format.ROUND_ROBIN | Format.GAUNTLET:
            return ()
        case Format.SWISS:
            return swiss.order(field, played)
        case Format.KNOCKOUT if field.size > 2:
            return heats.order(field, played, benched)
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            return knockout.order(kind, field, played, benched)


def match_points(kind: Format, field: Entrants, played: Sequence[RoundResult]) -> tuple[int, ...]:
    """By entrant, what a Swiss has its order from, byes included; empty in other formats."""
    if kind is not Format.SWISS:
        return ()
    return tuple(score.points for score in swiss.score(field, played))


def expected_tables(kind: Format, field: Entrants) -> int:
    """How many tables the section has if nobody is benched and no knockout table is level."""
    match kind:
        case Format.ROUND_ROBIN:
            return round_robin.expected_tables(field)
        case Format.GAUNTLET:
            return gauntlet.expected_tables(field)
        case Format.SWISS:
            return swiss.expected_tables(field)
        case Format.KNOCKOUT if field.size > 2:
            return heats.expected_tables(field)
        case Format.KNOCKOUT | Format.DOUBLE_KNOCKOUT:
            return knockout.expected_tables(kind, field)
