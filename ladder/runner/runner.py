"""Conducts a ladder: matches by information, to the workers, and what they bring to the store.

It keeps nothing that the store does not have. Several runners may serve one ladder: the store says
who plays what, and counts each job once.
"""

import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, Protocol

import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.core.candidates import Situation, fields_of
from ladder.core.facts import Decision, LadderJob, Match, Pool, Submission, unplayed
from ladder.core.matchmaking import Candidates, TableDraw, next_table, why_none
from ladder.core.next_job import job_of
from ladder.files import live_records, record_store
from ladder.files.object_store import StoreAway, named
from ladder.host_or_bot import Doubts
from ladder.runner.match_fact import match_of
from ladder.runner.patient_store import Desk
from ladder.store.jobs import Lease, Settled, new_key
from ladder.submissions.clearing import clear_old, clearing, erased_hashes, needed_by
from ladder.submissions.frozen_bots import BOTS
from ladder.terms import LuckUse
from referee.errors import HostError, Shortage
from referee.match.verdict import ATTEMPTS
from referee.record.stderr_log import stderr_file
from referee.sandbox import janitor
from referee.version import own_version
from referee.workers.crew import crew
from referee.workers.jobs import BrokenOff, Job, JobResult, Players, Unready

LEASE_MS: Final = 60_000
"""So long no other runner plays a job whose runner is not heard of."""

BEAT_S: Final = 15.0
"""How often a runner lets the store hear of it."""

IDLE_S: Final = 2.0
"""How long we wait for a bot to be submitted."""

_LEAVE_S: Final = 5.0
"""So long we try to give back what we hold; after that, it expires."""


class RunnerListener(Protocol):
    """Who is told how it goes."""

    def counted(self, match: Match, pool: Pool, names: Sequence[str]) -> None:
        """A match was counted; no two of its bots are called alike."""

    def benched(self, decision: Decision, pool: Pool, entrant: Submission) -> None:
        """A bot plays no more in a pool."""

    def say(self, line: str) -> None:
        """Something that people should know."""

    def bug(self, trace: str) -> None:
        """A mistake of ours made a deal void; this is what we need to mend it."""


class Span(Struct, frozen=True):
    """How long a runner goes on.

    Attributes:
        blocks: after so many blocks it stops; None: never. A match that another runner has left
            over is played whole, so there may be some more.
        once: whether it stops when it has begun as many matches as give every bot one.
    """

    blocks: int | None = None
    once: bool = False


def owner() -> str:
    """A name for us that no other runner has, and that tells others whether we still live."""
    return f"{janitor.run_of(os.getpid())}-{secrets.token_hex(4)}"


def lives(owner: str, *, local: bool) -> bool:
    """Whether a runner still lives; yes, too, where that cannot be known.

    Args:
        owner: its name; "" is none.
        local: whether all runners of the ladder are on this machine.
    """
    if not owner:
        return False
    if not local and owner.partition(".")[0] != janitor.run_of(os.getpid()).partition(".")[0]:
        return True  # another machine's process ids: its lease tells
    return janitor.is_alive(owner.rpartition("-")[0])


