"""The lines of a record, one after the other, while the match is played again."""

from collections import deque
from collections.abc import Iterator
from itertools import islice

from referee.match.lines import FrozenLine, LegLine, Line
from referee.record.reader import Mismatch, RecordReader


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
        self._following = iter(reader)
        self._looked_at: deque[tuple[int, Line]] = deque()
        self._line: Line | None = None
        self._places = 0
        for line in islice(self._others(), 2):
            self._looked_at.append((reader.number, line))
        self.begins = tuple(line for _, line in self._looked_at)

    def peek(self) -> Line:
        """Return the next line.

        Raises:
            Stopped: there is none.
            Mismatch: it is no line of a record.
        """
        line = self._line
        if line is None:
            line = self._line = self._next()
        return line

    def _next(self) -> Line:
        if self._looked_at:
            self.number, line = self._looked_at.popleft()
            return line
        for line in self._others():
            self.number = self._reader.number
            return line
        raise Stopped(self._why())

    def _others(self) -> Iterator[Line]:
        """Yield the lines that follow but those on bots that were stopped, which change nothing.

        Raises:
            Mismatch: one is no line of a record, or on a place that there is not.
        """
        for line in self._following:
            if type(line) is LegLine:
                self._places = len(line.seats)
            if type(line) is not FrozenLine:
                yield line
            elif line.frozen >= self._places:
                raise Mismatch(self._reader.number, f"there is no place {line.frozen}")

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
