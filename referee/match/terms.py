"""What was agreed before the first card: one value, from the command line to the record. Pure."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from protocol.messages import Count, TimeControl
from referee.errors import RefereeError
from referee.games import find
from referee.match.seating import Seating
from referee.match.verdict import Freeze, OnFault
from referee.rules.variants import Variant


class Terms(Struct, frozen=True, kw_only=True):
    """How a match is played, by any bots and with any cards.

    Attributes:
        options: the value of every option of the game, by name.
        seating: in which seatings each deck is played.
        time: the clock of every bot.
        on_fault: what a fault does to its deal; None: the game decides.
        freeze: when bots are stopped between their acts.
        pace_ms: how long after its act an answer is let through; 0 is at once.
    """

    game: str
    options: dict[str, str]
    seating: Seating = Seating.ONE
    time: TimeControl
    on_fault: OnFault | None = None
    freeze: Freeze = Freeze.AUTO
    pace_ms: Count = 0


def unusual_options(game: str, options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the options that are not as the game has them, as texts like NAME=VALUE.

    All of them are, where this version does not have the game.
    """
    try:
        usual = find(game).rules_of({})[0].options
    except RefereeError:
        usual = {}
    return tuple(f"{name}={value}" for name, value in options.items() if usual.get(name) != value)


def read_options(texts: Iterable[str]) -> dict[str, str]:
    """Return the options of texts like NAME=VALUE.

    Raises:
        RefereeError: a text is not written so, or says something else than another.
    """
    options: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise RefereeError(f"option {text!r}: write it NAME=VALUE")
        if options.setdefault(name, value) != value:
            raise RefereeError(f"option {name} is given twice: {options[name]} and {value}")
    return options


def all_options(game: str, chosen: Mapping[str, str], bots: int | None = None) -> dict[str, str]:
    """Return the value of every option of a game.

    Args:
        game: its id.
        chosen: the options that are not to be as the game has them.
        bots: how many bots play, where the game leaves the number of seats open and `chosen` does
            not say it.

    Raises:
        RefereeError: naming the first thing that is wrong, and what would be right.
    """
    variant = find(game)
    return dict(variant.rules_of(_with_seats(variant, chosen, bots))[0].options)


def _with_seats(variant: Variant, chosen: Mapping[str, str], bots: int | None) -> dict[str, str]:
    if bots is None or len(variant.seats) == 1 or "seats" in chosen:
        return dict(chosen)
    if bots not in variant.seats:
        *some, last = map(str, variant.seats)
        raise RefereeError(f"{variant.id} wants {', '.join(some)} or {last} bots; got {bots}")
    return {"seats": str(bots), **chosen}
