"""The records of a ladder: compressed, each named by its hash, there whole or not at all.

A record is `records/ab/<sha256>.jsonl.zst` below the ladder's folder of files, and `ab` are the
first two digits of the hash of the file as it lies there. It is kept before the ladder's facts
speak of it: whatever ends us in between leaves an orphan, which `sweep` removes.
"""

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import zstandard

from ladder.terms import LARGEST_RECORD
from referee.errors import HostError, RefereeError, check_means
from referee.record.stderr_log import stderr_file
from referee.whole_file import sync_folder

RECORDS: Final = "records"
ENDING: Final = ".jsonl.zst"


class Changed(RefereeError):
    """A record is not what its hash says."""


class TooLarge(HostError):
    """A record has more bytes than a ladder keeps: it is its bots who fill it."""


class Unwritable(HostError):
    """The system does not let a ladder's records be written or read."""


_LEVEL: Final = 3
"""A third of the processor time of level 6, for files that are four per cent larger."""

_TEMPORARY: Final = ".tmp-"
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_PIECE: Final = 1 << 18


def keep(folder: Path, plain: Path) -> tuple[str, int]:
    """Puts a record into the vault; returns when it will outlast a loss of power.

    Args:
        folder: where the ladder has its files.
        plain: the record as it was written; it stays where it is.

    Returns:
        SHA-256 of the stored file, 64 hex digits, and its bytes.

    Raises:
        Unwritable: it cannot be kept; nothing of it is left then.
        HostError: nor is one that is too large.
    """
    with _told(plain), plain.open("rb") as file:
        compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        sha, size = keep_packed(folder, compressor.read_to_iter(file))
        if stderr_file(plain).exists():  # mostly no bot writes any
            shutil.move(stderr_file(plain), stderr_file(path_of(folder, sha)))
    return sha, size


def keep_packed(
    folder: Path, pieces: Iterable[bytes], wanted: str | None = None
) -> tuple[str, int]:
    """As `keep`, for a record that is compressed already; what it holds is not looked at.

    Args:
        folder: where the ladder has its files.
        pieces: its bytes.
        wanted: the hash that it has to have, if that is known.

    Raises:
        Changed: it has another one.
        Unwritable: it cannot be kept; nothing of it is left then.
        HostError: nor is one that is too large.
    """
    records = folder / RECORDS
    with _told(records):
        records.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _temporary(records) as (temporary, file):
            sha, size = _copied(pieces, file)
            if wanted not in (None, sha):
                raise Changed(f"record {wanted} was changed: its SHA-256 is {sha}")
            os.fsync(file)
            final = path_of(folder, sha)
            final.parent.mkdir(exist_ok=True)
            with _locked(records, fcntl.LOCK_SH):
                temporary.replace(final)  # one of the same hash is the same, or damaged
        for changed in (final.parent, records, folder):
            sync_folder(changed)  # another process may have made it, and not be as far
    return sha, size


def path_of(folder: Path, sha: str) -> Path:
    """Where the record of a hash lies, or would.

    Raises:
        RefereeError: that is no hash; facts may come from anybody.
    """
    if not _HASH.fullmatch(sha):
        raise RefereeError(f"record {sha[:80]!r}: that is no SHA-256")
    return folder / RECORDS / sha[:2] / f"{sha}{ENDING}"


def check(folder: Path, sha: str, size: int) -> str | None:
    """What is wrong with a stored record, in a line that names its file; None if nothing is.

    Args:
        folder: where the ladder has its files.
        sha: its hash, as the facts have it.
        size: its bytes, as the facts have them.
    """
    try:
        path = path_of(folder, sha)
    except RefereeError as error:
        return str(error)
    return difference(path, sha, size)


def difference(path: Path, sha: str, size: int) -> str | None:
    """As `check`, for a file that lies anywhere.

    Raises:
        Shortage: it cannot be looked at for want of file handles or memory.
    """
    try:
        found, digest = _measured(path)
    except FileNotFoundError:
        return f"record {str(path)!r} is missing"
    except OSError as error:
        check_means(error)
        return f"record {str(path)!r}: {error.strerror}"
    if found < size:
        return f"record {str(path)!r} is cut: {found} bytes instead of {size}"
    if found > size:
        return f"record {str(path)!r} was changed: {found} bytes instead of {size}"
    if digest != sha:
        return f"record {str(path)!r} was changed: its SHA-256 is {digest}"
    return None


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keeps every record where it is until the block is left, whatever a policy lets go.

    Where the folder cannot be locked, or is not there, nothing is kept.

    Args:
        folder: where the ladder has its files.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(_locked(folder / RECORDS, fcntl.LOCK_SH))
        yield


