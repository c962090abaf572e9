"""What a stream of a page says, and how it is compressed once for all who follow it. Pure."""

import hashlib
import struct
import zlib
from typing import Final

from msgspec import Struct

HAS: Final = b"<has>"
"""Stands in a page for the digest of what it says; no text that was escaped has these bytes."""

_AGAIN_MS: Final = 2000
_GZIP: Final = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_LAST_BLOCK: Final = b"\x03\0"


class Piece(Struct, frozen=True):
    """A part of a stream, plain and as a block of deflate that refers to nothing before it."""

    plain: bytes
    packed: bytes

    @classmethod
    def of(cls, plain: bytes) -> "Piece":
        """Return a part with its block."""
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return cls(plain, packer.compress(plain) + packer.flush(zlib.Z_FULL_FLUSH))

    @property
    def size(self) -> int:
        """How many bytes it keeps."""
        return len(self.plain) + len(self.packed)


class Gzip:
    """A stream as RFC 1952 has it, of pieces that were compressed before, for many streams."""

    def __init__(self) -> None:
        """Nothing is said yet."""
        self._begin, self._crc, self._size = _GZIP, 0, 0

    def add(self, piece: Piece) -> bytes:
        """Return the bytes that say a piece."""
        self._crc = zlib.crc32(piece.plain, self._crc)
        self._size += len(piece.plain)
        begin, self._begin = self._begin, b""
        return begin + piece.packed

    def end(self) -> bytes:
        """Return the bytes that end it."""
        return self._begin + _LAST_BLOCK + struct.pack("<LL", self._crc, self._size % 2**32)


def main_of(page: bytes) -> bytes:
    """Return the part of a page that changes while it is open."""
    return page[page.index(b"<main") : page.rindex(b"</main>") + len(b"</main>")]


def digest_of(main: bytes) -> str:
    """Return what tells this part of a page from what it said before."""
    return hashlib.sha256(main).hexdigest()[:16]


def told(main: bytes) -> bytes:
    """Return the event that puts this part of a page in the place of the one that is there."""
    lines = b"\n".join(b"data: " + line for line in main.split(b"\n"))
    return b"id: %s\nretry: %d\n%s\n\n" % (digest_of(main).encode(), _AGAIN_MS, lines)


def with_digest(page: bytes) -> bytes:
    """Return a page that asks to be told of what it does not have yet."""
    return page.replace(HAS, digest_of(main_of(page)).encode()) if HAS in page else page
