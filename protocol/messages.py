"""Every message of SPEC 3. Shapes only: no I/O, no order, no rules.

Messages to a bot are written with their keys in the order of the fields here, which is part of
the contract: a bot without a JSON parser may rely on it.
"""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta, Struct

from protocol.events import Event
from protocol.limits import INTEGER, NAME

Count = Annotated[int, Meta(ge=0, le=INTEGER)]
Options = Mapping[str, str]


class Rules(Struct, frozen=True):
    """Which rules are in force: the variant, the revision of its text, a digest of its data."""

    id: str
    revision: Count
    digest: str


class Limits(Struct, frozen=True):
    """What one process may send: bytes a line and a match, depth, bytes of a note."""

    line: Count
    match: Count
    depth: Count
    note: Count


class TimeControl(Struct, frozen=True):
    """The clock of the match, in milliseconds (SPEC 5)."""

    start_ms: Count
    move_ms: Count
    bank_ms: Count
    inc_ms: Count
    soft_ms: Count
    strikes: Count


class Hello(Struct, frozen=True, tag_field="type", tag="hello"):
    """The first line to every process.

    `decks` is how many decks stand alone, so that deal values count; null for a match to the game's
    own end.
    """

    protocol: tuple[int, ...]
    game: str
    options: Options
    decks: Count | None
    rules: Rules
    bot: Count
    bots: Count
    limits: Limits
    time: TimeControl
    seed: str


class Deal(Struct, frozen=True, tag_field="type", tag="deal", omit_defaults=True):
    """Cards have been dealt: who sits where. The cards themselves come with the first `act`.

    `times` and `plus` are there when a void deal has raised what this one is worth.
    """

    deal: Count
    seats: tuple[int, ...]
    seat: Count
    dealer: Count
    game: str
    options: Options
    scores: tuple[int, ...]
    times: int = 1
    plus: int = 0


# the one shape that is not frozen: it grows in place, event by event (`referee.rules.views`)
class View(Struct, omit_defaults=True):
    """All that a seat knows: everything it was shown in this deal, added up (SPEC 4).

    `hand` is in order of arrival; `leaders[k]` led to `tricks[k]`; `talon` counts the cards that
    can still be drawn, the turn-up included; `points` are points taken, by seat.

    The keys from `known` on are left out while there is nothing to say in them.

    Attributes:
        known: by seat, the cards that this seat knows to be in the hands of others.
        next_card: the top of a talon that lies open.
        removed: cards taken out of the pack by chance.
        exchanges: who exchanged: seat, the card given, the card taken.
        marriages: who married: seat and suit.
        signals: those seen: the number of the trick from 0, seat and signal.
        auction: what was said: seat and action.
        caller: who won the auction and has called.
        pledge: the card points that the caller's side must take.
        called: the called cards; none while the caller plays a two blind.
    """

    phase: str
    seat: int
    dealer: int
    hand: list[str]
    trump: str | None
    turn_up: str | None
    talon: int
    leader: int
    trick: list[str]
    points: list[int]
    leaders: list[int]
    tricks: list[list[str]]
    known: tuple[tuple[str, ...], ...] = ()
    next_card: str | None = None
    removed: tuple[str, ...] = ()
    exchanges: tuple[tuple[int, str, str], ...] = ()
    marriages: tuple[tuple[int, str], ...] = ()
    signals: tuple[tuple[int, int, str], ...] = ()
    auction: tuple[tuple[int, str], ...] = ()
    caller: int | None = None
    pledge: int | None = None
    called: tuple[str, ...] = ()


class Clock(Struct, frozen=True):
    """What this seat has for the act: whole milliseconds, rounded down, and strikes left."""

    move_ms: Count
    bank_ms: Count
    strikes: Count


class Act(Struct, frozen=True, tag_field="type", tag="act"):
    """The one message that wants an answer. `time` stays its last key."""

    id: str
    view: View
    legal: tuple[str, ...]
    events: tuple[Event, ...]
    time: Clock


class DealEnd(Struct, frozen=True, tag_field="type", tag="deal_end"):
    """The deal is over: the events since this seat's last act, and what the deal brought.

    `points` are card points by seat, `scores` the score of the match so far by bot.
    """

    deal: Count
    events: tuple[Event, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str


class Fault(Struct, frozen=True, tag_field="type", tag="fault"):
    """What this bot did wrong, in words. No answer is wanted; the process ends after it."""

    id: str | None
    code: str
    detail: str


class End(Struct, frozen=True, tag_field="type", tag="end"):
    """The match is over; leave. `winner` is null for a drawn match."""

    scores: tuple[int, ...]
    winner: tuple[int, ...] | None
    reason: str


class Ready(Struct, frozen=True, tag_field="type", tag="ready"):
    """A bot's answer to `hello`: the protocol version it chose, and who it is."""

    protocol: Count
    name: Annotated[str, Meta(min_length=1, max_length=NAME)]
    version: Annotated[str, Meta(max_length=NAME)] = ""


class Answer(Struct, frozen=True):
    """A bot's answer to `act`: the id it was asked with, and one of `legal`.

    `extra` keeps, as JSON text, the fields that the protocol does not know.
    """

    id: str
    action: str
    note: str | None = None
    eval: Annotated[int, Meta(ge=-INTEGER, le=INTEGER)] | None = None
    extra: str | None = None


ToBot = Hello | Deal | Act | DealEnd | Fault | End
