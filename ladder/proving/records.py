"""The files of a ladder: records are compared with their hashes and played again; bots likewise.

Playing again is what takes time: where there are several cores, processes of our own share it.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import groupby
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from ladder import vault
from ladder.facts import Match, Pool
from ladder.proving.findings import MOST, Findings
from ladder.proving.match import prove_match
from ladder.uploads.freezing import BOTS, is_whole
from referee.errors import HostError
from referee.wording import plural

_AT_ONCE: Final = 16
"""So many matches are handed over together."""
_AHEAD: Final = 4
"""So many batches a process are under way."""

Task = tuple[int, int, Match, Pool, Path | None]
"""Numbers of the fact and the match, the match, its pool, the record."""


class Look(Struct, frozen=True):
    """What a look at the record of a match has shown.

    Attributes:
        fact: its number.
        number: that of the match.
        trouble: what is wrong with the match; None if it holds.
        missing: whether the record should be there and is not.
        there: whether it is.
        played: whether it was played again.
    """

    fact: int
    number: int
    trouble: str | None
    missing: bool = False
    there: bool = False
    played: bool = False


class Records:
    """Looks at the record of each match; a context that ends what works for it.

    Attributes:
        compared: how many were there, and were compared with their hashes.
        proved: how many of them were played again.
    """

    def __init__(
        self, files: Path, chosen: Collection[int] | None, workers: int, findings: Findings
    ) -> None:
        """Has looked at none yet.

        Args:
            files: the folder of the ladder's files.
            chosen: numbers of the matches to be played again; None for all.
            workers: how many processes do so; with 1, we do.
            findings: is told.
        """
        self.compared = self.proved = 0
        self._files = files
        self._chosen = chosen
        self._findings = findings
        self._batch: list[Task] = []
        self._missing: list[Look] = []
        self._more_missing = 0
        """Beyond those that findings have room for."""
        self._under_way: deque[Future[list[Look]]] = deque()
        self._most = _AHEAD * workers
        self._pool = _processes(workers) if workers > 1 else None

    def add(self, fact: int, number: int, match: Match, pool: Pool) -> None:
        """The record of a match that makes sense."""
        path = vault.path_of(self._files, match.record) if match.record else None
        if self._chosen is None or number in self._chosen:
            self._batch.append((fact, number, match, pool, path))
            if len(self._batch) >= _AT_ONCE:
                self._hand_over()
        elif path is not None:
            trouble = vault.difference(path, match.record, match.size)
            self._tell([_look(fact, number, path, trouble)])

    def end(self, hint: str = "") -> None:
        """Waits for all that is under way.

        Args:
            hint: what else to say if no record is there at all.
        """
        self._hand_over()
        while self._under_way:
            self._await()
        if self._missing and not self.compared:
            missing = plural(len(self._missing) + self._more_missing, "record")
            folder = self._files / vault.RECORDS
            told = f"none is in {str(folder)!r}{_why_closed(folder)}: {missing} missing{hint}"
            self._findings.add("records", told)

    def _hand_over(self) -> None:
        batch, self._batch = self._batch, []
        if self._pool is None:
            self._tell(_proved(batch))
            return
        self._under_way.append(self._pool.submit(_proved, batch))
        while len(self._under_way) > self._most:
            self._await()

    def _await(self) -> None:
        """Takes in the batch that has been under way for longest.

        Raises:
            HostError: the process that had it is gone.
        """
        try:
            self._tell(self._under_way.popleft().result())
        except BrokenProcessPool as error:
            raise HostError("a process that plays records again was killed") from error

    def _tell(self, looks: Iterable[Look]) -> None:
        """Tells of missing records once one is there: if none is, a line says that of all."""
        for look in looks:
            self.compared += look.there
            self.proved += look.played
            if look.missing and not self.compared:
                if len(self._missing) < MOST:
                    self._missing.append(look)
                else:
                    self._more_missing += 1
                continue
            if self.compared and self._missing:
                self._tell_missing()
            self._tell_one(look)

    def _tell_missing(self) -> None:
        missing, self._missing = self._missing, []
        for look in missing:
            self._tell_one(look)
        self._findings.more += self._more_missing

    def _tell_one(self, look: Look) -> None:
        if look.trouble is not None:
            self._findings.add(f"match {look.number}", look.trouble, look.fact)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _proved(batch: list[Task]) -> list[Look]:
    """What there is to say of some matches."""
    found = []
    played: set[int] = set()
    for fact, number, match, pool, path in batch:
        try:
            trouble = prove_match(match, pool, path, partial(played.add, number))
        except HostError as error:
            trouble = str(error)
        found.append(_look(fact, number, path, trouble, played=number in played))
    return found


def _look(
    fact: int, number: int, path: Path | None, trouble: str | None, *, played: bool = False
) -> Look:
    there = path is not None and (played or os.path.exists(path))
    return Look(fact, number, trouble, path is not None and not there, there, played)


def _why_closed(folder: Path) -> str:
    """Why nothing can be seen in a folder, if it is there at all."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f" ({error.strerror})"


def _processes(workers: int) -> ProcessPoolExecutor:
    """Processes that end with us, however we end."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, context, initializer=_begin)


def _begin() -> None:
    """In a process: ctrl-C is for its parent; and when that is gone, so are we."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def examine_bots(files: Path, hashes: Iterable[str], findings: Findings) -> int:
    """Compares frozen bots with their hashes; returns how many.

    Args:
        files: the folder of the ladder's files.
        hashes: of the submissions.
        findings: is told.
    """
    wanted, missing, closed = set(hashes), 0, 0
    for digest in sorted(wanted):
        folder = files / BOTS / digest
        try:
            there = folder.is_dir()
        except OSError as error:  # said once, if another account's folder is closed to us
            findings.add(f"bots {str(folder.parent)!r}", error.strerror or str(error))
            closed += 1
            continue
        if not there:
            missing += 1
        elif not is_whole(files, digest):
            findings.add(f"bot {str(folder)!r}", "its files are not what was frozen")
    if missing:
        findings.notes.append(
            f"{missing} of {len(wanted)} frozen bots are not in {str(files / BOTS)!r}: "
            "they cannot play here"
        )
    return len(wanted) - missing - closed


def note_orphans(files: Path, known: Iterator[str], findings: Findings) -> None:
    """Counts the records that no match has, as killed runners leave them.

    Args:
        files: the folder of the ladder's files.
        known: the records of matches, rising.
        findings: is told.
    """
    orphans = 0
    for folder, names in _by_folder(files / vault.RECORDS, known):
        there = (path.name.removesuffix(vault.ENDING) for path in folder.glob(f"*{vault.ENDING}"))
        orphans += len(set(there) - names)
    if orphans:
        are = "record is" if orphans == 1 else "records are"
        findings.notes.append(f"{orphans} {are} of no match: runners that were killed leave them")


def _by_folder(records: Path, known: Iterator[str]) -> Iterator[tuple[Path, set[str]]]:
    """Each folder of records, and the names that matches have in it; few at a time."""
    groups = {folder.name: folder for folder in records.glob("??") if os.path.isdir(folder)}
    for start, names in groupby(known, lambda record: record[:2]):
        folder = groups.pop(start, None)
        if folder is not None:
            yield folder, set(names)
    yield from ((folder, set()) for folder in groups.values())