def remove(folder: Path, hashes: Iterable[str]) -> int | None:
    """Removes records that a policy lets go; those that are gone already are none to speak of.

    Args:
        folder: where the ladder has its files.
        hashes: theirs.

    Returns:
        How many were removed; None where others hold them, so that none was.

    Raises:
        HostError: the folder does not let us.
    """
    records = folder / RECORDS
    with _told(records):
        try:
            with _locked(records, fcntl.LOCK_EX | fcntl.LOCK_NB):
                return sum(_is_removed(path_of(folder, sha)) for sha in hashes)
        except BlockingIOError:
            return None
        except FileNotFoundError:
            return 0  # there are no records at all


def _is_removed(path: Path) -> bool:
    stderr_file(path).unlink(missing_ok=True)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def sweep(folder: Path, known: Callable[[str], bool], older_than: float) -> int:
    """Removes what processes have left that ended too early; others may keep records meanwhile.

    Args:
        folder: where the ladder has its files.
        known: whether the facts speak of the record of a hash.
        older_than: seconds; a younger record may be about to become part of the facts, and stays.

    Returns:
        How many files were removed.

    Raises:
        HostError: the folder does not let us.
    """
    records, before = folder / RECORDS, time.time() - older_than
    left = clear_up(folder)
    with _told(records):
        orphans = [
            path
            for path in records.glob(f"??/*{ENDING}")
            if path == _own(folder, path) and _is_older(path, before) and not known(_hash_in(path))
        ]
        return left + sum(_remove_orphan(records, path, before) for path in orphans)


def clear_up(folder: Path) -> int:
    """Removes what processes have left that ended while they kept a record; as `sweep` does.

    Args:
        folder: where the ladder has its files.

    Returns:
        How many files were removed.

    Raises:
        HostError: the folder does not let us.
    """
    records = folder / RECORDS
    with _told(records):
        return sum(map(_remove_left, records.glob(f"{_TEMPORARY}*")))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Makes one line of what the system says, about this file where it names none."""
    try:
        yield
    except OSError as error:
        named = str(error.filename or path)
        raise Unwritable(f"record {named!r}: {error.strerror}") from error


@contextmanager
def _temporary(records: Path) -> Iterator[tuple[Path, int]]:
    """A new file that we hold a lock on; gone in the end, unless it has another name by then."""
    while True:
        path = records / f"{_TEMPORARY}{os.getpid()}-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        file = os.open(path, flags, 0o444)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file).st_nlink == 0:
                continue  # a sweep came before the lock
            yield path, file
            return
        finally:
            with suppress(FileNotFoundError):
                path.unlink()
            os.close(file)


def _copied(pieces: Iterable[bytes], file: int) -> tuple[str, int]:
    """Writes a file; returns its hash and its bytes.

    Raises:
        TooLarge: they are too many.
    """
    sha, size = hashlib.sha256(), 0
    for piece in pieces:
        size += len(piece)
        if size > LARGEST_RECORD:
            raise TooLarge(f"a record has more than {LARGEST_RECORD} bytes compressed: not kept")
        sha.update(piece)
        left = memoryview(piece)
        while left:
            left = left[os.write(file, left) :]
    return sha.hexdigest(), size


@contextmanager
def _locked(records: Path, kind: int) -> Iterator[None]:
    """To give records their names a lock is shared; to remove one it is had alone."""
    there = os.open(records, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(there, kind)
        yield
    finally:
        os.close(there)


def _measured(path: Path) -> tuple[int, str]:
    """The bytes and the hash of a file; of something else than a file neither.

    Raises:
        OSError: it cannot be read.
    """
    with open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return 0, ""
        size, sha = 0, hashlib.sha256()
        while piece := file.read(_PIECE):
            size += len(piece)
            sha.update(piece)
        return size, sha.hexdigest()


def _hash_in(path: Path) -> str:
    return path.name.removesuffix(ENDING)


def _own(folder: Path, path: Path) -> Path | None:
    """Where the vault would have put a file of this name: what others have put there stays."""
    sha = _hash_in(path)
    return path_of(folder, sha) if _HASH.fullmatch(sha) else None


def _is_older(path: Path, before: float) -> bool:
    try:
        return path.lstat().st_mtime < before
    except FileNotFoundError:
        return False


def _remove_left(path: Path) -> bool:
    """Removes a temporary file, unless its process lives, which then has a lock on it."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(file)
    return True


def _remove_orphan(records: Path, path: Path, before: float) -> bool:
    """Removes a record, unless it was kept again since we looked."""
    with _locked(records, fcntl.LOCK_EX):
        if not _is_older(path, before):
            return False
        path.unlink(missing_ok=True)
        stderr_file(path).unlink(missing_ok=True)
    return True
