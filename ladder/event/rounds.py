"""From the plan of an event to its formats: who plays whom next, and who came where. Pure."""

from collections.abc import Collection, Sequence
from typing import Final

from msgspec.structs import replace

from ladder.event.formats import FORMATS, Entrants
from ladder.event.plan import EventPlan, SectionPlan
from ladder.results import Round, RoundResult, less_luck
from ladder.terms import LuckUse
from referee.match.outcome import BlockResult

BLOCKS_OF_A_SECTION: Final = 2**40
"""More than it can play: sections never meet each other's decks, ids or seeds."""


def check_section(section: SectionPlan, entrants: int, heroes: tuple[int, ...]) -> None:
    """Refuses what its format cannot play.

    Raises:
        RefereeError: naming what is wrong.
    """
    FORMATS[section.format].check(_field(section, entrants, heroes))


def next_round(
    plan: EventPlan, at: int, played: Sequence[RoundResult], out: Collection[int]
) -> Round | None:
    """The next round of a section, or None when it is over; `out` are those who are benched."""
    found = FORMATS[plan.sections[at].format]
    return found.next_round(_field_of(plan, at), _decisive(plan, played), out)


def order(
    plan: EventPlan, at: int, played: Sequence[RoundResult], out: Collection[int]
) -> tuple[tuple[int, ...], ...]:
    """Who came where in a section so far, where its format says that; else nothing."""
    found = FORMATS[plan.sections[at].format]
    return found.order(_field_of(plan, at), _decisive(plan, played), out)


def match_points(plan: EventPlan, at: int, played: Sequence[RoundResult]) -> tuple[int, ...]:
    """By entrant, what a Swiss section has its order from; empty in other formats."""
    found = FORMATS[plan.sections[at].format]
    return found.match_points(_field_of(plan, at), _decisive(plan, played))


def expected_deals(plan: EventPlan) -> int:
    """How many deals an event has if no bot is benched and no knockout table is level."""
    return sum(
        FORMATS[section.format].expected_tables(_field_of(plan, at))
        * section.blocks
        * section.seatings
        for at, section in enumerate(plan.sections)
    )


def _field_of(plan: EventPlan, at: int) -> Entrants:
    field = _field(plan.sections[at], len(plan.entrants), plan.heroes)
    return replace(field, first=at * BLOCKS_OF_A_SECTION)


def _field(section: SectionPlan, entrants: int, heroes: tuple[int, ...]) -> Entrants:
    return Entrants(
        entrants=entrants,
        size=section.places,
        partners=section.sides,
        blocks=section.blocks,
        rounds=section.rounds,
        heroes=heroes if FORMATS[section.format].has_heroes else (),
    )


def _decisive(plan: EventPlan, played: Sequence[RoundResult]) -> Sequence[RoundResult]:
    """The rounds with the values that places are given by."""
    if plan.luck is not LuckUse.OFFICIAL:
        return played
    return [
        replace(
            one,
            tables=tuple(
                replace(table, blocks=tuple(map(_without_luck, table.blocks)))
                for table in one.tables
            ),
        )
        for one in played
    ]


def _without_luck(block: BlockResult) -> BlockResult:
    """A block in thousandths of its values; where luck is not known, none is taken off."""
    luck = block.luck or (0,) * len(block.values)
    return replace(block, values=tuple(less_luck(block.values, luck)))