class LadderRunner:
    """One runner of a ladder."""

    def __init__(
        self, desk: Desk, players: Players, files: Path, watch: RunnerListener, span: Span
    ) -> None:
        """Has not begun.

        Args:
            desk: the store.
            players: play.
            files: the folder of bots and records.
            watch: is told.
            span: how long it goes on.
        """
        self._desk = desk
        self._players = players
        self._files = files
        self._watch = watch
        self._once = span.once
        self._left = span.blocks
        self._owner = owner()
        self._version = own_version()
        self._taking = trio.Lock()
        self._clearing = trio.Lock()
        self._held: dict[str, Lease] = {}
        self._doubts = Doubts[Match]()
        self._unready: set[int] = set()
        """Entrants that cannot play here."""
        self._cleared_for: tuple[frozenset[str], frozenset[str]] | None = None
        """Who played, and who was erased, when frozen bots were cleared last."""
        self._playing = 0
        self._is_over = trio.Event()
        """Set when the next match is over."""
        self._told = ""
        self._why = ""

    async def run(self) -> None:
        """Plays until the span is over, or until it is cancelled; gives back what it holds.

        Raises:
            HostError: the database, the disk or the sandbox does not let us.
        """
        await self._clear_up()
        await self._clear_bots()
        if self._once:
            situation = await self._desk.situation()
            self._left = _one_each(situation)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._beat)
                await crew(self._players, self._play_on)
                for match in self._doubts.flush():
                    await self._settle(match)
                nursery.cancel_scope.cancel()
        finally:
            with trio.move_on_after(_LEAVE_S, shield=True), suppress(HostError):
                await self._desk.leave(tuple(self._held))

    async def _clear_up(self) -> None:
        """Removes what runners have left that were killed.

        Raises:
            HostError: there is no folder for records, and none can be made.
        """
        records = self._files / record_store.RECORDS
        try:
            records.mkdir(mode=0o700, parents=True, exist_ok=True)
            for left in live_records.paths(self._files):
                if not self._desk.is_alive(live_records.owner_of(left)):
                    left.unlink(missing_ok=True)
        except OSError as error:
            raise HostError(f"records {str(records)!r}: {error.strerror}") from error
        await trio.to_thread.run_sync(record_store.clear_up, self._files)

    async def _clear_bots(self) -> None:
        """Removes frozen bots that play no more, where others have come to play since.

        Raises:
            HostError: the disk does not let us.
        """
        async with self._clearing:
            playing = needed_by(self._desk.roster, ()), erased_hashes(self._desk.roster)
            if playing == self._cleared_for:
                return
            with clearing(self._files) as alone:
                if not alone:
                    return
                situation = await self._desk.situation()
                try:
                    await trio.to_thread.run_sync(clear_old, self._files, situation)
                except StoreAway:
                    return  # after a later match
                if needed_by(situation.roster, situation.jobs) == playing[0]:
                    self._cleared_for = playing  # else a match under way keeps one that goes later

    async def _beat(self) -> None:
        """Keeps our leases."""
        while True:
            await trio.sleep(BEAT_S)
            if self._held:
                await self._desk.extend(tuple(self._held), LEASE_MS)

    async def _play_on(self) -> None:
        """Plays one match after the other."""
        while True:
            async with self._taking:
                if self._left is not None and self._left <= 0:
                    return
                lease = await self._take()
            if lease is not None:
                self._playing += 1
                await self._play(lease)
                self._playing -= 1
                self._is_over.set()
                self._is_over = trio.Event()
            elif self._left is not None and not self._playing:
                return  # there is nothing to play, and no runner that could change that
            else:
                with trio.move_on_after(IDLE_S):
                    await self._is_over.wait()

    async def _take(self) -> Lease | None:
        """A job, or None if there is none just now."""
        avoid = frozenset(self._unready)
        lease = await self._desk.take(self._owner, LEASE_MS, self._plan, avoid)
        while self._desk.given_up:
            self._tell(*self._desk.given_up.pop())
        if lease is not None:
            self._held[lease.token] = lease
            if self._left is not None:
                self._left -= lease.job.blocks
        elif self._why:
            self._say(self._why)
        return lease

    def _plan(self, situation: Situation) -> LadderJob | None:
        """The next match; not in our own thread."""
        without = frozenset(self._unready)  # others add to it meanwhile
        fields = fields_of(situation, without)
        draw = situation.draw
        key = new_key() if draw is None else draw.key
        found = next_table(fields, key.encode())
        self._why = "" if found is not None else why_none(fields)
        if found is None or self._may_wait_long(found, fields):
            return None
        return job_of(situation, found, key, without=without, most=self._left)

    def _may_wait_long(self, found: TableDraw, fields: Iterable[Candidates]) -> bool:
        """Whether no worker is free for a table, and a match of its authors is under way.

        That one may take long, and others can play when a worker comes free.
        """
        (field,) = (one for one in fields if one.pool == found.pool)
        busy = {one.entrant for one in field.candidates if one.busy}
        return self._playing >= self._players.size and not busy.isdisjoint(found.entrants)

    def _say(self, line: str) -> None:
        """Says something once, until something else is to be said."""
        if line != self._told:
            self._told = line
            self._watch.say(line)

    async def _play(self, lease: Lease) -> None:
        with self._record(lease) as plain:
            try:
                lease, result = await self._played(lease, str(plain))
                record, size = await trio.to_thread.run_sync(record_store.keep, self._files, plain)
                await self._desk.share(record)
            except Unready as error:
                await self._excuse(lease, error)
                return
            except record_store.TooLarge as error:  # bots did it, and would do it again
                await self._settle(unplayed(lease.job, str(error), at_ms=0))
                return
            except (Shortage, record_store.Unwritable, StoreAway):
                raise  # no bot can be the reason: the job waits for room
            except Exception:
                del self._held[lease.token]  # it was tried: or it would end every runner for ever
                raise
        if result.bug:
            self._watch.bug(result.bug)
        kept = (record, size)
        match = match_of(lease.job, result.outcome, kept, referee=self._version, at_ms=0)
        self._told = ""
        for settled in self._doubts.add(match, match.outcome.given_up, lease.job.entrants):
            await self._settle(settled)

    async def _played(self, lease: Lease, record: str) -> tuple[Lease, JobResult]:
        """Has a match played; with other decks, once a worker has died. For errors see `Players`.

        Returns:
            The lease of the job that was played in the end, and what it brought.
        """
        roster = self._desk.roster
        pool = roster.pools[lease.job.pool]
        names = tuple(roster.entrants[entrant].name for entrant in lease.job.entrants)
        await self._desk.bring(lease.job.hashes)
        for attempt in count(1):
            job = replace(workers_job(lease.job, pool, self._files, record), names=names, once=True)
            try:
                return lease, await self._players.play(job)
            except BrokenOff:
                if attempt == ATTEMPTS:
                    raise
                lease = self._held[lease.token] = await self._desk.renew(lease)
        raise AssertionError  # count does not end

    async def _settle(self, match: Match) -> None:
        """Has a match counted; its record goes again if another runner's was counted."""
        settled, decisions = await self._desk.settle(match)
        name = match.job.name
        for token in [token for token, lease in self._held.items() if lease.job.name == name]:
            del self._held[token]
        if settled is Settled.DUPLICATE:
            if not await self._desk.has_record(match.record):
                await self._desk.discard(match.record)
            return
        self._tell(match, decisions)
        await self._desk.let_records_go()
        await self._clear_bots()

    def _tell(self, match: Match, decisions: Sequence[Decision]) -> None:
        roster = self._desk.roster
        pool = roster.pools[match.job.pool]
        labels = roster.labels()
        self._watch.counted(match, pool, [labels[entrant] for entrant in match.job.entrants])
        for decision in decisions:
            self._watch.benched(decision, pool, roster.entrants[decision.entrant])

    @contextmanager
    def _record(self, lease: Lease) -> Iterator[Path]:
        """Where a worker writes a record; gone when the block is left."""
        path = live_records.path_of(self._files, self._owner, lease.token)
        try:
            yield path
        finally:
            with suppress(OSError):
                path.unlink(missing_ok=True)
                stderr_file(path).unlink(missing_ok=True)

    async def _excuse(self, lease: Lease, error: Unready) -> None:
        """Leaves out a bot that cannot play here; a ladder goes on without it."""
        del self._held[lease.token]
        await self._desk.leave((lease.token,))
        if self._left is not None:
            self._left += lease.job.blocks
        entrant = lease.job.entrants[error.bot]
        if entrant not in self._unready:
            self._unready.add(entrant)
            has_store = named(self._files) is not None  # then it was looked for there
            gone = "" if has_store else _why_gone(self._files, lease.job.hashes[error.bot])
            why = gone or str(error)
            self._watch.say(f"{self._desk.roster.labels()[entrant]} is left out: {why}")


def _why_gone(files: Path, digest: str) -> str:
    """What to say of a bot that does not lie frozen here; "" if it does."""
    bots = files / BOTS
    try:
        if (bots / digest).is_dir():
            return ""
    except OSError:
        return ""  # it may be there
    return (
        f"its files are not in {str(bots)!r}: they were removed, or the ladder was imported "
        "without its bots; it can be submitted again"
    )


def _one_each(situation: Situation) -> int:
    """How many blocks give every bot a match."""
    roster = situation.roster
    return sum(
        pool.blocks * -(-len(roster.playing(pool.pool)) // pool.places)
        for pool in roster.open_pools
    )


def workers_job(job: LadderJob, pool: Pool, files: Path, record: str | None) -> Job:
    """What a worker is told of a job; it never plays it outside a sandbox."""
    return Job(
        terms=pool.terms,
        bots=tuple(str(files / BOTS / digest) for digest in job.hashes),
        key=job.key,
        first=0,
        blocks=job.blocks,
        record=record,
        luck=pool.luck is not LuckUse.OFF,
        hashes=job.hashes,
        submitted=True,
    )
