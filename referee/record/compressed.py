"""A file that was compressed with Zstandard, line by line; memory stays bounded.

The maker of the file may mean us ill: what a few bytes can become has a limit, and so has the
window that the file makes us keep. A file whose end is cut off, or that goes on after it, is told
from a whole one, and so is one whose checksum is another, if it has one.
"""

from typing import BinaryIO, Final

import zstandard

MAGIC: Final = zstandard.FRAME_HEADER
"""What such a file begins with."""

LARGEST_WINDOW: Final = 8 * 1024 * 1024
"""What every decoder is asked to do with (RFC 8878, 3.1.1.1.2)."""

_PIECE: Final = 256
"""Four bytes can become 128 KiB: so many bytes become at most 8 MiB."""

_STEP: Final = 16 * 1024
"""What the decoder takes memory for at once: more than pieces of that size usually become."""


class Damaged(Exception):
    """The file is not as it was written. Caught where its name is known."""


class Unpacked:
    """What a compressed file holds, read from its beginning to its end."""

    def __init__(self, packed: BinaryIO) -> None:
        """Reads nothing yet; the caller, who has opened the file, closes it."""
        self._packed = packed
        decompressor = zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW)
        self._decoder = decompressor.decompressobj(write_size=_STEP)
        self._ready = b""
        self._at = 0

    def readline(self, limit: int) -> bytes:
        """The next line with its newline, or its first bytes; empty at the end.

        Args:
            limit: the most bytes.

        Raises:
            Damaged: the file is not as it was written.
        """
        pieces: list[bytes] = []
        while limit and (self._at < len(self._ready) or self._read_on()):
            begin, newline = self._at, self._ready.find(b"\n", self._at)
            end = newline + 1 or len(self._ready)
            self._at = min(end, begin + limit)
            pieces.append(self._ready[begin : self._at])
            limit -= self._at - begin
            if self._at == newline + 1:
                break
        return b"".join(pieces)

    def _read_on(self) -> bool:
        """Has some more bytes ready; False at the end."""
        self._ready, self._at = b"", 0
        while not self._ready:
            more = self._packed.read(_PIECE)
            if self._decoder.eof:
                if more or self._decoder.unused_data:
                    raise Damaged("something stands after its compressed bytes")
                return False
            if not more:
                raise Damaged("its compressed bytes are cut off")
            try:
                self._ready = self._decoder.decompress(more)
            except zstandard.ZstdError as error:
                what = str(error).rpartition(": ")[2].lower()
                raise Damaged(f"its compressed bytes are damaged: {what}") from error
        return True
