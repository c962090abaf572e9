"""The file of a record while it is read: whole lines, numbered, and whether the chain holds.

The file may be compressed with Zstandard, as a ladder keeps it.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Self

from referee.errors import RefereeError
from referee.match.lines import FORMAT, Header, Line, Sealed
from referee.record.chain import BadLine, Chain, decode, format_of, is_written_so
from referee.record.compressed import MAGIC, Damaged, Unpacked
from referee.record.opened import opened
from referee.text import printable

LONGEST_LINE = 4 * 1024 * 1024
LONGEST_PART = 16 * 1024 * 1024
"""Between two hashes; a deal with every fault there is has less, and all of it is in memory."""


_LONGEST_WHAT = 2000


class Mismatch(Exception):
    """The record does not hold: the first thing that is wrong with it.

    Caught where a record is shown or verified.
    """

    def __init__(self, line: int, what: str) -> None:
        """Names the line of the file, counted from 1; what is wrong is cut where it is long."""
        if len(what) > _LONGEST_WHAT:
            what = f"{what[:_LONGEST_WHAT]} ... ({len(what):,} characters)"
        super().__init__(f"line {line}: {printable(what)}")


class RecordReader:
    """Hands out a record's lines one by one; a context that closes the file.

    Attributes:
        number: the number of the line that was handed out last, counted from 1.
        torn: the number of a last line that has no newline, and was therefore left out.
    """

    def __init__(self, path: Path) -> None:
        """Opens a record and reads its header.

        Raises:
            RefereeError: there is no such file, it is no record, or of a newer format.
        """
        self.number = 0
        self.torn: int | None = None
        self._path = path
        self._chain = Chain()
        with ExitStack() as held:
            try:
                file = held.enter_context(opened(path, "record"))
                packed = file.peek(len(MAGIC)).startswith(MAGIC)
            except OSError as error:
                raise RefereeError(f"record {str(path)!r}: {error.strerror}") from error
            self._text: BinaryIO | Unpacked = Unpacked(file) if packed else file
            self._lines = self._read()
            self.header = self._read_header()
            self._opened = held.pop_all()

    def _read_header(self) -> Header:
        try:
            first = next(self._lines, None)
        except OSError as error:
            raise RefereeError(f"record {str(self._path)!r}: {error.strerror}") from error
        except Mismatch as error:
            raise RefereeError(f"{str(self._path)!r} is no record: {error}") from error
        if not isinstance(first, Header):
            raise RefereeError(f"{str(self._path)!r} is no record: it does not begin with a header")
        return first

    def _read(self) -> Iterator[Line]:
        part = 0
        while text := self._next_text():
            self.number += 1
            part += len(text)
            if not text.endswith(b"\n"):
                if len(text) == LONGEST_LINE:
                    raise Mismatch(self.number, f"it is longer than {LONGEST_LINE} bytes")
                self.torn = self.number
                return
            if self.number == 1:
                self._check_format(text)
            try:
                line = decode(text[:-1])
            except BadLine as error:
                raise Mismatch(self.number, str(error)) from error
            if not is_written_so(line, text):
                raise Mismatch(self.number, "it is not as a referee writes it")
            if not self._chain.check(text):
                raise Mismatch(self.number, "its hash does not fit the lines before it")
            part = 0 if isinstance(line, Sealed) else part
            if part > LONGEST_PART:
                raise Mismatch(self.number, f"there is no hash in {LONGEST_PART} bytes")
            yield line

    def _check_format(self, text: bytes) -> None:
        """Look at the format before all else: in another one the header has other fields."""
        found = format_of(text)
        if found not in (None, FORMAT):
            raise RefereeError(
                f"record {str(self._path)!r} has format {found}; this referee reads {FORMAT}"
            )

    def _next_text(self) -> bytes:
        try:
            return self._text.readline(LONGEST_LINE)
        except Damaged as error:
            raise Mismatch(self.number + 1, str(error)) from error

    def __iter__(self) -> Iterator[Line]:
        return self._lines

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()
