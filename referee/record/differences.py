"""What is wrong with a line of a record, where another belongs there. Pure."""

from collections.abc import Iterator

from referee.match.leg import Leg
from referee.match.lines import DealEndLine, DealLine, EndLine, LegLine, Line


def difference(here: Line, there: Line, leg: Leg | None) -> str:
    """Return what a line should be, in words.

    Args:
        here: the line that belongs there.
        there: the line that the record has.
        leg: the leg under way, if any.
    """
    if isinstance(here, LegLine):
        return f"leg {here.leg} with seats {list(here.seats)} belongs here"
    if type(here) is not type(there):
        return f"a line {here.__struct_fields__[0]!r} belongs here"
    match here, there:
        case DealEndLine(), DealEndLine() if words := next(_digests(here, there, leg), None):
            return f"deal {here.deal_end}{words}"
        case DealLine(), _:
            where = f"deal {here.deal}: "
        case DealEndLine(), _:
            where = f"deal {here.deal_end}: "
        case EndLine(), _:
            where = "the match's "
        case _:
            where = ""
    return where + next(_fields(here, there))


def _fields(here: Line, there: Line) -> Iterator[str]:
    for name in here.__struct_fields__:
        wanted, found = getattr(here, name), getattr(there, name)
        if wanted != found:
            yield f"{name} should be {wanted}, not {found}"


def _digests(here: DealEndLine, there: DealEndLine, leg: Leg | None) -> Iterator[str]:
    """Yield the places where only what was said differs: the rest of the line says more."""
    if here.reason != there.reason or (here.points, here.scores) != (there.points, there.scores):
        return
    if len(here.sent) != len(there.sent) or len(here.times) != len(there.times):
        yield f": {len(here.sent)} digests belong here"
        return
    seats = {} if leg is None else {place: seat for seat, place in enumerate(leg.course.places)}
    for what, ours, theirs in (
        ("bytes sent", here.sent, there.sent),
        ("times sent", here.times, there.times),
    ):
        for place, (wanted, found) in enumerate(zip(ours, theirs, strict=True)):
            if wanted != found:
                who = f"seat {seats[place]}" if place in seats else f"place {place}"
                yield f", {who}: the {what} differ"
