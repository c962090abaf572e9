"""The lines of an event's log, and the chain of hashes through them. Pure.

JSON, one object a line; a line's first key says what it is, its last is the SHA-256 of the hash
before it and of the line up to its own. Lines of matches may be in any order: they are numbered.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from ladder.core.seal import Contributions
from ladder.event.plan import EventPlan
from ladder.results import Round
from referee.match.outcome import MatchOutcome
from referee.text import printable

FORMAT: Final = 1
"""Of the file; a higher one is refused."""


ScheduleKey = tuple[int, int, int, int]
"""Where a match stands in the schedule: section, round, table, part; all counted from 0."""


class EventHeader(Struct, frozen=True):
    """The first line."""

    event: int
    digest: str
    plan: EventPlan


class EventRound(Struct, frozen=True):
    """A round begins: its section and its number, and what is played in it."""

    round: tuple[int, int]
    tables: tuple[tuple[int, ...], ...]
    first: int
    blocks: int
    byes: tuple[int, ...]
    label: str


class Forfeit(Struct, frozen=True):
    """A bot that did not play a match, and why: what it had played before, by `benching.reason`."""

    bot: int
    reason: str


class MatchLine(Struct, frozen=True, omit_defaults=True):
    """A match is over: a table of a round, or some blocks of it.

    Attributes:
        forfeits: its bots that were benched before it, in the order of their places.
        decks: where the event is sealed, what names its decks before the key is published.
    """

    match: ScheduleKey
    outcome: MatchOutcome
    forfeits: tuple[Forfeit, ...] = ()
    decks: str = ""


class EventEnd(Struct, frozen=True):
    """The event is over: the digest of all game digests in the order of the schedule, the key.

    Where the event is sealed, `key` is the organiser's secret, and decks follow from that and the
    contributions.
    """

    end: str
    key: str


Line = EventHeader | Contributions | EventRound | MatchLine | EventEnd

_DECODERS: Final[Mapping[bytes, msgspec.json.Decoder[Line]]] = {
    kind.__struct_fields__[0].encode(): msgspec.json.Decoder(kind, strict=True)
    for kind in (EventHeader, Contributions, EventRound, MatchLine, EventEnd)
}


class _Format(Struct, frozen=True):
    event: int


_encode = msgspec.json.Encoder().encode
BEGINNING: Final = b'{"event":'
"""What the first line begins with."""
NO_LINE: Final = "it is no line of the log of an event"
_OPENING: Final = b',"hash":"'
_CLOSING: Final = b'"}\n'
_HASH_DIGITS: Final = 64


class BadEventLine(Exception):
    """A line that no log of this format has. Caught by the reader, which adds its number."""


def kind_of(text: bytes) -> bytes:
    """The first key of a line."""
    return text[2 : text.find(b'"', 2)]


def decode(text: bytes) -> Line:
    """Reads a line.

    Raises:
        BadLine: saying what is wrong with it.
    """
    decoder = _DECODERS.get(kind_of(text))
    if decoder is None:
        raise BadEventLine(NO_LINE)
    try:
        return decoder.decode(text)
    except (ValueError, RecursionError) as error:
        raise BadEventLine(printable(str(error))) from error


def format_of(text: bytes) -> int:
    """The format that a first line names.

    Raises:
        BadLine: it names none.
    """
    try:
        found = msgspec.json.decode(text, type=_Format)
    except (ValueError, RecursionError) as error:
        raise BadEventLine(printable(str(error))) from error
    return found.event


def round_line(section: int, number: int, played: Round) -> EventRound:
    """What the log keeps of a round."""
    tables = tuple(table.bots for table in played.tables)
    return EventRound(
        (section, number), tables, played.first, played.blocks, played.byes, played.label
    )


class EventChain:
    """The hashes of a log."""

    def __init__(self) -> None:
        """Begins before the first line."""
        self._last = b""

    def sealed(self, line: Line) -> bytes:
        """A line as it stands in the file."""
        body = _encode(line)[:-1] + _OPENING
        return body + self._close(body) + _CLOSING

    def check(self, text: bytes) -> bool:
        """Takes in a line as it stands in a file; False when it carries a wrong hash."""
        body = text[: -_HASH_DIGITS - len(_CLOSING)]
        return body.endswith(_OPENING) and text == body + self._close(body) + _CLOSING

    def _close(self, body: bytes) -> bytes:
        self._last = hashlib.sha256(self._last + body).hexdigest().encode()
        return self._last
