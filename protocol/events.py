"""What happened at the table, as one seat is shown it (SPEC 4). Shapes only, no rules.

An event carries just what its reader may know: a card drawn by another seat is an event
without the card, never a card made unreadable.
"""

from msgspec import Struct

type_field = "type"

# gc=False: what is made all the time holds texts and numbers only, so it is in no cycle


class HandDealt(Struct, frozen=True, tag_field=type_field, tag="hand"):
    """The cards this seat was dealt, in the order in which they came."""

    cards: tuple[str, ...]


class Removed(Struct, frozen=True, tag_field=type_field, tag="remove"):
    """This card was taken out of the pack before the deal."""

    card: str


class TurnUp(Struct, frozen=True, tag_field=type_field, tag="turn_up"):
    """The card exposed under the talon, or by the dealer; its suit is trump."""

    card: str


class Played(Struct, frozen=True, gc=False, tag_field=type_field, tag="play", omit_defaults=True):
    """A card was played; `by` is "referee" where the referee played for a seat at fault.

    Of a two that lies covered in a blind trick only the rank is there: "2".
    """

    seat: int
    card: str
    by: str | None = None


class TrickWon(Struct, frozen=True, gc=False, tag_field=type_field, tag="trick"):
    """The trick is complete: who takes it, and the card points in it."""

    winner: int
    points: int


class Drew(Struct, frozen=True, gc=False, tag_field=type_field, tag="draw", omit_defaults=True):
    """A seat drew from the talon; `card` is there only for those who may see it."""

    seat: int
    card: str | None = None


class NextCard(Struct, frozen=True, tag_field=type_field, tag="next"):
    """The card that will be drawn next lies open."""

    card: str


class HandShown(Struct, frozen=True, tag_field=type_field, tag="show"):
    """These cards are in the hand of this seat, and this reader may see them."""

    seat: int
    cards: tuple[str, ...]


class Exchanged(Struct, frozen=True, tag_field=type_field, tag="exchange"):
    """A seat took the turn-up and laid another trump in its place."""

    seat: int
    gives: str
    takes: str


class Married(Struct, frozen=True, tag_field=type_field, tag="marry"):
    """A seat showed king and queen of a suit, which stay in its hand, for so many points."""

    seat: int
    suit: str
    points: int


class Signalled(Struct, frozen=True, tag_field=type_field, tag="signal"):
    """A partner gave a signal, true or not."""

    seat: int
    signal: str


class Declared(Struct, frozen=True, tag_field=type_field, tag="declare"):
    """A seat showed the black hand, which wins the deal."""

    seat: int
    cards: tuple[str, ...]


class Bade(Struct, frozen=True, tag_field=type_field, tag="bid", omit_defaults=True):
    """What a seat said in the auction: a bid, or "pass"; `by` as in `Played`."""

    seat: int
    action: str
    by: str | None = None


class Called(Struct, frozen=True, tag_field=type_field, tag="call", omit_defaults=True):
    """The winner of the auction called cards; none, while it plays a two blind.

    Attributes:
        pledge: the card points that its side must take.
        leader: who leads, or led, to the first trick.
        by: as in `Played`.
    """

    seat: int
    cards: tuple[str, ...]
    pledge: int
    leader: int
    by: str | None = None


class Uncovered(Struct, frozen=True, tag_field=type_field, tag="uncover"):
    """A two that lay covered in the blind trick is turned over."""

    seat: int
    card: str


class PhaseBegan(Struct, frozen=True, tag_field=type_field, tag="phase"):
    """From now on other kinds of actions are asked for."""

    phase: str


Event = (
    HandDealt
    | Removed
    | TurnUp
    | Played
    | TrickWon
    | Drew
    | NextCard
    | HandShown
    | Exchanged
    | Married
    | Signalled
    | Declared
    | Bade
    | Called
    | Uncovered
    | PhaseBegan
)
