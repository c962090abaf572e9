"""A copy of a whole ladder while it is in use: facts, bots, records, tokens, keys, what waits.

The copy is a ladder: `--ladder FOLDER` opens it. What is named by its hash is copied once, so the
next backup into the same folder takes little. The files come first and, since a record may have
been added meanwhile, once more after the database: what its facts speak of was there before them.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from ladder.files import record_store, shared_records
from ladder.files.object_store import KEPT_IN
from ladder.files.record_store import RECORDS
from ladder.files.scratch import scratch_name, sweep
from ladder.store.location import DATABASE
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS
from referee.errors import HostError, RefereeError
from referee.record.stderr_log import stderr_file
from referee.sandbox.folders import remove_tree
from referee.whole_file import atomic_write

_MARK: Final = "backup.json"
_PREFIX: Final = ".copy-"
_LEFT_OUT: Final = ("cache", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", _MARK, KEPT_IN)
"""What is computed again, and the database, which is copied as its library does."""


class BackedUp(Struct, frozen=True):
    """What a backup has brought.

    Attributes:
        files: how many files it has, the database left out.
        copied: how many of them this time.
        bytes: of those and the database.
    """

    files: int
    copied: int
    bytes: int


class _Mark(Struct, frozen=True):
    """Says of which ladder a folder is the backup."""

    ladder: str


def back_up(store: Store, to: Path, watch: Callable[[int], None] = lambda _: None) -> BackedUp:
    """Copy a ladder.

    Args:
        store: the ladder; others may use it meanwhile.
        to: the folder; it is made, or has an earlier backup of the same ladder.
        watch: is told how many files were copied.

    Raises:
        RefereeError: the folder is something else, or the database is no file.
        HostError: the disk does not let us.
    """
    if not store.where.is_local:
        raise RefereeError(
            "a database of PostgreSQL is backed up by pg_dump; copy "
            f"{str(store.files)!r} after that"
        )
    try:
        _begin(store, to)
        copy = _Copy(store.files, to, watch)
        copy.run()
        size = _copied_database(store.where.database, to / DATABASE)
        copy.run()
    except (OSError, sqlite3.Error) as error:
        raise HostError(f"backup {str(to)!r}: {getattr(error, 'strerror', error)}") from error
    return BackedUp(len(copy.seen), copy.copied, copy.bytes + size)


def _begin(store: Store, to: Path) -> None:
    """Make the folder of a backup, or see that it is one of this ladder."""
    own, there = store.files.resolve(), to.resolve()
    if there == own or own in there.parents:
        raise RefereeError(f"backup {str(to)!r}: it is within the ladder; name another folder")
    mark = to / _MARK
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        with suppress(OSError, msgspec.MsgspecError):
            if msgspec.json.decode(mark.read_bytes(), type=_Mark).ladder == store.opened.ladder:
                sweep(to / BOTS, _PREFIX)
                return
        raise RefereeError(f"backup {str(to)!r}: it is there, and is no backup of this ladder")
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    with atomic_write(mark, mode=0o600) as file:
        file.write(msgspec.json.encode(_Mark(store.opened.ladder)))


def _copied_database(database: Path, to: Path) -> int:
    """Copy the database as it is at one moment; return its bytes."""
    part = to.with_name(f".{to.name}.part")
    part.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(part)) as target,
    ):
        part.chmod(0o600)
        source.backup(target)
    with closing(sqlite3.connect(part)) as target, target:
        target.execute("DELETE FROM store")  # two ladders would remove each other's files there
    with part.open("rb") as file:
        os.fsync(file.fileno())
    for name in ("-wal", "-shm"):  # of the copy before: they are of other pages
        to.with_name(to.name + name).unlink(missing_ok=True)
    part.replace(to)
    return to.stat().st_size


class _Copy:
    """The files of a ladder on their way.

    Attributes:
        seen: what is in the backup, by its path there.
        copied: how many files were copied.
        bytes: of those.
    """

    def __init__(self, source: Path, to: Path, watch: Callable[[int], None]) -> None:
        self._source, self._to, self._watch = source, to, watch
        self.seen: set[Path] = set()
        self.copied = self.bytes = 0

    def run(self) -> None:
        """Copy what is not there yet, and what can change."""
        self._bring()
        for path in _files(self._source):
            inner = path.relative_to(self._source)
            with suppress(FileNotFoundError):  # the ladder has removed it meanwhile
                self._take(path, self._to / inner, lasts=inner.parts[0] == RECORDS)
        for bot in sorted((self._source / BOTS).glob("[0-9a-f]*")):
            with suppress(FileNotFoundError):
                self._take_bot(bot, self._to / BOTS / bot.name)

    def _bring(self) -> None:
        """Copy what is in the ladder's store, if it has one: its copy has none."""
        for record in shared_records.by_hash(self._source) or ():
            inner = record_store.path_of(Path(), record)
            if not (self._to / inner).exists():
                with suppress(FileNotFoundError):  # the ladder has removed it meanwhile
                    path = shared_records.found(self._source, record)
                    self._take(path, self._to / inner, lasts=True)
                    said = shared_records.found_stderr(self._source, record)
                    self._take(said, stderr_file(self._to / inner), lasts=True)
        for bot in shared_bots.stored(self._source):
            if not (self._to / BOTS / bot.name).exists():
                shared_bots.found(self._source, bot.name)

    def _take(self, path: Path, to: Path, *, lasts: bool) -> None:
        new = to not in self.seen
        self.seen.add(to)
        if lasts and to.exists():
            return
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("rb") as source, atomic_write(to, mode=0o600) as file:
            shutil.copyfileobj(source, file)
            os.fchmod(file.fileno(), os.fstat(source.fileno()).st_mode & 0o777)
            self._count(file.tell() if new else 0, new=new)

    def _take_bot(self, bot: Path, to: Path) -> None:
        """Copy the frozen files of a bot, all or none."""
        inside = [path for path in bot.rglob("*") if not path.is_dir()]
        self.seen.update(to / path.relative_to(bot) for path in inside)
        if to.exists():
            return
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = to.with_name(scratch_name(_PREFIX))
        try:
            shutil.copytree(bot, part, symlinks=True)
            part.rename(to)
        except shutil.Error as error:
            raise FileNotFoundError(bot) from error  # it was cleared away, file by file
        finally:
            if part.exists():
                remove_tree(part)
        self._count(sum(path.lstat().st_size for path in inside), new=True, files=len(inside))

    def _count(self, size: int, *, new: bool, files: int = 1) -> None:
        self.copied += files * new
        self.bytes += size
        self._watch(self.copied)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a ladder but those of its bots; what is not done yet is left out."""
    for path in sorted(folder.iterdir()):
        if path.name in (*_LEFT_OUT, BOTS) or path.name.startswith("."):
            continue
        if path.is_dir():
            inside = (one for one in path.rglob("*") if one.is_file())
            yield from (one for one in inside if not one.name.startswith("."))
        elif path.is_file():
            yield path
