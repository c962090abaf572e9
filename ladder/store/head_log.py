"""Publishes signed heads: the newest in a file, all of them in a log that only grows.

Both lie in the folder `heads` of the ladder's files, which holds nothing secret: it may be copied,
served, or be a link to a folder that is. Where several machines serve a ladder, its files are
shared, and so is the log: a lock gives its lines one order.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from ladder.files import signed_head
from ladder.files.signed_head import SignedHead, misfit
from ladder.files.signing import Made, sign_now
from ladder.store.store import Store
from referee.errors import HostError, RefereeError
from referee.record.opened import opened
from referee.whole_file import atomic_write, sync_folder

HEADS: Final = "heads"
LOG: Final = "heads.jsonl"
NEWEST: Final = "head.json"

_LONGEST: Final = 4096
"""Upper bound of the bytes of a line."""


def publish(store: Store, made: Made = lambda _: None) -> SignedHead:
    """Sign where a ladder stands, unless its log ends with that already.

    Args:
        store: the ladder.
        made: is told where the ladder's key lies if it had none.

    Returns:
        The newest head of the log, which is on the disk.

    Raises:
        RefereeError: the ladder does not go on from the last head of its log, the log is damaged,
            or the key cannot be used.
        HostError: the disk or the database does not let us.
    """
    folder = store.files / HEADS
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with _locked(folder / LOG) as log:
            last = _last(log, folder / LOG)
            now = store.head()
            if last is not None:
                _check_goes_on(store, last, folder / LOG)
            if last is None or last.head.facts != now.facts:
                last = sign_now(store.files, now, made)
                write_head(log, folder, last)
            return last
    except OSError as error:
        named = str(error.filename or folder / LOG)
        raise HostError(f"heads {named!r}: {error.strerror}") from error


def begin_log(files: Path, found: SignedHead) -> None:
    """Write the first line of a log: the head that a ladder was imported with.

    Args:
        files: the folder of the ladder's files, which has no log.
        found: the head.

    Raises:
        OSError: the disk does not let us.
    """
    folder = files / HEADS
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    with _locked(folder / LOG) as log:
        write_head(log, folder, found)


def write_head(log: int, folder: Path, found: SignedHead) -> None:
    """Add a head to a log, then put it into the file of the newest one.

    Args:
        log: a descriptor of the log, locked, at its end.
        folder: where the log lies.
        found: the head.

    Raises:
        OSError: the disk does not let us; a torn line is cut by the next writer.
    """
    line = signed_head.as_json(found)
    left = memoryview(line)
    while left:
        left = left[os.write(log, left) :]
    os.fsync(log)
    with atomic_write(folder / NEWEST, mode=0o644) as file:
        file.write(line)
    sync_folder(folder)


def logged(files: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a ladder's own heads, each with a name for messages.

    The log comes first, then the file of the newest head. A last line of the log without a newline
    is left out: its writer was killed, and the next one cuts it. Of a line that is too long for a
    head comes only the beginning, and nothing after it.

    Args:
        files: the folder of the ladder's files.

    Raises:
        OSError: a file is there and cannot be read.
        RefereeError: it is a pipe or a device.
    """
    for name in (LOG, NEWEST):
        path = files / HEADS / name
        try:
            with opened(path, "log of heads") as file:
                for number, line in enumerate(iter(partial(file.readline, _LONGEST), b""), 1):
                    whole = line.endswith(b"\n")
                    if whole or name == NEWEST or len(line) == _LONGEST:
                        yield f"{path}, line {number}", line
                    if not whole:
                        break
        except FileNotFoundError:
            continue


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open a log for adding to it, alone.

    Yields:
        Its descriptor.
    """
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(log, fcntl.LOCK_EX)
        yield log
    finally:
        os.close(log)


def _last(log: int, path: Path) -> SignedHead | None:
    """Return the last head of a log, after cutting what a killed writer has left behind it."""
    size = os.fstat(log).st_size
    tail = os.pread(log, 2 * _LONGEST, max(size - 2 * _LONGEST, 0))
    whole = tail[: tail.rfind(b"\n") + 1]
    if size and not whole and size > _LONGEST:
        raise RefereeError(f"heads {str(path)!r}: its end is no signed head: move it away")
    if len(whole) < len(tail):
        os.ftruncate(log, size - len(tail) + len(whole))
        os.fsync(log)
    if not whole:
        return None
    last = whole[whole.rfind(b"\n", 0, -1) + 1 :]
    try:
        found = signed_head.from_json(last, str(path))
        signed_head.check(found)
    except RefereeError as error:
        raise RefereeError(
            f"heads {str(path)!r}: its last line: {error}: move it away to begin another"
        ) from error
    return found


def _check_goes_on(store: Store, last: SignedHead, path: Path) -> None:
    """Refuse to publish two histories.

    Raises:
        RefereeError: the ladder does not go on from this head.
    """
    trouble = misfit(last.head, store.opened.ladder, store.hash_of)
    if trouble is not None:
        raise RefereeError(
            f"heads {str(path)!r}: {trouble}; its heads may be kept by others: restore the ladder, "
            "or move the log away to begin another"
        )
