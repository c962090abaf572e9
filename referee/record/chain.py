"""The lines of a record as bytes, and the chain of hashes through them. No files."""

import hashlib
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from referee.match.lines import (
    ActLine,
    DealEndLine,
    DealLine,
    EndLine,
    FrozenLine,
    Header,
    LegLine,
    Line,
    StartLine,
    VoidLine,
)
from referee.match.verdict import Verdict
from referee.text import printable

_DECODERS: Final[Mapping[bytes, msgspec.json.Decoder[Line]]] = {
    kind.__struct_encode_fields__[0].encode(): msgspec.json.Decoder(kind, strict=True)
    for kind in (
        Header,
        LegLine,
        DealLine,
        StartLine,
        ActLine,
        Verdict,
        FrozenLine,
        VoidLine,
        DealEndLine,
        EndLine,
    )
}
_encode = msgspec.json.Encoder().encode
_OPENING: Final = b',"hash":"'
_CLOSING: Final = b'"}\n'
_SEALED_LINES: Final = frozenset((DealEndLine, EndLine))
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
        raise BadLine(printable(str(error))) from error


def is_written_so(line: Line, text: bytes) -> bool:
    """Whether this is how we write a line: a field that is there twice is read otherwise elsewhere.

    Args:
        line: as it was read.
        text: as it stands in a file.
    """
    return _encode(line) == text[:-1]


class _Format(Struct, frozen=True):
    record: int


def format_of(header: bytes) -> int | None:
    """Return the format that the first line of a record names; None where it is no such line."""
    try:
        return msgspec.json.decode(header, type=_Format).record
    except (ValueError, RecursionError):
        return None


class Chain:
    """The hashes of a record.

    Each is the SHA-256 of all bytes from the first digit of the hash before it, or from the first
    byte of the file, up to its own first digit: every byte counts once, and no part can be left
    out or put elsewhere.
    """

    def __init__(self) -> None:
        """Begins before the first byte."""
        self._open: list[bytes] = []

    def encode(self, line: Line) -> bytes:
        """Return a line as it stands in a file; a `Sealed` one with the hash of all since the last.

        A line is encoded once, in the order of the record.
        """
        text = _encode(line)
        if type(line) not in _SEALED_LINES:
            text += b"\n"
            self._open.append(text)
            return text
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
