"""What a proof of a sealed ladder says of its epochs, in words. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from ladder.audit.findings import EpochAudit
from referee.text import plural

_GAPS_SHOWN: Final = 5


def epoch_lines(epochs: Sequence[EpochAudit]) -> Iterator[str]:
    """Yield what is to be said of each epoch, and of what its organiser could choose.

    Args:
        epochs: by number.
    """
    for one in epochs:
        said = f"epoch {one.epoch} (beacon: {one.beacon})"
        if one.value is None:
            yield f"{said}: it has not begun"
            continue
        keys = (
            "their keys had to be so"
            if one.proved
            else "their keys cannot be proved before its secret is told"
        )
        played = f"{plural(one.matches, 'match', 'matches')} of {plural(one.draws, 'draw')}"
        proved = f"; {keys}" if one.matches else ""
        yield f"{said}, which published {one.value}: {played}{proved}"
        for line in _choices(one):
            yield f"epoch {one.epoch}: {line}"


def _choices(one: EpochAudit) -> Iterator[str]:
    """Yield what was not determined, or cannot be known to have been."""
    if one.missing:
        shown = ", ".join(
            f"{first}" if first == last else f"{first} to {last}"
            for first, last in one.gaps[:_GAPS_SHOWN]
        )
        more = ", ..." if len(one.gaps) > _GAPS_SHOWN else ""
        yield (
            f"{plural(one.missing, 'draw has', 'draws have')} brought nothing "
            f"({shown}{more}): broken off, or left out by the organiser"
        )
    if one.given_up:
        yield (
            f"{plural(one.given_up, 'match was', 'matches were')} not played to "
            "the end: by a fault of the machine, or by the organiser"
        )
    if one.short:
        yield (
            f"{plural(one.short, 'match', 'matches')} had fewer blocks than "
            "their game says, as the organiser wanted"
        )
    if one.repeated:
        yield f"{plural(one.repeated, 'table')} counted more than once"
    if one.broken:
        yield (
            f"{plural(one.broken, 'match was', 'matches were')} broken off and "
            "played again with other decks: by chance, or by the organiser"
        )
    if one.left_out:
        yield (
            f"{plural(one.left_out, 'table was', 'tables were')} drawn without "
            "a bot that could not be started, or that the organiser left out"
        )
    if one.omitted:
        yield (
            f"at {plural(one.omitted, 'draw')} a match was under way and is "
            "not told of: its runner was given up, or the organiser chose"
        )
    if one.untold:
        yield f"{plural(one.untold, 'table', 'tables')} cannot be drawn again"
