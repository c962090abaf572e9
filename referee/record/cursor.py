"""The lines of a record, one after the other, while the match is played again."""

from collections.abc import Iterator
from itertools import chain, islice

from referee.match.lines import FrozenLine, Line
from referee.record.reader import RecordReader


class Stopped(Exception):
    """The record ends here, before the match does. Caught by `Resimulation`."""


class Cursor:
    """A place between two lines of a record; lines from which nothing follows are passed over.

    Attributes:
        begins: the first two lines after the header, or fewer where there are no more.
        number: the number of the line that was looked at last, counted from 1.
    """

    def __init__(self, reader: RecordReader) -> None:
        """Begin after the header.

        Raises:
            Mismatch: one of the first lines is none.
        """
        self.header = reader.header
        self.number = reader.number
        self._reader = reader
        numbered = self._numbered()
        first = tuple(islice(numbered, 2))
        self.begins = tuple(line for _, line in first)
        self._lines = chain(first, numbered)
        self._line: Line | None = None

    def _numbered(self) -> Iterator[tuple[int, Line]]:
        for line in self._reader:
            if type(line) is not FrozenLine:
                yield self._reader.number, line

    def peek(self) -> Line:
        """Return the next line.

        Raises:
            Stopped: there is none.
            Mismatch: it is no line of a record.
        """
        if self._line is None:
            following = next(self._lines, None)
            if following is None:
                raise Stopped(self._why())
            self.number, self._line = following
        return self._line

    def advance(self) -> None:
        """Pass the line that `peek` returns."""
        self._line = None

    def at_end(self) -> bool:
        """Return whether the record has no other line, not even a torn one."""
        try:
            self.peek()
        except Stopped:
            return self._reader.torn is None
        return False

    def _why(self) -> str:
        torn = self._reader.torn
        if torn is not None:
            return f"line {torn} is torn and was left out"
        return f"it breaks off after line {self._reader.number}"
