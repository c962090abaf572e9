"""The file of a record while it is written. Every line is with the kernel before we go on."""

import os
from errno import EISDIR
from pathlib import Path

from referee.errors import HostError, RefereeError
from referee.match.lines import Line
from referee.record.chain import Chain


class NoRecord:
    """Takes the lines of a record that is not kept."""

    def write(self, line: Line) -> None:
        """Drops a line."""


class Recorder:
    """Writes a record, line by line."""

    def __init__(self, path: Path) -> None:
        """Makes the file, and its folder.

        Raises:
            RefereeError: the file holds something already, or cannot be made.
        """
        self.path = path
        self._chain = Chain()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise IsADirectoryError(EISDIR, "Is a directory")
            new = not path.exists() or path.stat().st_size  # an empty file may be used
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
            self._file = os.open(path, flags | (os.O_EXCL if new else 0), 0o644)
        except FileExistsError as error:
            line = f"record {str(path)!r} exists already; it is not written over"
            raise RefereeError(line) from error
        except OSError as error:
            raise RefereeError(f"record {str(path)!r}: {error.strerror}") from error

    def write(self, line: Line) -> None:
        """Write a line, with its hash where it has one.

        Raises:
            HostError: the file cannot be written.
        """
        data = self._chain.encode(line)
        try:
            written = os.write(self._file, data)
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError as error:
            raise HostError(f"record {str(self.path)!r}: {error.strerror}") from error

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)
