"""All that the referee says, as Python's own types, and the loop that answers it.

One file without dependencies: copy it beside any bot. SPEC.md has the protocol: section 3.4 the
actions, 4.1 the view, 4.2 the events. What it may get tomorrow is ignored here, as it asks.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

Cards = list[str]
"""Cards are two characters: the rank, A23456789TJQK, then the suit, one of HDCS."""

T = TypeVar("T")


def known(kind: Callable[..., T], message: dict[str, Any]) -> T:
    """Makes a dataclass of the fields that it has; the others of a message are ignored."""
    names = {one.name for one in fields(kind)}  # type: ignore[arg-type]  # it is a dataclass
    return kind(**{name: value for name, value in message.items() if name in names})


# --- the events (SPEC 4.2) ---

_KINDS: dict[str, type[Event]] = {}


@dataclass(frozen=True)
class Event:
    """Something this seat was shown; each kind is a class of its own."""

    def __init_subclass__(cls, kind: str) -> None:
        """Notes which `type` in a message it is."""
        _KINDS[kind] = cls


@dataclass(frozen=True)
class Dealt(Event, kind="hand"):  # you were dealt these
    cards: Cards


@dataclass(frozen=True)
class TurnedUp(Event, kind="turn_up"):  # this card was turned up
    card: str


@dataclass(frozen=True)
class Played(Event, kind="play"):
    # a card was played, by the seat or, where `by` is "referee", for it
    seat: int
    card: str
    by: str = ""


@dataclass(frozen=True)
class TrickTaken(Event, kind="trick"):  # the trick is complete, and goes to this seat
    winner: int
    points: int


@dataclass(frozen=True)
class Drawn(Event, kind="draw"):
    # a card was drawn; which one is known of your own and of the turn-up
    seat: int
    card: str | None = None


@dataclass(frozen=True)
class NextShown(Event, kind="next"):  # the card that will be drawn next lies open
    card: str


@dataclass(frozen=True)
class Shown(Event, kind="show"):  # these cards are in this hand, and you may see them
    seat: int
    cards: Cards


@dataclass(frozen=True)
class Removed(Event, kind="remove"):  # this two left the pack by chance
    card: str


@dataclass(frozen=True)
class Exchanged(Event, kind="exchange"):  # the turn-up was exchanged
    seat: int
    gives: str
    takes: str


@dataclass(frozen=True)
class Married(Event, kind="marry"):  # king and queen were shown
    seat: int
    suit: str
    points: int


@dataclass(frozen=True)
class Signalled(Event, kind="signal"):  # a partner signals
    seat: int
    signal: str


@dataclass(frozen=True)
class Declared(Event, kind="declare"):  # the black hand, which wins the deal
    seat: int
    cards: Cards


@dataclass(frozen=True)
class Bidden(Event, kind="bid"):  # a seat bid, or passed
    seat: int
    action: str
    by: str = ""


@dataclass(frozen=True)
class Called(Event, kind="call"):
    # the auction's winner called; no card while a two is played blind
    seat: int
    cards: Cards
    pledge: int | None = None
    leader: int | None = None
    by: str = ""


@dataclass(frozen=True)
class Uncovered(Event, kind="uncover"):  # a covered two is turned over
    seat: int
    card: str


@dataclass(frozen=True)
class PhaseBegun(Event, kind="phase"):  # another phase begins; `void`: all have passed
    phase: str


def read_events(events: Iterable[dict[str, Any]]) -> list[Event]:
    """Makes Events of those in a message; kinds that are not known here are left out."""
    return [known(_KINDS[one["type"]], one) for one in events if one["type"] in _KINDS]


# --- the view (SPEC 4.1) ---


class MarriageSeen(NamedTuple):
    """Who married, and in which suit."""

    seat: int
    suit: str


class SignalSeen(NamedTuple):
    """A signal: the number of its trick from 0, who gave it, and what it says."""

    trick: int
    seat: int
    signal: str


@dataclass(frozen=True)
class View:
    """All that this seat knows. What is left out while there is nothing to say has a default."""

    phase: str  # auction, call, play or suit
    seat: int
    dealer: int
    hand: Cards
    trump: str | None
    turn_up: str | None
    talon: int
    leader: int
    trick: Cards  # a two that lies covered is "2", without a suit
    points: list[int]
    leaders: list[int]
    tricks: list[Cards]
    known: list[Cards] = field(default_factory=list)  # by seat, or nothing at all
    next_card: str | None = None
    removed: Cards = field(default_factory=list)
    exchanges: list[Exchanged] = field(default_factory=list)
    marriages: list[MarriageSeen] = field(default_factory=list)
    signals: list[SignalSeen] = field(default_factory=list)
    auction: list[Bidden] = field(default_factory=list)
    caller: int | None = None
    pledge: int | None = None
    called: Cards = field(default_factory=list)


_ROWS = {
    "exchanges": Exchanged,
    "marriages": MarriageSeen,
    "signals": SignalSeen,
    "auction": Bidden,
}


def read_view(message: dict[str, Any]) -> View:
    """Makes a View of the one in an `act`."""
    rows = {
        name: [row(*values) for values in message[name]]
        for name, row in _ROWS.items()
        if name in message
    }
    return known(View, {**message, **rows})


# --- the actions (SPEC 3.4) ---


@dataclass(frozen=True)
class Action:
    """One of `legal`: `text` is what goes into the answer; each kind is a class of its own."""

    text: str


class Pass(Action):
    """Bids nothing, for good."""


class Blind(Action):
    """Calls a two whose suit is named after the first trick."""


class Declare(Action):
    """Shows the black hand, and ends the deal."""


@dataclass(frozen=True)
class Play(Action):  # plays a card
    card: str


@dataclass(frozen=True)
class Exchange(Action):  # lays this trump under the talon, and takes the turn-up
    card: str


@dataclass(frozen=True)
class Marry(Action):  # shows king and queen of a suit
    suit: str


@dataclass(frozen=True)
class Signal(Action):  # tells partners something, true or not
    signal: str


@dataclass(frozen=True)
class Bid(Action):  # bids a rank, points, or points on a rank; `force` freezes the rank
    rank: str | None
    points: int | None
    force: bool


@dataclass(frozen=True)
class Call(Action):  # calls a card, or two of a suit
    cards: tuple[str, ...]


@dataclass(frozen=True)
class NameSuit(Action):  # names the suit of a two that was called blind
    suit: str


def _bid(text: str, words: list[str]) -> Bid:
    rank = next((word for word in words if len(word) == 1), None)  # points have two digits or more
    points = next((int(word) for word in words if len(word) > 1), None)
    return Bid(text, rank, points, force=text.startswith("force"))


_ACTIONS: dict[str, Callable[[str, list[str]], Action]] = {
    "pass": lambda text, words: Pass(text),
    "blind": lambda text, words: Blind(text),
    "declare": lambda text, words: Declare(text),
    "exchange": lambda text, words: Exchange(text, words[0]),
    "marry": lambda text, words: Marry(text, words[0]),
    "signal": lambda text, words: Signal(text, words[0]),
    "bid": _bid,
    "force": _bid,
    "call": lambda text, words: Call(text, tuple(words)),
    "suit": lambda text, words: NameSuit(text, words[0]),
}


def read_action(text: str) -> Action:
    """Makes an Action of one of `legal`; a plain Action of a kind that is not known here."""
    word, *rest = text.split()
    if word in _ACTIONS:
        return _ACTIONS[word](text, rest)
    return Play(text, text) if len(text) == 2 else Action(text)


# --- the loop ---


@dataclass(frozen=True)
class Deal:
    """What `deal` says: who sits where, and under which rules (SPEC 3.3)."""

    deal: int
    seats: list[int]
    seat: int
    dealer: int
    game: str
    options: dict[str, str]
    scores: list[int]
    times: int = 1
    plus: int = 0


@dataclass(frozen=True)
class Clock:
    """What this seat has for the act (SPEC 5)."""

    move_ms: int
    bank_ms: int
    strikes: int


@dataclass(frozen=True)
class Act:
    """One decision: what is known, what is allowed, what is new, and the time there is."""

    view: View
    legal: list[str]
    events: list[Event]
    time: Clock
    deal: Deal


@dataclass(frozen=True)
class Answer:
    """An action with words for people in `note`, or a number in `eval`; both are recorded."""

    action: str
    note: str | None = None
    eval: int | None = None


def read_deal(message: dict[str, Any]) -> Deal:
    """Makes a Deal of the message."""
    return known(Deal, message)


def read_act(message: dict[str, Any], deal: Deal) -> Act:
    """Makes an Act of the message."""
    return Act(
        view=read_view(message["view"]),
        legal=message["legal"],
        events=read_events(message["events"]),
        time=known(Clock, message["time"]),
        deal=deal,
    )


def answer(choose: Callable[[Act], str | Answer], message: dict[str, Any], deal: Deal) -> None:
    """Asks `choose`, and says what it answers."""
    chosen = choose(read_act(message, deal))
    if isinstance(chosen, str):
        chosen = Answer(chosen)
    said = {"id": message["id"], "action": chosen.action, "note": chosen.note, "eval": chosen.eval}
    say({key: value for key, value in said.items() if value is not None})


def say(message: dict[str, Any]) -> None:
    """Writes one line, and flushes it: to a pipe, it would wait in a buffer otherwise."""
    print(json.dumps(message), flush=True)


def run(choose: Callable[[Act], str | Answer], name: str, version: str = "1") -> None:
    """Answers the referee until it says that this is the end, or its lines end."""
    deal: Deal | None = None
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            say({"type": "ready", "protocol": 1, "name": name, "version": version})
        elif kind == "deal":
            deal = read_deal(message)
        elif kind == "act" and deal is not None:
            answer(choose, message, deal)
        elif kind == "end":
            break
