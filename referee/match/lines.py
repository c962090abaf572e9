"""What happens in a match, as the lines that records have for it. Pure; SPEC 9 describes them.

A line's first key says what it is.
"""

from typing import Annotated, Final, Literal, Protocol

from msgspec import Meta, Struct

from protocol.limits import NAME
from protocol.messages import Count, Rules, TimeControl
from referee.match.leg import DealResult
from referee.match.terms import Terms
from referee.match.verdict import Blame, Evidence, Receipt, Verdict

FORMAT: Final = 4
"""Of records, and of the bytes that bots are sent; a record of another format is refused."""

Short = Annotated[str, Meta(max_length=64)]
Note = Annotated[str, Meta(max_length=512)]


class BotLine(Struct, frozen=True):
    """Who played: the name, and the SHA-256 of what was run."""

    name: str
    hash: str


class Header(Struct, frozen=True, omit_defaults=True):
    """The first line: what was agreed before the first card.

    Attributes:
        record: the format.
        referee: the version that played it.
        decks: how many decks stood alone, or None for a match to the game's own end.
        given: whether the decks were given by hand instead of derived from the block keys.
        legs: how many there are to be.
        sandbox: where the bots ran, and what bound them there.
        benched: bots that played no more before the first card, as after their third fault.
        clocks: of the bots that had another one than the terms say, as people do.
    """

    record: Count
    referee: str
    terms: Terms
    rules: Rules
    bots: tuple[BotLine, ...]
    decks: int | None
    given: bool
    legs: int
    sandbox: str = ""
    benched: tuple[int, ...] = ()
    clocks: dict[int, TimeControl] = {}


class LegLine(Struct, frozen=True):
    """A leg begins: its number from 0, the bot at each place, the place that deals first."""

    leg: int
    seats: tuple[int, ...]
    dealer: int


class DealLine(Struct, frozen=True):
    """A deal begins; `seats` are bots by seat, `dealer` is a seat, the deck is top card first."""

    deal: int
    key: str
    deck: str
    dealer: int
    seats: tuple[int, ...]


class StartLine(Struct, frozen=True):
    """A process at this place said `ready`, so many microseconds after it was begun."""

    start: Count
    us: Count
    protocol: Literal[1]
    name: Annotated[str, Meta(min_length=1, max_length=NAME)]
    version: Short


class ActLine(Struct, frozen=True, omit_defaults=True):
    """An action of the seat to move, with its receipt."""

    act: Short
    seat: Count
    us: Receipt
    note: Note | None = None
    eval: int | None = None
    extra: Note | None = None


class FrozenLine(Struct, frozen=True):
    """The process at this place is stopped between its acts from now on.

    Attributes:
        us: the processor time that it used while others thought.
    """

    frozen: Count
    us: Count


class VoidLine(Struct, frozen=True):
    """The deal is void; the next line deals its cards again, to new processes.

    Attributes:
        void: the deal's number.
        place: whose act it was, if anybody's.
    """

    void: int
    family: Blame
    place: int | None
    detail: str
    evidence: Evidence


class DealEndLine(Struct, frozen=True):
    """A deal is over; `sent` and `times` are digests by place."""

    deal_end: int
    reason: str
    points: tuple[int, ...]
    scores: tuple[int, ...]
    sent: tuple[str, ...]
    times: tuple[str, ...]
    hash: str = ""


class EndLine(Struct, frozen=True):
    """The match is over; scores and winners are bots."""

    end: str
    scores: tuple[int, ...]
    winner: tuple[int, ...] | None
    game_digest: str
    hash: str = ""


Line = (
    Header
    | LegLine
    | DealLine
    | StartLine
    | ActLine
    | Verdict
    | FrozenLine
    | VoidLine
    | DealEndLine
    | EndLine
)
Sealed = DealEndLine | EndLine


class LineWriter(Protocol):
    """Takes the lines of a record, one after the other."""

    def write(self, line: Line) -> None:
        """Take a line; one of an act may be held until `flush`."""

    def flush(self) -> None:
        """Hold nothing any longer: what follows may take more than a millisecond."""


def deal_end_line(deal: DealResult) -> DealEndLine:
    """The line that ends a deal, still without its hash."""
    return DealEndLine(
        deal_end=deal.start.deal,
        reason=deal.reason,
        points=deal.account.points,
        scores=deal.scores,
        sent=deal.sent,
        times=deal.times,
    )
