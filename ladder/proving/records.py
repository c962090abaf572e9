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
from itertools import groupby
from multiprocessing.connection import wait
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ladder import vault
from ladder.facts import Match, Pool
from ladder.proving.findings import Findings
from ladder.proving.match import prove_match
from ladder.uploads.freezing import BOTS, is_whole
from referee.errors import HostError

_AT_ONCE: Final = 16
"""So many matches are handed over together."""
_AHEAD: Final = 4
"""So many batches a process are under way."""

Task = tuple[int, int, Match, Pool, Path | None]
"""Numbers of the fact and the match, the match, its pool, the record."""


class Records:
    """Looks at the record of each match; a context that ends what works for it.

    Attributes:
        compared: how many were compared with their hashes.
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
        self._under_way: deque[Future[list[tuple[int, int, str]]]] = deque()
        self._most = _AHEAD * workers
        self._pool = _processes(workers) if workers > 1 else None

    def add(self, fact: int, number: int, match: Match, pool: Pool) -> None:
        """The record of a match that makes sense."""
        path = vault.path_of(self._files, match.record) if match.record else None
        self.compared += path is not None
        if self._chosen is None or number in self._chosen:
            self.proved += 1
            self._batch.append((fact, number, match, pool, path))
            if len(self._batch) >= _AT_ONCE:
                self._hand_over()
        elif path is not None:
            trouble = vault.difference(path, match.record, match.size)
            self._tell([(fact, number, trouble)] if trouble else [])

    def end(self) -> None:
        """Waits for all that is under way."""
        self._hand_over()
        while self._under_way:
            self._await()

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

    def _tell(self, found: Iterable[tuple[int, int, str]]) -> None:
        for fact, number, what in found:
            self._findings.add(f"match {number}", what, fact)

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


def _proved(batch: list[Task]) -> list[tuple[int, int, str]]:
    """What is wrong with some matches."""
    found = []
    for fact, number, match, pool, path in batch:
        try:
            trouble = prove_match(match, pool, path)
        except HostError as error:
            trouble = str(error)
        if trouble is not None:
            found.append((fact, number, trouble))
    return found


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
    wanted, missing = set(hashes), 0
    for digest in sorted(wanted):
        folder = files / BOTS / digest
        if not folder.is_dir():
            missing += 1
        elif not is_whole(files, digest):
            findings.add(f"bot {str(folder)!r}", "its files are not what was frozen")
    if missing:
        findings.notes.append(
            f"{missing} of {len(wanted)} frozen bots are not in {str(files / BOTS)!r}: "
            "they cannot play here"
        )
    return len(wanted) - missing


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
    groups = {folder.name: folder for folder in records.glob("??") if folder.is_dir()}
    for start, names in groupby(known, lambda record: record[:2]):
        folder = groups.pop(start, None)
        if folder is not None:
            yield folder, set(names)
    yield from ((folder, set()) for folder in groups.values())
