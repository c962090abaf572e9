"""The tables of a ladder as they were computed last, in its folder of files.

A table follows from the facts, and the hash of the last fact names them all: while that is the same
the table is, too. Only files of the ladder's owner are read; one that is damaged, or that another
version of the referee wrote, counts as none. `ladder rebuild` removes them. Beside them is what a
proof has found of favours, which takes all records: it is that of its day until the next.
"""

import hashlib
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from ladder.standings.favours import Favours
from ladder.standings.table import Standings
from referee.version import own_version
from referee.whole_file import atomic_write

REVISION: Final = 2
"""Raised whenever the same facts give other numbers."""

_FOLDER: Final = "cache"
_FAVOURS: Final = "favours.json"
_MODE: Final = 0o600


class _Cached(Struct, frozen=True):
    """A table and what it was computed from.

    Attributes:
        made_by: the version of the referee, and the revision of its statistics.
        head: the hash of the last fact.
        digest: SHA-256 of the table's JSON.
        table: the table's JSON.
    """

    made_by: str
    head: str
    digest: str
    table: msgspec.Raw


class _KeptFavours(Struct, frozen=True):
    """What a proof has found of favours, by pool, and what made it."""

    made_by: str
    pools: dict[int, Favours]


def read(files: Path, head: str, pool: int, *, everybody: bool) -> Standings | None:
    """Return a table that was computed from the same facts; None if there is none.

    Args:
        files: the ladder's folder of files.
        head: the hash of its last fact.
        pool: the number of the pool.
        everybody: whether older versions and retired bots have rows, too.
    """
    try:
        cached = msgspec.json.decode(
            _path(files, pool, everybody=everybody).read_bytes(), type=_Cached
        )
        if (cached.made_by, cached.head) != (_made_by(), head):
            return None
        if hashlib.sha256(cached.table).hexdigest() != cached.digest:
            return None
        return msgspec.json.decode(cached.table, type=Standings)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def write(files: Path, head: str, pool: int, table: Standings, *, everybody: bool) -> None:
    """Keep a table for the next time; where the folder does not let us, it is computed again.

    Args:
        files: the ladder's folder of files.
        head: the hash of the last fact that it was computed from.
        pool: the number of the pool.
        table: the table.
        everybody: whether older versions and retired bots have rows, too.
    """
    encoded = msgspec.json.encode(table)
    digest = hashlib.sha256(encoded).hexdigest()
    whole = msgspec.json.encode(_Cached(_made_by(), head, digest, msgspec.Raw(encoded)))
    path = _path(files, pool, everybody=everybody)
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with atomic_write(path, mode=_MODE) as file:
            file.write(whole)


def read_favours(files: Path, pool: int) -> Favours | None:
    """Return what the last proof has found of favours in a pool; None if nothing is kept."""
    try:
        kept = msgspec.json.decode((files / _FOLDER / _FAVOURS).read_bytes(), type=_KeptFavours)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return kept.pools.get(pool) if kept.made_by == _made_by() else None


def write_favours(files: Path, found: Mapping[int, Favours]) -> None:
    """Keep what a proof has found of favours, by pool, until the next.

    Raises:
        OSError: the folder does not let us.
    """
    path = files / _FOLDER / _FAVOURS
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with atomic_write(path, mode=_MODE) as file:
        file.write(msgspec.json.encode(_KeptFavours(_made_by(), dict(found))))


def favours_written(files: Path) -> int:
    """Return when favours were kept last, in ns since 1970; 0 for never."""
    try:
        return (files / _FOLDER / _FAVOURS).stat().st_mtime_ns
    except OSError:
        return 0


def clear(files: Path) -> None:
    """Remove all tables that were kept, and what was found of favours."""
    shutil.rmtree(files / _FOLDER, ignore_errors=True)


def _made_by() -> str:
    return f"{own_version()} {REVISION}"


def _path(files: Path, pool: int, *, everybody: bool) -> Path:
    return files / _FOLDER / f"standings-{pool}{'-all' if everybody else ''}.json"
