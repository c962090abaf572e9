"""The machines of a cluster in the place of the pool of one: `async with opened_cluster(...)`.

A job goes to a machine that is free. Where that is lost, or what it brings does not count
(`ladder.cluster.checks`), another plays it, as a pool has another worker play what one has died
over.
"""

import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

import msgspec
import trio
from distributed.security import Security
from msgspec.structs import replace

from ladder.cluster import machine
from ladder.cluster.address import Address
from ladder.cluster.board import board, closing_lines, joining_line
from ladder.cluster.checks import Checks, Draw, NoOther, named, played
from ladder.cluster.clock_watch import watch_clocks
from ladder.cluster.connection import Connection, MachineGone
from ladder.cluster.errands import Errands
from ladder.cluster.keep import keep
from ladder.cluster.messages import (
    Brought,
    Errand,
    Machine,
    Missing,
    encode,
    read_brought,
    read_machine,
)
from ladder.cluster.overdue import Overdue
from ladder.cluster.pace import Pace
from ladder.cluster.patience import patience_s
from ladder.cluster.peers import Peer, Peers, Wanted
from ladder.cluster.refusal import Refusal, refusal_of
from ladder.cluster.verifiers import Verify, verified_here, verifying
from referee.bots.settings import Settings
from referee.errors import HostError
from referee.match.verdict import ATTEMPTS
from referee.text import plural
from referee.version import own_version
from referee.workers.jobs import BrokenOff, Job, JobResult
from referee.workers.messages import JobPlayed

_LOOK_S: Final = 1.0
"""So often we look which machines are there."""

_JOINING_S: Final = 30.0
"""So long the first machine may take to join."""

_ANSWER_S: Final = 10.0
"""So long a machine may take to say who it is."""

_SENDINGS: Final = 3
"""So often a job is sent to a machine that says that bots are missing."""

Say = Callable[[str], None]
Show = Callable[[Sequence[str]], None]


class Calls(Protocol):
    """What a cluster asks of a `Connection`; for both see there."""

    async def addresses(self) -> set[str]:
        """Return where the machines are that are there."""

    async def call(self, address: str, function: Callable[..., bytes], /, *args: object) -> bytes:
        """Call a function on a machine, once."""


