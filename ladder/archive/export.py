"""Writes a ladder as one archive, which is there whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO
from zipfile import ZipFile

from msgspec import Struct

from ladder.archive.format import FACTS, HEAD, add_file, adding, line_of
from ladder.audit.chain import Links
from ladder.core.facts import Match
from ladder.files import record_store, shared_records, signed_head
from ladder.files.signed_head import Head, SignedHead
from ladder.files.signing import Made, sign_now
from ladder.store.queries import Reader
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.clearing import bots_in_use, erased_hashes, needed_by
from ladder.submissions.frozen_bots import BOTS, is_whole
from referee.bots.held_folder import HeldFolder
from referee.errors import HostError, RefereeError
from referee.whole_file import atomic_write

ProgressCallback = Callable[[int], None]
"""Is told how many records were written."""


class Exported(Struct, frozen=True):
    """What an archive holds.

    Attributes:
        gone: how many matches have none, as was decided.
    """

    facts: int
    records: int
    gone: int
    bots: int
    head: SignedHead


def export(
    store: Store,
    path: Path,
    *,
    bots: bool = False,
    watch: ProgressCallback = lambda _: None,
    made: Made = lambda _: None,
) -> Exported:
    """Writes a ladder, as it is at one moment.

    Args:
        store: of the ladder.
        path: where; nothing may be there.
        bots: whether the frozen bots go along, so that the ladder can go on elsewhere.
        watch: is told how it goes.
        made: is told where the ladder's key lies if it had none.

    Raises:
        RefereeError: something is there, or the ladder is damaged: then it says where.
        HostError: the disk or the database does not let us.
    """
    try:
        with (
            bots_in_use(store.files) if bots else nullcontext(),
            _written(path) as file,
            ZipFile(file, "w") as archive,
        ):
            return _export(store, archive, watch, made, bots=bots)
    except OSError as error:
        raise HostError(f"archive {str(path)!r}: {error.strerror}") from error


@contextmanager
def _written(path: Path) -> Iterator[IO[bytes]]:
    """A new file; it has its name only when the block was left in good order.

    Raises:
        RefereeError: there is one of that name, or no folder that it could be in.
    """
    if not path.absolute().parent.is_dir():
        raise RefereeError(f"{str(path)!r}: there is no such folder")
    taken = RefereeError(f"{str(path)!r} exists already: choose another name")
    if path.exists() or path.is_symlink():
        raise taken
    try:
        with atomic_write(path, mode=0o600, replace=False) as file:
            yield file
    except FileExistsError:
        raise taken from None


def _export(
    store: Store, archive: ZipFile, watch: ProgressCallback, made: Made, *, bots: bool
) -> Exported:
    with store.records.held(store.files), store.facts() as reader:
        newest = reader.head
        ladder = store.opened.ladder
        head = Head(ladder=ladder, facts=newest.seq, hash=newest.hash, at_ms=newest.at_ms)
        signed = sign_now(store.files, head, made)
        with adding(archive, HEAD) as file:
            file.write(signed_head.as_json(signed))
        with adding(archive, FACTS) as file:
            _write_facts(file, reader)
        records, gone = _add_records(archive, reader, store.files, watch)
    hashes = _frozen(store) if bots else []
    for digest in hashes:
        _add_bot(archive, store.files, digest)
    return Exported(newest.seq, records, gone, len(hashes), signed)


def _frozen(store: Store) -> list[str]:
    """Return the bots of a ladder in their order, without old ones whose files were cleared."""
    roster, bots = store.refresh(), store.files / BOTS
    playing, erased = needed_by(roster, ()), erased_hashes(roster)
    shared = {one.name for one in shared_bots.stored(store.files)}
    known = dict.fromkeys(one.hash for one in roster.entrants.values())
    return [
        digest
        for digest in known
        if digest in playing
        or (digest not in erased and (digest in shared or (bots / digest).is_dir()))
    ]


def _write_facts(file: IO[bytes], reader: Reader) -> None:
    links = Links()
    for link, fact in reader.facts():
        for what in links.add(link, fact):
            raise RefereeError(f"fact {link.seq}: {what}: see `referee ladder verify`")
        file.write(line_of(link))


def _add_records(
    archive: ZipFile, reader: Reader, files: Path, watch: ProgressCallback
) -> tuple[int, int]:
    """Adds the records that have to stay; returns how many, and how many do not have to."""
    records = gone = 0
    for number, match in enumerate(reader.matches(), 1):
        if not match.record or _name_of(match) in archive.NameToInfo:
            continue
        if reader.gone.may_be(number, match.job.entrants):
            gone += 1
            continue
        path = shared_records.found(files, match.record)
        trouble = record_store.difference(path, match.record, match.size)
        if trouble is not None:
            raise RefereeError(f"{trouble}: see `referee ladder verify`")
        add_file(archive, _name_of(match), path)
        records += 1
        watch(records)
    return records, gone


def _name_of(match: Match) -> str:
    return record_name(match.record)


def record_name(record: str) -> str:
    """What the record of a hash is called in an archive."""
    return str(record_store.path_of(Path(), record))


def _add_bot(archive: ZipFile, files: Path, digest: str) -> None:
    folder = shared_bots.found(files, digest).resolve()
    if not is_whole(files, digest):
        raise RefereeError(f"bot {str(folder)!r} is missing, or is not what was frozen")
    with HeldFolder(folder) as held:
        for name, path in held.files().items():
            add_file(archive, f"{BOTS}/{digest}/{name}", path)
