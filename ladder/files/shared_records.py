"""The records of a ladder on all its machines: in the folder of each, and in the store, if any.

With a store (`ladder.files.object_store`) the folder of a machine has copies: of what was played
there, and of what was looked at there. A record is in the store before the ladder's facts speak of
it; what comes from there is compared with its hash before it has a name here. In the store it is
called as in the folder; what bots wrote to stderr beside it is `stderr/ab/<record>`, and begins
with the 32 bytes of its own hash.
"""

import hashlib
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from ladder.files import record_store
from ladder.files.disk_limits import read_limits
from ladder.files.object_store import Absent, Objects, named, store_of
from ladder.terms import LARGEST_RECORD
from referee.errors import HostError, RefereeError, shortage
from referee.record.stderr_log import stderr_file
from referee.whole_file import atomic_write

_STDERR: Final = "stderr"

_DIGEST: Final = 32

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


def _put(store: Objects, path: Path, *, replaces: bool = False) -> None:
    sha, said = _hash_of_record(path), stderr_file(path)
    if said.exists():
        with TemporaryDirectory(prefix="referee-stderr-") as folder, _told(said):
            content = said.read_bytes()
            packed = Path(folder) / sha
            packed.write_bytes(hashlib.sha256(content).digest() + content)
            store.put(_stderr_name(sha), packed)
    store.put(_name(sha), path, replaces=replaces)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in a line what the system says of a file here."""
    try:
        yield
    except OSError as error:
        told = HostError(f"{str(path)!r}: {error.strerror}")
        raise shortage(error) or told from error


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
    to, name = stderr_file(record), _stderr_name(_hash_of_record(record))
    if to.exists():
        return
    try:
        content = b"".join(store.pieces(name, LARGEST_RECORD))
    except Absent:
        return  # most bots write nothing
    if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
        raise RefereeError(f"'{store.url}/{name}' was changed")
    with _told(to):
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(to, mode=0o600) as file:
            file.write(content[_DIGEST:])


def remove(files: Path, hashes: Collection[str]) -> int | None:
    """Remove records that a policy lets go, here and in the store; see `record_store.remove`.

    What is returned counts those that were here.

    Raises:
        StoreAway: the store does not let us.
        HostError: the folder does not let us.
    """
    removed, store = record_store.remove(files, hashes), store_of(files)
    if removed is None or store is None:
        return removed
    store.remove([name for sha in hashes for name in (_name(sha), _stderr_name(sha))])
    return removed


def discard(files: Path, sha: str) -> None:
    """Remove a record that has become part of no fact, here and in the store.

    Raises:
        StoreAway: the store does not let us.
    """
    path, store = record_store.path_of(files, sha), store_of(files)
    with _told(path):
        path.unlink(missing_ok=True)
        stderr_file(path).unlink(missing_ok=True)
    if store is not None:
        store.remove([_name(sha), _stderr_name(sha)])


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
    return max(removed, sum(name.startswith(record_store.RECORDS) for name in orphans))


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


def put_all(
    files: Path, store: Objects, wanted: Callable[[str], bool], watch: Callable[[], None]
) -> int:
    """Put the records that lie here into a store, but those that it has; return how many.

    One that is cut there is replaced; one that is not what its hash says stays here.

    Args:
        files: the folder of the ladder's files.
        store: it.
        wanted: whether the record of a hash belongs there.
        watch: is called for each of them.

    Raises:
        StoreAway: the store does not let us.
        HostError: one cannot be read.
    """
    there, done = listed_in(store), 0
    for _, _, path in _copies(files):
        sha, size = _hash_of_record(path), path.stat().st_size
        if not wanted(sha) or there.get(sha) == size:
            continue
        if record_store.difference(path, sha, size) is None:  # else `verify` tells it
            _put(store, path, replaces=sha in there)
            done += 1
            watch()
    return done


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
    every = [record_store.path_of(files, sha) for sha in listed_in(store)]
    done = 0
    for path in every:
        if not path.exists():
            bring(store, path)
            done += 1
            watch()
    said = (_hash_in(one.name) for one in store.listed(_STDERR))
    for sha in filter(None, said):
        bring_stderr(store, record_store.path_of(files, sha))
    return done


def trim(files: Path) -> int:
    """Remove the copies here that were not used for longest, beyond the ladder's bound.

    What the store has not, or not as it is here, stays: `referee ladder store URL` puts it there.

    Args:
        files: the folder of the ladder's files.

    Returns:
        How many records were removed.

    Raises:
        RefereeError: the ladder's limits cannot be read.
        StoreAway: the store does not answer.
        HostError: the disk does not let us.
    """
    left, before, going = read_limits(files).copies << 20, time.time() - _IN_USE_S, []
    store = store_of(files)
    for used, size, path in sorted(_copies(files), reverse=True):
        left -= size
        if left < 0 and used < before:
            going.append(path)
    if not going or store is None:
        return 0
    there, removed = listed_in(store), 0
    for path in going:
        with _told(path), suppress(FileNotFoundError):
            if there.get(_hash_of_record(path)) == path.stat().st_size:
                path.unlink()
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
        with suppress(RefereeError, HostError):  # the next time; what is done now does not need it
            trim(files)


def _name(sha: str) -> str:
    """What a record is called in the store: as in the folder of a ladder."""
    return str(record_store.path_of(Path(), sha))


def _hash_of_record(path: Path) -> str:
    return path.name.removesuffix(record_store.ENDING)


def _hash_in(name: str) -> str:
    """The hash of the record to which a file of the store belongs; "" if it is none of ours."""
    sha = Path(name).name.removesuffix(record_store.ENDING)
    try:
        return sha if name in (_name(sha), _stderr_name(sha)) else ""
    except RefereeError:
        return ""


def _stderr_name(sha: str) -> str:
    """What the stderr beside a record is called in the store."""
    return f"{_STDERR}/{Path(_name(sha)).parent.name}/{sha}"
