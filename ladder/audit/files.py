"""What lies in the folder of a ladder beside the records of its matches: bots, and orphans."""

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from ladder.audit.findings import AuditFindings
from ladder.files import record_store, shared_records
from ladder.files.object_store import StoreAway, is_open, named
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS, is_whole
from referee.errors import HostError, RefereeError


def examine_bots(
    files: Path, hashes: Iterable[str], findings: AuditFindings, earlier: Collection[str] = ()
) -> int:
    """Compares frozen bots with their hashes; returns how many are there.

    Args:
        files: the folder of the ladder's files.
        hashes: of the submissions.
        findings: is told.
        earlier: those that were proved before: they only have to be there.
    """
    wanted, missing, closed = set(hashes), 0, 0
    has_store = is_open(files) and named(files) is not None
    shared = {one.name for one in shared_bots.stored(files)} if has_store else frozenset[str]()
    for digest in sorted(wanted):
        folder = files / BOTS / digest
        if has_store and digest not in shared and os.path.isdir(folder):
            findings.add(f"bot {digest}", "it is not in the store: no other machine can play it")
        if digest in shared and digest not in earlier:
            try:
                shared_bots.found(files, digest)
            except StoreAway:
                raise
            except (RefereeError, HostError) as error:
                findings.add(f"bot {digest}", str(error))
                continue
        try:
            there = folder.is_dir() or digest in shared
        except OSError as error:  # said once, if another account's folder is closed to us
            findings.add(f"bots {str(folder.parent)!r}", error.strerror or str(error))
            closed += 1
            continue
        if not there:
            missing += 1
        elif digest not in earlier and not is_whole(files, digest):
            findings.add(f"bot {str(folder)!r}", "its files are not what was frozen")
    if missing:
        findings.notes.append(
            f"{missing} of {len(wanted)} frozen bots are not in {str(files / BOTS)!r}: "
            "they cannot play here"
        )
    return len(wanted) - missing - closed


def note_due(due: int, findings: AuditFindings) -> None:
    """Says how many records the policy of the ladder lets go that are there."""
    if due:
        are = "record is" if due == 1 else "records are"
        findings.notes.append(
            f"{due} {are} there that may go: `referee ladder records --apply` removes them"
        )


def note_erased(bots: int, findings: AuditFindings) -> None:
    """Says how many bots were erased, whose names and records nothing is left of to be proved."""
    if bots:
        were = "bot was" if bots == 1 else "bots were"
        findings.notes.append(f"{bots} {were} erased: the records of all their matches may be gone")


def note_orphans(files: Path, known: Iterator[str], findings: AuditFindings) -> None:
    """Counts the records that no match has, as killed runners leave them.

    Args:
        files: the folder of the ladder's files.
        known: the records of matches, rising.
        findings: is told.
    """
    orphans, left = 0, (shared_records.by_hash(files) if is_open(files) else None) or {}
    for folder, names in _by_folder(files / record_store.RECORDS, _without(known, left)):
        there = (
            path.name.removesuffix(record_store.ENDING)
            for path in folder.glob(f"*{record_store.ENDING}")
        )
        orphans += len(set(there) - names - left.keys())
    orphans += len(left)
    if orphans:
        are = "record is" if orphans == 1 else "records are"
        findings.notes.append(f"{orphans} {are} of no match: runners that were killed leave them")


def _without(known: Iterator[str], left: dict[str, int]) -> Iterator[str]:
    """Pass on the records of matches, and take them out of those of the store."""
    for record in known:
        left.pop(record, None)
        yield record


def _by_folder(records: Path, known: Iterator[str]) -> Iterator[tuple[Path, set[str]]]:
    """Each folder of records, and the names that matches have in it; few at a time."""
    groups = {folder.name: folder for folder in records.glob("??") if folder.is_dir()}
    for start, names in groupby(known, lambda record: record[:2]):
        folder = groups.pop(start, None)
        if folder is not None:
            yield folder, set(names)
    yield from ((folder, set()) for folder in groups.values())
