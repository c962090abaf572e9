"""The records of matches that are played just now: where they are, and how far they may be shown.

A deck is dealt once in each leg of a match, so what it has is told only when the last leg has
dealt it, too: until then whoever saw its cards would know what is to come.
"""

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
    """A record that a runner writes, read as far as it has come.

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
        self.deals = 0
        self._legs = self._leg = self._of_leg = 0
        self._offset = 0
        self._line = b""
        """How the line begins whose end is not there yet."""
        self._over: deque[tuple[float, int]] = deque([(0.0, 0)])
        """How many decks were over, and since when, by the machine's clock."""

    def look(self) -> bool:
        """Read what has come since, and return whether the file is there."""
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return False  # not begun, or its match is over
        try:
            found = os.fstat(file)
            if stat.S_ISREG(found.st_mode) and self._has_header():
                while data := os.pread(file, _PIECE, self._offset):
                    self._offset += len(data)
                    self._count(data)
                self._note(found.st_mtime)
        finally:
            os.close(file)
        return True

    def decks(self, delay_s: float) -> int:
        """Return how many decks are over in all legs, and were so long ago."""
        before = time.time() - delay_s
        while len(self._over) > 1 and self._over[1][0] <= before:
            self._over.popleft()
        at, decks = self._over[0]
        return decks if at <= before else 0

    def _has_header(self) -> bool:
        """Whether the first line is there, which says how many legs there are to be."""
        if not self._legs:
            with suppress(RefereeError), RecordReader(self.path) as reader:
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
