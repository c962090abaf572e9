"""The records of a ladder: compared with their hashes and played again, or gone as was decided.

Playing again is what takes time: where there are several cores, processes of our own share it.
"""

import os
from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from ladder.audit.collusion import MOST_MATCHES, SMALLEST_TABLE, Played
from ladder.audit.findings import MOST, AuditFindings
from ladder.audit.replay_match import prove_job, prove_match
from ladder.core.facts import Match, Pool
from ladder.core.retention import RecordsGone
from ladder.files import record_store, shared_records
from ladder.files.object_store import StoreAway, is_open
from ladder.stats.favours import match_gifts
from referee.errors import HostError, RefereeError, Shortage
from referee.match.gifts import Gift, gifts
from referee.match.leg import DealResult
from referee.record.processes import Processes
from referee.text import plural

_AT_ONCE: Final = 16
"""So many matches are handed over together, at most."""
_BYTES_AT_ONCE: Final = 1 << 16
"""Their records have so many bytes together, compressed, or one of them has more."""


class Task(Struct, frozen=True):
    """A match whose record is to be played again.

    Attributes:
        names: of its bots, by place; None where one was erased, since those are known no more.
        files: the folder of the ladder's files.
        reported: whether its gifts are added up.
    """

    fact: int
    number: int
    match: Match
    pool: Pool
    names: tuple[str, ...] | None
    files: Path
    reported: bool


class Scope(Struct, frozen=True):
    """Which records are looked at, and how.

    Attributes:
        chosen: numbers of the matches to be played again; None for all.
        earlier: records of matches up to this number were proved before: they have to be there.
        gone: of which matches records may be gone.
        report: whether the gifts of those that are played again are added up.
    """

    chosen: Collection[int] | None = None
    earlier: int = 0
    gone: RecordsGone = RecordsGone()
    report: bool = False


class Look(Struct, frozen=True):
    """What a look at the record of a match has shown.

    Attributes:
        fact: its number.
        number: that of the match.
        trouble: what is wrong with the match; None if it holds.
        missing: that the record is not there, in words; None if it is, or there never was one.
        there: whether it is there.
        played: whether it was played again.
        gifts: its pool, and what its bots gave each other, where that is wanted and it holds.
    """

    fact: int
    number: int
    trouble: str | None
    missing: str | None = None
    there: bool = False
    played: bool = False
    gifts: tuple[int, Played] | None = None


