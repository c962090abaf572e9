"""Clears the frozen bots of a ladder: those that play stay, others up to a bound.

What plays, or has a match under way, is never removed. The files of a version that does not play
serve `rollback` and `export --with-bots`, and nothing else: results, records and their proof do
without. So they are kept while there is room for them, and the oldest versions go first; those of
an author who was erased go at once.
"""

import fcntl
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from ladder.core.candidates import Situation
from ladder.core.facts import LadderJob
from ladder.core.roster import Roster
from ladder.files.disk_limits import KEPT_IN, read_limits
from ladder.files.scratch import scratch_name, sweep
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS, frozen_in
from referee.errors import HostError
from referee.sandbox.folders import remove_tree
from referee.sandbox.sizes import usage_of

_DAY_S: Final = 24 * 60 * 60
_LOCK: Final = "bots.lock"


class FrozenSizes(Struct, frozen=True):
    """What frozen bots take of the disk.

    Attributes:
        playing: bytes of those that play, or have a match under way.
        old: bytes of all others.
    """

    playing: int
    old: int


@contextmanager
def bots_in_use(files: Path) -> Iterator[None]:
    """Keep frozen bots from being cleared until the block is left.

    Args:
        files: the folder of the ladder's files.

    Raises:
        HostError: the disk does not let us.
    """
    with _lock(files, fcntl.LOCK_SH):
        yield


@contextmanager
def clearing(files: Path) -> Iterator[bool]:
    """Yield whether frozen bots may be cleared: not while a bot is taken in, or brought back.

    Args:
        files: the folder of the ladder's files.

    Raises:
        HostError: the disk does not let us.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(_lock(files, fcntl.LOCK_EX | fcntl.LOCK_NB))
            alone = True
        except BlockingIOError:
            alone = False
        yield alone


@contextmanager
def _lock(files: Path, how: int) -> Iterator[None]:
    """Lock the frozen bots, by a file beside them: NFS locks no folder.

    Args:
        files: the folder of the ladder's files.
        how: as `fcntl.flock` has it.

    Raises:
        BlockingIOError: another process has them locked, and `how` says not to wait.
        HostError: the disk does not let us.
    """
    path = files / _LOCK
    with ExitStack() as stack:
        try:
            files.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            fcntl.flock(lock, how)
        except BlockingIOError:
            raise
        except OSError as error:
            raise HostError(f"cannot lock {str(path)!r}: {error.strerror}") from error
        yield


def needed_by(roster: Roster, jobs: Iterable[LadderJob]) -> frozenset[str]:
    """Return the hashes of the bots that play now or in the next epoch, or have a match."""
    playing = [one for one in roster.entrants.values() if roster.is_current(one.entrant)]
    known = {one.entrant for one in playing}.union(filter(None, map(roster.stand_in, playing)))
    hashes = frozenset(roster.entrants[entrant].hash for entrant in known)
    return hashes.union(*(job.hashes for job in jobs))


def erased_hashes(roster: Roster) -> frozenset[str]:
    """Return the hashes of bots that were erased, where no other bot is the same."""
    every = roster.entrants.values()
    others = {one.hash for one in every if not roster.is_erased(one.entrant)}
    return frozenset(one.hash for one in every) - others


def erased_left(files: Path, roster: Roster) -> list[str]:
    """Return the hashes of bots that were erased, and whose files are there for now."""
    return [digest for digest in erased_hashes(roster) if (files / BOTS / digest).is_dir()]


def clear_old(files: Path, situation: Situation) -> list[str]:
    """Remove frozen bots that do not play, until the others are within the ladder's bound.

    Of bots that were erased nothing is left.

    Args:
        files: the folder of the ladder's files; its bots may be cleared, as `clearing` says.
        situation: of the ladder, asked since then.

    Returns:
        The hashes of those that were removed.

    Raises:
        RefereeError: the ladder's limits cannot be read.
        HostError: the disk does not let us.
    """
    bots, roster = files / BOTS, situation.roster
    left = read_limits(files).old_bots << 20
    try:
        sweep(bots, ".")
        going, erased = _unknown(bots, roster), erased_hashes(roster)
        needed = needed_by(roster, situation.jobs)
        for digest in _in_order(frozen_in(bots), roster, needed):
            left -= 0 if digest in erased else usage_of(bots / digest).size
            if left < 0 or digest in erased:
                going.append(digest)
        for digest in going:
            leaving = bots / scratch_name(".")  # whole or gone, also if we are killed
            (bots / digest).rename(leaving)
            remove_tree(leaving)
    except OSError as error:
        raise HostError(f"cannot clear {str(bots)!r}: {error.strerror}") from error
    _clear_store(files, roster, needed)
    return going


def _clear_store(files: Path, roster: Roster, needed: Set[str]) -> None:
    """Remove from the store of a ladder what `clear_old` removes here.

    Old versions go only where this machine was given the ladder's limits, and what another machine
    has just put there stays: it may be about to become a version that plays.
    """
    there = {one.name: one for one in shared_bots.stored(files)}
    left, before = read_limits(files).old_bots << 20, time.time() - _DAY_S
    erased, known = erased_hashes(roster), {one.hash for one in roster.entrants.values()}
    going = [digest for digest, one in there.items() if digest not in known and one.at < before]
    is_ours = (files / KEPT_IN).exists()
    for digest in _in_order(there, roster, needed):
        left -= 0 if digest in erased else there[digest].size
        if digest in erased or (left < 0 and is_ours and there[digest].at < before):
            going.append(digest)
    shared_bots.remove(files, going)


def size_of(files: Path, digest: str) -> int | None:
    """Return the bytes of a frozen bot; None if its files are not there.

    Args:
        files: the folder of the ladder's files.
        digest: its hash.
    """
    folder = files / BOTS / digest
    return usage_of(folder).size if os.path.isdir(folder) else None


def sizes(files: Path, needed: Set[str]) -> FrozenSizes:
    """Return what the frozen bots of a ladder take of the disk.

    Args:
        files: the folder of the ladder's files.
        needed: hashes of those that play.
    """
    found = {True: 0, False: 0}
    for digest in frozen_in(files / BOTS):
        found[digest in needed] += usage_of(files / BOTS / digest).size
    return FrozenSizes(found[True], found[False])


def _in_order(frozen: Iterable[str], roster: Roster, needed: Set[str]) -> list[str]:
    """Return the bots that may go, those that are kept longest first.

    The last old version of each bot comes before the last but one of any: who hands in many
    versions crowds out no other author's.
    """
    depths: dict[str, tuple[int, int]] = {}
    later = Counter[int]()
    for version in reversed(roster.entrants.values()):
        place = (later[version.bot], -version.entrant)
        depths[version.hash] = min(place, depths.get(version.hash, place))
        later[version.bot] += 1
    there = [digest for digest in frozen if digest in depths and digest not in needed]
    return sorted(there, key=depths.__getitem__)


def _unknown(bots: Path, roster: Roster) -> list[str]:
    """Return what was frozen more than a day ago and never taken in: its process was killed."""
    known = {one.hash for one in roster.entrants.values()}
    before = time.time() - _DAY_S
    return [
        digest
        for digest in frozen_in(bots)
        if digest not in known and (bots / digest).stat().st_mtime < before
    ]
