"""What happened at the table, as one seat is shown it (SPEC 4). Shapes only, no rules.

An event carries just what its reader may know: a card drawn by somebody else is an event
without the card, never a card made unreadable.
"""

from msgspec import Struct

type_field = "type"


class HandDealt(Struct, frozen=True, tag_field=type_field, tag="hand"):
    """The cards this seat was dealt, in the order in which they came."""

    cards: tuple[str, ...]


class TurnUp(Struct, frozen=True, tag_field=type_field, tag="turn_up"):
    """The card exposed under the talon; its suit is trump."""

    card: str


class Played(Struct, frozen=True, tag_field=type_field, tag="play", omit_defaults=True):
    """A card was played; `by` is "referee" where the referee played for a seat at fault."""

    seat: int
    card: str
    by: str | None = None


class TrickWon(Struct, frozen=True, tag_field=type_field, tag="trick"):
    """The trick is complete: who takes it, and the card points in it."""

    winner: int
    points: int


class Drew(Struct, frozen=True, tag_field=type_field, tag="draw", omit_defaults=True):
    """A seat drew from the talon; `card` is there only for those who may see it."""

    seat: int
    card: str | None = None


Event = HandDealt | TurnUp | Played | TrickWon | Drew
