"""The lines of a record, their order of bytes, and the chain of hashes through them. No files.

SPEC 9 describes the format. A line's first key says what it is.
"""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from protocol.limits import NAME
from protocol.messages import Count, Rules, TimeControl
from referee.match.leg import DealResult
from referee.match.verdict import Blame, Evidence, FaultCode, Freeze, OnFault, Receipt

FORMAT: Final = 2
"""Of the file; a record of another format is refused."""

WIRE: Final = 2
"""Of the bytes that bots are sent; a record of another wire is not compared byte by byte."""


Short = Annotated[str, Meta(max_length=64)]
Note = Annotated[str, Meta(max_length=512)]


class BotLine(Struct, frozen=True):
    """Who played: the name, and the SHA-256 of what was run."""

    name: str
    hash: str


class Header(Struct, frozen=True):
    """The first line: what was agreed before the first card.

    Attributes:
        decks: how many decks stood alone, or None for a match to the game's own end.
        given: whether the decks were given by hand instead of derived from the block keys.
        sandbox: where the bots ran, and what bound them there.
        freeze: when they were stopped between their acts.
        pace_ms: how long after its act an answer was let through; 0 is at once.
    """

    record: Count
    wire: Count
    referee: str
    game: str
    options: dict[str, str]
    rules: Rules
    bots: tuple[BotLine, ...]
    decks: int | None
    given: bool
    seating: str
    legs: int
    on_fault: OnFault | None
    time: TimeControl
    sandbox: str = ""
    freeze: Freeze = Freeze.NEVER
    pace_ms: Count = 0


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
    """An action of the seat to move, with its receipt; seats are not named, they follow."""

    act: Short
    us: Receipt
    note: Note | None = None
    eval: int | None = None
    extra: Note | None = None


class FaultLine(Struct, frozen=True):
    """A fault of the process at this place."""

    fault: int
    code: FaultCode
    detail: str
    evidence: Evidence


class FrozenLine(Struct, frozen=True):
    """The process at this place is stopped between its acts from now on.

    Attributes:
        us: the processor time that it used while others thought.
    """

    frozen: int
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
    | FaultLine
    | FrozenLine
    | VoidLine
    | DealEndLine
    | EndLine
)
Sealed = DealEndLine | EndLine

_DECODERS: Final[Mapping[bytes, msgspec.json.Decoder[Line]]] = {
    kind.__struct_fields__[0].encode(): msgspec.json.Decoder(kind, strict=True)
    for kind in (
        Header,
        LegLine,
        DealLine,
        StartLine,
        ActLine,
        FaultLine,
        FrozenLine,
        VoidLine,
        DealEndLine,
        EndLine,
    )
}
_encode = msgspec.json.Encoder().encode
_OPENING: Final = b',"hash":"'
_CLOSING: Final = b'"}\n'
_SEALED: Final = (b'{"deal_end"', b'{"end"')


class BadLine(Exception):
    """A line that no record of this format has. Caught by the reader, which adds its number."""


def decode(line: bytes) -> Line:
    """Reads a line, its newline taken off.

    Raises:
        BadLine: saying what is wrong with it.
    """
    kind = line[2 : line.find(b'"', 2)] if line.startswith(b'{"') else b""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise BadLine("it is no line of a record")
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine(str(error)) from error


class Chain:
    """The hashes of a record.

    Each is the SHA-256 of all bytes from the first digit of the hash before it, or from the first
    byte of the file, up to its own first digit: every byte counts once, and no part can be left
    out or put elsewhere.
    """

    def __init__(self) -> None:
        """Begins before the first byte."""
        self._open: list[bytes] = []

    def plain(self, line: Line) -> bytes:
        """Writes a line that carries no hash."""
        text = _encode(line) + b"\n"
        self._open.append(text)
        return text

    def sealed(self, line: Sealed) -> bytes:
        """Writes a line with the hash of everything since the last one."""
        text = _encode(line)
        body = text[: text.rindex(_OPENING)] + _OPENING
        digest = self._close(body)
        return body + digest + _CLOSING

    def check(self, line: bytes) -> bool:
        """Takes in a line as it stands in a file; False when it carries a wrong hash."""
        if not line.startswith(_SEALED):
            self._open.append(line)
            return True
        body = line[: line.rfind(_OPENING) + len(_OPENING)]
        return line == body + self._close(body) + _CLOSING

    def _close(self, body: bytes) -> bytes:
        digest = hashlib.sha256(b"".join((*self._open, body))).hexdigest().encode()
        self._open = [digest, _CLOSING]
        return digest


class GameDigest:
    """The name of what was played, without its times: equal in every run with the same key."""

    def __init__(self) -> None:
        """Begins before the first deal."""
        self._sha = hashlib.sha256()

    def add(self, deal: DealResult) -> None:
        """Takes in a finished deal: deck, dealer, seats, actions, faults, scores, sent bytes."""
        start = deal.start
        self._sha.update(
            _encode(
                (
                    start.deck,
                    start.dealer,
                    start.bots,
                    deal.acts,
                    deal.faults,
                    deal.account.points,
                    deal.scores,
                    deal.sent,
                )
            )
            + b"\n"
        )

    def end(self, scores: tuple[int, ...], winner: tuple[int, ...] | None, reason: str) -> str:
        """The digest, once the result is known."""
        final = self._sha.copy()
        final.update(_encode((scores, winner, reason)) + b"\n")
        return final.hexdigest()


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