class Cluster:
    """Machines that play jobs, as `referee.workers.jobs.Players` has it.

    Attributes:
        peers: the machines.
    """

    def __init__(
        self,
        connection: Calls,
        settings: Settings,
        say: Say,
        *,
        show: Show = lambda _: None,
        proof: str = "",
        verify: Verify = verified_here,
        draw: Draw = secrets.randbelow,
    ) -> None:
        """Knows no machine yet.

        Args:
            connection: to the scheduler.
            settings: of this machine; what they grant bots the others have to grant, too.
            say: is told who joins, leaves, and is left out, and why.
            show: is given the lines that say how machines do, every second.
            proof: the command that proves results later; "" where there is none.
            verify: looks at records.
            draw: says by chance what is looked at closely.
        """
        self._connection, self._say, self._show = connection, say, show
        self._pace = Pace(trio.current_time())
        self._errands = Errands(settings)
        self._changed = trio.Condition()
        self._calls: dict[Peer, set[trio.CancelScope]] = {}
        self._overdue = Overdue()
        self._had_machines = False
        self._checks = Checks(self, verify, say, settings.cluster, proof=proof, draw=draw)
        rules, granted = machine.rules_digest(), machine.settings_digest(settings)
        self.peers = Peers(Wanted(own_version(), rules, granted))

    @property
    def unproved(self) -> str:
        """What is not proved before it counts, in words; "" where all is."""
        return self._checks.statement

    @property
    def size(self) -> int:
        """How many jobs the machines that are there have at a time."""
        return sum(peer.slots for peer in self.peers.playing)

    @property
    def machines(self) -> int:
        """How many machines may get jobs."""
        return len(self.peers.playing)

    @property
    def cores(self) -> int:
        """How many jobs those play at a time; what else they have waits there."""
        return sum(peer.machine.cores for peer in self.peers.playing)

    async def more(self, size: int) -> None:
        """Wait until the machines that are there have more than so many jobs at a time."""
        async with self._changed:
            while self.size <= size:
                await self._changed.wait()

    async def watch(self) -> None:
        """Follow for ever who is there.

        Raises:
            HostError: the scheduler is gone.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch_clocks, self.peers, self._call, self._checks.leave_out)
            while True:
                await self.look()
                await trio.sleep(_LOOK_S)

    async def look(self) -> None:
        """Look who is there.

        Raises:
            HostError: the scheduler is gone.
        """
        there = await self._connection.addresses()
        for peer in self.peers.lose(there):
            for call in self._calls.pop(peer, ()):
                call.cancel()  # the engine may never end it: a new scheduler knows of no old call
            done = plural(peer.pace.matches, "match", "matches")
            self._say(f"machine {named(peer)} has gone, after {done}")
        self._overdue.look()
        met: dict[str, Machine] = {}
        async with trio.open_nursery() as nursery:
            for address in self.peers.unknown(there):
                nursery.start_soon(self._meet, address, met)
            for peer in self.peers.here:
                if peer.too_slow:
                    nursery.start_soon(self._measure_again, peer)
        for address, found in sorted(met.items()):
            self._say(joining_line(self.peers.join(address, found, trio.current_time())))
        for peer in self.peers.judge_speed():
            now = peer.too_slow and f"gets no jobs for now: {peer.too_slow}"
            self._say(f"machine {named(peer)} {now or 'gets jobs again'}")
        if self._had_machines and not self.peers.playing:
            self._say("no machine is left that plays: waiting for one to join")
        self._had_machines = bool(self.peers.playing)
        self._show(board(self.peers.here, self._pace, trio.current_time()))
        await self._tell()

    def tell_what_was_played(self) -> None:
        """Say what each machine has played, unless nothing was."""
        if self._pace.matches:
            for line in closing_lines(self.peers.here, self._pace, trio.current_time()):
                self._say(line)

    async def _meet(self, address: str, met: dict[str, Machine]) -> None:
        """Have a machine introduce itself; one that does not is asked again the next time."""
        with trio.move_on_after(_ANSWER_S), suppress(MachineGone, msgspec.MsgspecError):
            met[address] = read_machine(await self._connection.call(address, machine.introduce))

    async def _measure_again(self, peer: Peer) -> None:
        """Have a slow machine measure itself anew: something else may have run when it joined."""
        with trio.move_on_after(_ANSWER_S), suppress(MachineGone):
            now = await self.round_trip_us(peer)
            if 0 < now < (peer.machine.l_us or 0):
                peer.machine = replace(peer.machine, l_us=now)

    async def play(self, job: Job) -> JobResult:
        """Play a job on a machine; for errors see `Players`."""
        job, _ = await self._errands.ready(job)
        deaths = 0
        refused: dict[Peer, Refusal] = {}
        while True:
            try:
                async with self.another(refused) as peer:
                    brought = await self.ask(peer, job)
            except MachineGone as gone:
                deaths += 1
                if job.once or deaths == ATTEMPTS:
                    raise BrokenOff(
                        f"{plural(deaths, 'machine')} gone over {job.terms.game} with "
                        f"{', '.join(job.bots)}"
                    ) from gone
                continue
            except NoOther:
                peer, last = list(refused.items())[-1]
                return await self._word(peer, job, last)
            refusal = refusal_of(job, brought)
            if refusal is not None:
                if job.once and refusal.was_begun:
                    return await self._word(peer, job, refusal)
                refused[peer] = refusal  # it may be the trouble of that machine alone
            elif await self._checks.counts(peer, job, brought):
                for other, earlier in refused.items():
                    self._checks.blame(other, earlier.line)
                return await self._kept(peer, job, brought)
            elif job.once:
                raise BrokenOff(f"what {named(peer)} has played does not count")

    async def _word(self, peer: Peer, job: Job, refusal: Refusal) -> JobResult:
        """Return or raise what a machine has said of a job that it could not play."""
        if refusal.error is not None:
            raise refusal.error
        if not await self._checks.holds(peer, job, refusal.brought):
            raise BrokenOff(f"what {named(peer)} has played does not hold")
        return await self._kept(peer, job, refusal.brought)

    async def _kept(self, peer: Peer, job: Job, brought: Brought) -> JobResult:
        """Return a result whose record is where the job wants it."""
        if job.record is not None:
            await trio.to_thread.run_sync(keep, Path(job.record), brought)
        result = played(brought)
        for pace in (peer.pace, self._pace):
            pace.add(len(result.outcome.blocks), trio.current_time())
        peer.troubles = 0
        return result

    @asynccontextmanager
    async def another(self, avoid: Collection[Peer]) -> AsyncIterator[Peer]:
        """Hold a machine that has room for a job, none of these, as soon as there is one.

        Raises:
            NoOther: these are all that there are.
        """
        async with self._changed:
            while (peer := self.peers.free(avoid)) is None:
                if avoid and not self.peers.others(avoid):
                    raise NoOther
                await self._changed.wait()
            peer.busy += 1
        try:
            yield peer
        finally:
            peer.busy -= 1
            with trio.CancelScope(shield=True):
                await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def ask(self, peer: Peer, job: Job) -> Brought:
        """Have a machine play a job, and send it the bots that it has not.

        Raises:
            MachineGone: it does not answer any more, or not as a machine does.
            RefereeError: a bot is none.
        """
        with peer.owing(patience_s(job)) as seconds, self._overdue.within(seconds) as scope:
            brought = await self._sent(peer, job)
        if not scope.cancelled_caught:
            return brought
        minutes = plural(round(seconds / 60), "minute")
        self._checks.leave_out(
            peer, f"a match has not ended there in {minutes}, which is more than clocks allow"
        )
        raise MachineGone(f"machine {named(peer)} hangs")

    async def _sent(self, peer: Peer, job: Job) -> Brought:
        """As `ask`, however long it takes."""
        job, parcels = await self._errands.ready(job)
        travelling = {one.hash: one.files for one in parcels if one.files}
        errand = encode(Errand(job, tuple(one.hash if one.files else "" for one in parcels)))
        for _ in range(_SENDINGS):
            sent = {digest: travelling[digest] for digest in travelling.keys() - peer.has}
            peer.has |= sent.keys()
            begun = trio.current_time()
            data = await self._call(peer, machine.play, errand, sent)
            try:
                brought = read_brought(data)
            except msgspec.MsgspecError as error:
                why = "it does not answer as a machine does"
                self._checks.leave_out(peer, why, doubtful=True)
                raise MachineGone(f"machine {named(peer)} has answered nonsense") from error
            if not isinstance(brought.report, Missing):
                self._check_time(peer, brought, trio.current_time() - begun)
                return brought
            peer.has -= set(brought.report.hashes)
        self._checks.leave_out(peer, "it does not take bots")
        raise MachineGone(f"machine {named(peer)} does not take bots")

    def _check_time(self, peer: Peer, brought: Brought, seconds: float) -> None:
        """Look whether a machine says that a match took as long as it can have.

        Raises:
            MachineGone: it does not; it gets no more jobs.
        """
        if isinstance(brought.report, JobPlayed):
            wall_us = brought.report.result.outcome.wall_us
            if not 0 <= wall_us <= 1e6 * seconds:
                why = "its matches take longer than it took to play them"
                self._checks.leave_out(peer, why, doubtful=True)
                raise MachineGone(f"machine {named(peer)} has another clock")

    async def round_trip_us(self, peer: Peer) -> float:
        """Return what a round trip takes on a machine now; see `ladder.cluster.checks`."""
        data = await self._call(peer, machine.measured)
        try:
            return float(data)
        except ValueError as error:
            raise MachineGone(f"machine {named(peer)} has answered nonsense") from error

    async def _call(self, peer: Peer, function: Callable[..., bytes], *args: object) -> bytes:
        """Call a function on a machine, once, for as long as it is there.

        Raises:
            MachineGone: it does not answer any more.
        """
        if not self.peers.is_here(peer):
            raise MachineGone(f"machine {named(peer)} has gone")
        with trio.CancelScope() as scope:
            calls = self._calls.setdefault(peer, set())
            calls.add(scope)
            try:
                return await self._connection.call(peer.address, function, *args)
            finally:
                calls.discard(scope)
        raise MachineGone(f"machine {named(peer)} has gone")


@asynccontextmanager
async def opened_cluster(
    scheduler: Address,
    security: Security,
    settings: Settings,
    say: Say,
    *,
    show: Show = lambda _: None,
    proof: str = "",
) -> AsyncIterator[Cluster]:
    """The machines of a cluster, until the block is left.

    Args:
        scheduler: where it is.
        security: what we show it, and ask of it.
        settings: of this machine.
        say: is told who joins, leaves and is left out, what is not proved before it counts, and in
            the end what each machine has played.
        show: is given the lines that say how machines do, every second.
        proof: the command that proves results later; "": there is none, so that every record is
            played again before its result counts.

    Raises:
        HostError: it does not answer, or no machine has joined it.
    """
    async with Connection.opened(scheduler, security) as connection:
        with verifying() as verify:
            cluster = Cluster(connection, settings, say, show=show, proof=proof, verify=verify)
            if cluster.unproved:
                say(cluster.unproved)
            with trio.move_on_after(_JOINING_S):
                await cluster.look()
                while not cluster.peers.playing:
                    await trio.sleep(_LOOK_S)
                    await cluster.look()
            if not cluster.peers.playing:
                raise HostError(f"cluster {scheduler}: no machine that could play has joined it")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(cluster.watch)
                try:
                    yield cluster
                finally:
                    cluster.tell_what_was_played()
                nursery.cancel_scope.cancel()