class Records:
    """Looks at the record of each match; a context that ends what works for it.

    Attributes:
        compared: how many were there, and were compared with their hashes.
        proved: how many of them were played again.
        earlier: how many were there that were proved before, and were not looked into.
        gone: how many are not there, and may be gone.
        due: how many are there, though they may be gone.
        gifts: what bots gave each other in those that were played again, by pool, if wanted.
    """

    def __init__(self, files: Path, scope: Scope, workers: int, findings: AuditFindings) -> None:
        """Has looked at none yet.

        Args:
            files: the folder of the ladder's files.
            scope: which are looked at.
            workers: how many processes play them again; with 1, we do.
            findings: is told.
        """
        self.compared = self.proved = self.earlier = self.gone = self.due = 0
        self.gifts: dict[int, deque[Played]] = defaultdict(partial(deque, maxlen=MOST_MATCHES))
        self._files = files
        self._stored = shared_records.by_hash(files) if is_open(files) else None
        self._scope = scope
        self._findings = findings
        self._batch: list[Task] = []
        self._bytes = 0
        self._erased: set[int] = set()
        """Numbers of matches with a bot that was erased, whose records may be gone."""
        self._missing: list[Look] = []
        self._more_missing = 0
        """Beyond those that findings have room for."""
        self._processes = Processes(_proved, workers)

    def add(
        self, fact: int, number: int, match: Match, pool: Pool, names: tuple[str, ...] | None
    ) -> None:
        """The record of a match that makes sense, of bots of these names."""
        if not self._scope.gone.erased.isdisjoint(match.job.entrants):
            self._erased.add(number)
            names = None
        if match.record and not self._may_go(number):
            self._look_into_store(fact, number, match)
        if number <= self._scope.earlier:
            if match.record:
                self._tell([self._glance(fact, number, match)])
        elif self._scope.chosen is None or number in self._scope.chosen:
            task = Task(fact, number, match, pool, names, self._files, self._reports(pool))
            self._batch.append(task)
            self._bytes += match.size
            if len(self._batch) >= _AT_ONCE or self._bytes >= _BYTES_AT_ONCE:
                self._hand_over()
        elif match.record:
            path, trouble = _brought(self._files, match.record)
            trouble = trouble or record_store.difference(path, match.record, match.size)
            self._tell([_look(fact, number, path, trouble)])

    def _look_into_store(self, fact: int, number: int, match: Match) -> None:
        """Tells what the store of the ladder lacks, though there is a copy here."""
        if self._stored is None or self._stored.get(match.record) == match.size:
            return
        if record_store.path_of(self._files, match.record).exists():
            there = self._stored.get(match.record)
            what = "is missing" if there is None else f"has {there} bytes instead of {match.size}"
            self._findings.add(
                f"match {number}", f"record {match.record} {what} in the store", fact
            )

    def _glance(self, fact: int, number: int, match: Match) -> Look:
        """A record that only has to be there."""
        path = record_store.path_of(self._files, match.record)
        if os.path.exists(path) or match.record in (self._stored or ()):
            return Look(fact, number, None, there=True)
        return Look(fact, number, None, f"record {str(path)!r} is missing")

    def _reports(self, pool: Pool) -> bool:
        return self._scope.report and pool.places >= SMALLEST_TABLE

    def end(self, hint: str = "") -> None:
        """Waits for all that is under way.

        Args:
            hint: what else to say if no record is there at all.
        """
        self._hand_over()
        for looks in self._processes.rest():
            self._tell(looks)
        if self._missing and not self._seen:
            missing = plural(len(self._missing) + self._more_missing, "record")
            folder = self._files / record_store.RECORDS
            told = f"none is in {str(folder)!r}{_why_closed(folder)}: {missing} missing{hint}"
            self._findings.add("records", told)

    def _hand_over(self) -> None:
        batch, self._batch, self._bytes = self._batch, [], 0
        if batch:
            for looks in self._processes.add(batch):
                self._tell(looks)

    @property
    def _seen(self) -> int:
        """How many records were there."""
        return self.compared + self.earlier

    def _tell(self, looks: Iterable[Look]) -> None:
        """Tells of missing records once one is there: if none is, a line says that of all."""
        for look in looks:
            self._count(look)
            if look.missing is None or self._may_go(look.number):
                self._tell_one(look, look.trouble)
            elif self._seen:
                self._tell_one(look, look.trouble or look.missing)
            elif len(self._missing) < MOST:
                self._missing.append(look)
            else:
                self._more_missing += 1
            if self._seen and self._missing:
                self._tell_missing()

    def _may_go(self, number: int) -> bool:
        return number <= self._scope.gone.horizon or number in self._erased

    def _count(self, look: Look) -> None:
        may_go = self._may_go(look.number)
        self.proved += look.played
        self.gone += look.missing is not None and may_go
        self.due += look.there and may_go
        if look.gifts is not None:
            pool, played = look.gifts
            self.gifts[pool].append(played)
        if look.number <= self._scope.earlier:
            self.earlier += look.there
        else:
            self.compared += look.there

    def _tell_missing(self) -> None:
        missing, self._missing = self._missing, []
        for look in missing:
            self._tell_one(look, look.trouble or look.missing)
        self._findings.more += self._more_missing

    def _tell_one(self, look: Look, trouble: str | None) -> None:
        if trouble is not None:
            self._findings.add(f"match {look.number}", trouble, look.fact)

    def __enter__(self) -> Self:
        self._processes.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._processes.__exit__(kind, error, trace)


def _proved(batch: list[Task]) -> list[Look]:
    """What there is to say of some matches."""
    found = []
    played: set[int] = set()
    for one in batch:
        fact, number, match, path = one.fact, one.number, one.match, None
        if match.record:
            path, trouble = _brought(one.files, match.record)
            if not os.path.exists(path):
                missing = trouble or record_store.difference(path, match.record, match.size)
                found.append(Look(fact, number, prove_job(match, one.pool), missing))
                continue
        given: list[Gift] = []
        try:
            begun = partial(played.add, number)
            watch = partial(_collect, given) if one.reported else lambda _: None
            trouble = prove_match(match, one.pool, path, names=one.names, begun=begun, watch=watch)
        except Shortage:
            raise
        except HostError as error:
            trouble = str(error)
        there = path is not None
        laid = None
        if one.reported and number in played and trouble is None:
            laid = match.job.pool, (match.job.entrants, match_gifts(given))
        found.append(Look(fact, number, trouble, there=there, played=number in played, gifts=laid))
    return found


def _collect(found: list[Gift], deal: DealResult) -> None:
    found.extend(gifts(deal))


def _brought(files: Path, record: str) -> tuple[Path, str | None]:
    """Where a record is, or would be, and what stands in the way of bringing it from the store."""
    try:
        return shared_records.found(files, record), None
    except (Shortage, StoreAway, record_store.Unwritable):
        raise
    except (RefereeError, HostError) as error:
        return record_store.path_of(files, record), str(error)


def _look(fact: int, number: int, path: Path, trouble: str | None) -> Look:
    """A record that was compared with its hash."""
    if trouble is not None and not os.path.exists(path):
        return Look(fact, number, None, trouble)
    return Look(fact, number, trouble, there=True)


def _why_closed(folder: Path) -> str:
    """Why nothing can be seen in a folder, if it is there at all."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f" ({error.strerror})"
