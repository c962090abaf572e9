"""The records of matches that are played just now: where they are, and how far they may be shown.

A deck is dealt once in each leg of a match, so what it has is told only when the last leg has
dealt it, too: until then a person who saw its cards would know what is to come.
"""

import errno
import os
import stat
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ladder.files.record_store import RECORDS
from referee.errors import RefereeError
from referee.record.reader import RecordReader
from referee.workers.jobs import UNFINISHED

_PREFIX: Final = ".playing-"
_TOKEN: Final = 16
"""So many characters of a lease's token are in the name of its file."""

_LEG, _DEAL_END = b'{"leg":', b'{"deal_end":'
_PIECE: Final = 1 << 20
_HOW: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def paths(folder: Path) -> Iterator[Path]:
    """Yield the files of all runners, also of those that were killed.

    Args:
        folder: where the ladder has its files.
    """
    return (folder / RECORDS).glob(f"{_PREFIX}*")


def path_of(folder: Path, owner: str, token: str) -> Path:
    """Return where a runner has the record of a job while it is played.

    Args:
        folder: where the ladder has its files.
        owner: the runner's name.
        token: of its lease.
    """
    return folder / RECORDS / f"{_PREFIX}{owner}={token[:_TOKEN]}"


def written_to(folder: Path, owner: str, token: str) -> Path:
    """Return where the same record is until it is complete; for arguments see `path_of`."""
    path = path_of(folder, owner, token)
    return path.with_name(path.name + UNFINISHED)


def owner_of(path: Path) -> str:
    """Return the name of the runner whose file it is."""
    return path.name.removeprefix(_PREFIX).split("=")[0]


class LiveRecord:
    """A record that a runner writes, read as far as it has come. To be closed.

    Where another file has taken its place, as when a job is played again, all begins anew.

    Attributes:
        path: of the file.
        deals: how many deals are over, in all legs together.
    """

    def __init__(self, path: Path) -> None:
        """Nothing was read yet.

        Args:
            path: of the file; it need not be there yet.
        """
        self.path = path
        self._file = -1
        """Held open: no other file has its number meanwhile."""
        self._begin()

    def _begin(self) -> None:
        self.deals = self._legs = self._leg = self._of_leg = self._offset = 0
        self._line = b""
        """How the line begins whose end is not there yet."""
        self._over: deque[tuple[float, int]] = deque([(0.0, 0)])
        """How many decks were over, and since when, by the machine's clock."""

    @property
    def opened(self) -> Path:
        """The file that was read, whatever has its name by now."""
        return Path(f"/proc/self/fd/{self._file}")

    def look(self) -> bool:
        """Read what has come since, and return whether the file is there."""
        try:
            file = os.open(self.path, _HOW)
        except OSError:
            return False  # not begun, or its match is over
        try:
            self._take(file)
            if not self._has_header():
                return True
            while data := os.pread(self._file, _PIECE, self._offset):
                self._offset += len(data)
                self._count(data)
            self._note(os.fstat(self._file).st_mtime)  # after reading: it is never too early
        except OSError:
            self.close()
            return False
        return True

    def decks(self, delay_s: float) -> int:
        """Return how many decks are over in all legs, and were so long ago."""
        before = time.time() - delay_s
        while len(self._over) > 1 and self._over[1][0] <= before:
            self._over.popleft()
        at, decks = self._over[0]
        return decks if at <= before else 0

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._begin()

    def __del__(self) -> None:
        """One that is forgotten lets go of its file, too."""
        self.close()

    def _take(self, file: int) -> None:
        """Read this file from now on, from its beginning if it is another one than before.

        Raises:
            OSError: it is none that can be read.
        """
        found = os.fstat(file)
        if self._file >= 0 and os.path.samestat(found, os.fstat(self._file)):
            os.close(file)
        else:
            self.close()
            self._file = file
        if not stat.S_ISREG(found.st_mode) or found.st_size < self._offset:
            raise OSError(errno.EINVAL, "it is not what a runner writes")

    def _has_header(self) -> bool:
        """Whether the first line is there, which says how many legs there are to be."""
        if not self._legs:
            with suppress(RefereeError), RecordReader(self.opened) as reader:
                self._legs = reader.header.legs
        return self._legs > 0

    def _count(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[: len(_DEAL_END)]
        for line in lines:
            if line.startswith(_LEG):
                self._leg, self._of_leg = self._leg + 1, 0
            elif line.startswith(_DEAL_END):
                self.deals, self._of_leg = self.deals + 1, self._of_leg + 1

    def _note(self, at: float) -> None:
        decks = self._of_leg if self._leg == self._legs else 0
        if decks > self._over[-1][1]:
            self._over.append((at, decks))
