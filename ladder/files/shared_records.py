"""The records of a ladder on all its machines: in the folder of each, and in the store, if any.

With a store (`ladder.files.object_store`) the folder of a machine has copies: of what was played
there, and of what was looked at there. A record is in the store before the ladder's facts speak of
it; what comes from there is compared with its hash before it has a name here. In the store it is
called as in the folder, and what bots wrote to stderr beside it `stderr/<record>/<own hash>.zst`.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ladder.files import record_store
from ladder.files.disk_limits import read_limits
from ladder.files.object_store import Absent, Objects, named, store_of
from ladder.terms import LARGEST_RECORD
from referee.errors import HostError, RefereeError
from referee.record.stderr_log import stderr_file
from referee.whole_file import atomic_write

_STDERR: Final = "stderr"
_ENDING: Final = ".zst"
_PIECE: Final = 1 << 18

_TRIMMED_ONE_IN: Final = 500
"""Of so many records that are shared or shown, one has the copies here looked at."""

_IN_USE_S: Final = 3600.0
"""A copy that was used since stays: it may just be read, or not be in the store yet."""


def share(files: Path, sha: str) -> None:
    """Put a record that was kept here, and what bots wrote, where other machines find it.

    Args:
        files: the folder of the ladder's files.
        sha: its hash.

    Raises:
        StoreAway: the store does not let us.
    """
    store = store_of(files)
    if store is not None:
        _put(store, record_store.path_of(files, sha))
        _trim_now_and_then(files)


def _put(store: Objects, path: Path) -> None:
    said = stderr_file(path)
    if said.exists():
        store.put(f"{_STDERR}/{_hash_of_record(path)}/{_hash_of(said)}{_ENDING}", said)
    store.put(_name(_hash_of_record(path)), path)


def found(files: Path, sha: str) -> Path:
    """Return where a record lies, or would if it were there; one of the store is brought first.

    Args:
        files: the folder of the ladder's files.
        sha: its hash.

    Raises:
        RefereeError: that is no hash, or what the store has is something else.
        StoreAway: the store does not answer.
        HostError: the disk does not let us.
    """
    return brought(record_store.path_of(files, sha))


def brought(path: Path) -> Path:
    """Return the path of a record, which is there now if the store has it; see `found`."""
    store = store_of(path.parents[2])
    if store is not None:
        bring(store, path)
    return path


def brought_to_show(path: Path) -> Path:
    """As `brought`, where people look at one record after the other: old copies go."""
    if store_of(path.parents[2]) is not None:
        _trim_now_and_then(path.parents[2])
    return brought(path)


def bring(store: Objects, path: Path) -> None:
    """Have a record here that a store has; for errors see `found`."""
    if path.exists():
        with suppress(OSError):
            os.utime(path)  # it is used
        return
    sha = _hash_of_record(path)
    with suppress(Absent):
        pieces = store.pieces(_name(sha), LARGEST_RECORD)
        record_store.keep_packed(path.parents[2], pieces, wanted=sha)


def may_be_there(files: Path, sha: str) -> bool:
    """Whether a record is there, or may be in the store, which is not asked."""
    return record_store.path_of(files, sha).is_file() or named(files) is not None


def found_stderr(files: Path, sha: str) -> Path:
    """Return where the stderr of a match lies, as `found` does for its record."""
    path, store = record_store.path_of(files, sha), store_of(files)
    if store is not None:
        bring_stderr(store, path)
    return stderr_file(path)


def bring_stderr(store: Objects, record: Path) -> None:
    """Have the stderr here that a store has beside a record; for errors see `found`."""
    if not stderr_file(record).exists():
        for one in store.listed(f"{_STDERR}/{_hash_of_record(record)}"):
            _take_stderr(store, one.name, stderr_file(record))


def _take_stderr(store: Objects, name: str, to: Path) -> None:
    digest = hashlib.sha256()
    try:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(to, mode=0o600) as file:
            for piece in store.pieces(name, LARGEST_RECORD):
                digest.update(piece)
                file.write(piece)
            if digest.hexdigest() != Path(name).name.removesuffix(_ENDING):
                raise RefereeError(f"'{store.url}/{name}' was changed")
    except Absent:
        return  # the ladder has let it go meanwhile
    except OSError as error:
        raise HostError(f"{str(to)!r}: {error.strerror}") from error


def remove(files: Path, hashes: Collection[str]) -> int | None:
    """Remove records that a policy lets go, here and in the store; see `record_store.remove`.

    Raises:
        StoreAway: the store does not let us.
        HostError: the folder does not let us.
    """
    removed, store = record_store.remove(files, hashes), store_of(files)
    if removed is None or store is None:
        return removed
    there = store.remove([_name(sha) for sha in hashes])
    store.remove([one.name for sha in hashes for one in store.listed(f"{_STDERR}/{sha}")])
    return max(removed, there)


def discard(files: Path, sha: str) -> None:
    """Remove a record that has become part of no fact, here and in the store.

    Raises:
        StoreAway: the store does not let us.
    """
    path, store = record_store.path_of(files, sha), store_of(files)
    path.unlink(missing_ok=True)
    stderr_file(path).unlink(missing_ok=True)
    if store is not None:
        store.remove([_name(sha), *(one.name for one in store.listed(f"{_STDERR}/{sha}"))])


def sweep(files: Path, known: Callable[[str], bool], older_than: float) -> int:
    """Remove what no match has, here and in the store; see `record_store.sweep`.

    Raises:
        StoreAway: the store does not let us.
        HostError: the folder does not let us.
    """
    removed, store = record_store.sweep(files, known, older_than), store_of(files)
    if store is None:
        return removed
    before = time.time() - older_than
    orphans = [
        one.name
        for one in (*store.listed(record_store.RECORDS), *store.listed(_STDERR))
        if one.at < before and (sha := _hash_in(one.name)) and not known(sha)
    ]
    store.remove(orphans)
    return removed + len(orphans)


def by_hash(files: Path) -> dict[str, int] | None:
    """Return the bytes of each record in the store; None where the ladder has none.

    Raises:
        StoreAway: the store does not answer.
    """
    store = store_of(files)
    return None if store is None else listed_in(store)


def listed_in(store: Objects) -> dict[str, int]:
    """Return the bytes of each record in a store.

    Raises:
        StoreAway: the store does not answer.
    """
    listed = ((_hash_in(one.name), one.size) for one in store.listed(record_store.RECORDS))
    return {sha: size for sha, size in listed if sha}


def put_all(files: Path, store: Objects, watch: Callable[[], None]) -> int:
    """Put the records that lie here into a store, but those that it has; return how many.

    Args:
        files: the folder of the ladder's files.
        store: it.
        watch: is called for each of them.

    Raises:
        StoreAway: the store does not let us.
    """
    there = listed_in(store)
    lacking = [path for _, _, path in _copies(files) if _hash_of_record(path) not in there]
    for path in lacking:
        _put(store, path)
        watch()
    return len(lacking)


def bring_all(files: Path, store: Objects, watch: Callable[[], None]) -> int:
    """Have all records here that a store has; return how many came.

    Args:
        files: the folder of the ladder's files.
        store: it.
        watch: is called for each that comes.

    Raises:
        RefereeError: what the store has is something else.
        StoreAway: it does not answer.
        HostError: the disk does not let us.
    """
    every = (record_store.path_of(files, sha) for sha in listed_in(store))
    lacking = [path for path in every if not path.exists()]
    for path in lacking:
        bring(store, path)
        bring_stderr(store, path)
        watch()
    return len(lacking)


def trim(files: Path) -> int:
    """Remove the copies here that were not used for longest, beyond the ladder's bound.

    Args:
        files: the folder of the ladder's files; it has a store, which has all that lies here.

    Returns:
        How many records were removed.
    """
    left, before, removed = read_limits(files).copies << 20, time.time() - _IN_USE_S, 0
    for used, size, path in sorted(_copies(files), reverse=True):
        left -= size
        if left < 0 and used < before:
            path.unlink(missing_ok=True)
            stderr_file(path).unlink(missing_ok=True)
            removed += 1
    return removed


def _copies(files: Path) -> Iterator[tuple[float, int, Path]]:
    """Yield when each record here was used last, its bytes with its stderr, and where it lies."""
    for path in (files / record_store.RECORDS).glob(f"??/*{record_store.ENDING}"):
        if not _hash_in(str(path.relative_to(files))):
            continue  # it is none of ours
        with suppress(FileNotFoundError):
            status, said = path.stat(), stderr_file(path)
            size = status.st_size + (said.stat().st_size if said.exists() else 0)
            yield status.st_mtime, size, path


def _trim_now_and_then(files: Path) -> None:
    if secrets.randbelow(_TRIMMED_ONE_IN) == 0:
        trim(files)


def _name(sha: str) -> str:
    """What a record is called in the store: as in the folder of a ladder."""
    return str(record_store.path_of(Path(), sha))


def _hash_of_record(path: Path) -> str:
    return path.name.removesuffix(record_store.ENDING)


def _hash_in(name: str) -> str:
    """The hash of the record to which a file of the store belongs; "" if it is none of ours."""
    parts = Path(name).parts
    sha = parts[1] if parts[0] == _STDERR else parts[-1].removesuffix(record_store.ENDING)
    try:
        return sha if parts[0] == _STDERR or _name(sha) == name else ""
    except RefereeError:
        return ""


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
