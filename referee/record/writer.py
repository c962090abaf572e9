"""The file of a record while it is written.

Lines of acts are held for a moment, since a write for each would cost an act a twentieth; every
other line is with the kernel before we go on, and so is all before it. A referee that is killed
loses acts of the deal under way at most, which does not count.
"""

import os
from errno import EISDIR
from pathlib import Path
from typing import Final

from referee.errors import HostError, RefereeError
from referee.match.lines import ActLine, DealLine, Line
from referee.record.chain import Chain

HELD: Final = 1024
"""How many bytes of acts are held before they are written, at most a line more."""

_HELD_KINDS: Final = (ActLine, DealLine)
"""A deal that does not come to its end does not count: of these nothing is missed."""


class NoRecord:
    """Takes the lines of a record that is not kept."""

    def write(self, line: Line) -> None:
        """Drops a line."""

    def flush(self) -> None:
        """Nothing is held."""


class Recorder:
    """Writes a record, line by line."""

    def __init__(self, path: Path) -> None:
        """Makes the file, and its folder.

        Raises:
            RefereeError: the file holds something already, or cannot be made.
        """
        self.path = path
        self._chain = Chain()
        self._held: list[bytes] = []
        self._size = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(EISDIR, "Is a directory")
            new = not path.exists() or path.stat().st_size  # an empty file may be used
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            if not str(path).startswith("/dev/"):  # where a link leads is not seen in its name
                flags |= os.O_NOFOLLOW
            self._file = os.open(path, flags | (os.O_EXCL if new else 0), 0o644)
        except FileExistsError as error:
            line = f"record {str(path)!r} exists already; it is not written over"
            raise RefereeError(line) from error
        except OSError as error:
            raise RefereeError(f"record {str(path)!r}: {error.strerror}") from error

    def write(self, line: Line) -> None:
        """Write a line, with its hash where it has one; hold acts, and where a deal begins.

        Raises:
            HostError: the file cannot be written.
        """
        data = self._chain.encode(line)
        self._held.append(data)
        self._size += len(data)
        if self._size >= HELD or type(line) not in _HELD_KINDS:
            self.flush()

    def flush(self) -> None:
        """Give the kernel what is held, as is due before every wait.

        Raises:
            HostError: the file cannot be written.
        """
        data = b"".join(self._held)
        self._held.clear()
        self._size = 0
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise HostError(f"record {str(self.path)!r}: {error.strerror}") from error

    def close(self) -> None:
        """Close the file.

        Raises:
            HostError: what was held cannot be written.
        """
        try:
            self.flush()
        finally:
            os.close(self._file)
