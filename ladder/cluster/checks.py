"""Whether what a machine has brought counts.

Its record is played again by the rules (`ladder.cluster.believed`), or, where the organiser says so
and the result is plain, in one of N cases; the others are read. Since a record could be made up
within the rules, one job of a hundred is played on another machine, too; where the two differ, a
third one says which was right, if bots do not play by chance. Both are drawn when the result is
there, so that no machine can know it beforehand. Faults of time do not count where the machine has
become slow: that is measured afterwards, when the bots have ended, and has to be so plain that bots
cannot bring it about.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final, Protocol

import trio

from ladder.cluster.believed import Scrutiny
from ladder.cluster.connection import MachineGone
from ladder.cluster.messages import Brought
from ladder.cluster.peers import MOST_SLOW, SLOWEST, Peer, Peers
from ladder.cluster.plain_results import is_plain
from ladder.cluster.verifiers import Verify
from referee.bots.settings import ClusterChecks
from referee.match.verdict import FaultCode
from referee.text import printable
from referee.workers.job_plan import plan_of
from referee.workers.jobs import Job, JobResult
from referee.workers.messages import JobPlayed

_OF_TIME: Final = frozenset({FaultCode.LATE, FaultCode.STARTUP})
_MEASURING_S: Final = 10.0
"""So long a machine may take to measure itself."""

MOST_TROUBLES: Final = 3
"""After so many jobs that only others could play a machine is left out."""

_ENOUGH: Final = 3
"""So many machines say which of two is right."""


Draw = Callable[[int], int]
"""Returns a number below another one that no machine can foresee, as `secrets.randbelow` does."""


class NoOther(Exception):
    """There is no other machine."""


class Machines(Protocol):
    """What checks ask of machines."""

    peers: Peers

    def another(self, avoid: Collection[Peer]) -> AbstractAsyncContextManager[Peer]:
        """Hold a machine that has room for a job, none of these.

        Raises:
            NoOther: these are all that there are.
        """

    async def ask(self, peer: Peer, job: Job) -> Brought:
        """Have a machine play a job.

        Raises:
            MachineGone: it does not answer any more.
        """

    async def round_trip_us(self, peer: Peer) -> float:
        """Return what a round trip takes on a machine now, in microseconds.

        Raises:
            MachineGone: it does not answer any more.
        """


class Checks:
    """Looks at what machines bring, and leaves those out whose results do not hold."""

    def __init__(
        self,
        machines: Machines,
        verify: Verify,
        say: Callable[[str], None],
        how: ClusterChecks,
        *,
        proof: str,
        draw: Draw = secrets.randbelow,
    ) -> None:
        """Has looked at nothing yet.

        Args:
            machines: play jobs again.
            verify: looks at records.
            say: is told who is left out, and why.
            how: how much is looked at closely.
            proof: the command that proves results later; "": there is none, so that every record is
                played again before its result counts.
            draw: says by chance what is looked at closely.
        """
        self._machines, self._verify = machines, verify
        self._say, self._how, self._draw = say, how, draw
        self._proof = proof if how.verify > 1 else ""
        self._only_read: Counter[str] = Counter()
        """How many results have counted whose records were only read, by what lines call the
        machine: one that goes and comes again has them still."""

    @property
    def statement(self) -> str:
        """What is not proved before it counts, in words; "" where all is."""
        if not self._proof:
            return ""
        return (
            f"of {self._how.verify:,} records one is played again before its result counts, drawn "
            "by chance, and each with a fault or a void deal; the others are only read (verify "
            f"under [cluster] in settings.toml): `{self._proof}` proves them"
        )

    async def counts(self, peer: Peer, job: Job, brought: Brought) -> bool:
        """Whether a job that a machine has played counts; else it is to be played elsewhere.

        Args:
            peer: the machine.
            job: what was to be played.
            brought: its report says that it was played.
        """
        again = not self._draw(self._how.again)
        scrutiny = Scrutiny.PLAYED_AGAIN if again else self._scrutiny(job, brought)
        if not await self.holds(peer, job, brought, scrutiny):
            return False
        if await self._was_slow(peer, brought):
            return False
        if again and not await self._is_agreed(peer, job, brought):
            return False
        if scrutiny is Scrutiny.READ:
            if peer.left_out:  # meanwhile: no line would count what counts from now on
                return await self.holds(peer, job, brought)
            self._only_read[named(peer)] += 1
        return True

    def _scrutiny(self, job: Job, brought: Brought) -> Scrutiny:
        """Draw how closely the record of a result is looked at."""
        if not self._proof or not self._draw(self._how.verify):
            return Scrutiny.PLAYED_AGAIN
        plain = is_plain(job, plan_of(job), played(brought).outcome)
        return Scrutiny.READ if plain else Scrutiny.PLAYED_AGAIN

    async def holds(
        self, peer: Peer, job: Job, brought: Brought, scrutiny: Scrutiny = Scrutiny.PLAYED_AGAIN
    ) -> bool:
        """Whether the record of a result proves it; a machine is left out whose does not.

        Args:
            peer: the machine.
            job: what was to be played.
            brought: its report says that it was played.
            scrutiny: how closely the record is looked at.
        """
        why = await self._verify(job, played(brought), brought.record, scrutiny)
        if why is not None:
            self.leave_out(peer, why, doubtful=True)
        return why is None

    async def _was_slow(self, peer: Peer, brought: Brought) -> bool:
        """Whether faults of time are those of a machine that has become slow since it joined."""
        before = peer.machine.l_us
        faults = played(brought).outcome.fault_list
        if before is None or _OF_TIME.isdisjoint(fault.code for fault in faults):
            return False
        now = 0.0
        with trio.move_on_after(_MEASURING_S), suppress(MachineGone):
            now = await self._machines.round_trip_us(peer)
        if now <= SLOWEST * before:
            return False
        peer.slow += 1
        if peer.slow >= MOST_SLOW:
            told = f"a round trip between two C programs takes {now:.1f} us there now"
            self.leave_out(peer, f"{told}, and took {before:.1f} us when it joined")
        return True

    async def _is_agreed(self, peer: Peer, job: Job, brought: Brought) -> bool:
        """Whether no two other machines play a job otherwise, and alike."""
        seen = {peer: brought}
        while len(seen) < _ENOUGH and self._machines.peers.others(seen):
            try:
                async with self._machines.another(seen) as other:
                    again = await self._machines.ask(other, job)
            except (MachineGone, NoOther):
                return True
            if not isinstance(again.report, JobPlayed):
                return True
            if not await self.holds(other, job, again):
                continue
            if any(_same(again, earlier) for earlier in seen.values()):
                self._outvote(seen, again)
                return _same(brought, again)
            seen[other] = again
        return True

    def _outvote(self, seen: Mapping[Peer, Brought], again: Brought) -> None:
        """Leave out the machine that differs from two that agree, if there is one."""
        for peer, brought in seen.items():
            if not _same(brought, again):
                why = "two other machines play the same job otherwise, and alike"
                self.leave_out(peer, why, doubtful=True)

    def blame(self, peer: Peer, why: str) -> None:
        """Note that a machine could not play what another has played."""
        peer.troubles += 1
        if peer.troubles >= MOST_TROUBLES:
            self.leave_out(
                peer, f"it could not play {MOST_TROUBLES} matches that others could: {why}"
            )

    def leave_out(self, peer: Peer, why: str, *, doubtful: bool = False) -> None:
        """Give a machine no more jobs, and say so.

        Args:
            peer: the machine.
            why: in words.
            doubtful: whether what it has played before is to be doubted, too.
        """
        if peer.left_out:
            return
        peer.left_out = why
        only_read = self._only_read[named(peer)] if doubtful else 0
        more = (
            f"; of its earlier results {only_read:,} counted with records that were only read: "
            f"`{self._proof}` proves them"
        )
        self._say(f"machine {named(peer)} is left out: {why}{more if only_read else ''}")


def named(peer: Peer) -> str:
    """Return what lines call a machine, whatever it calls itself."""
    return printable(peer.machine.name)


def played(brought: Brought) -> JobResult:
    """Return the result of a job whose report says that it was played."""
    assert isinstance(brought.report, JobPlayed)  # noqa: S101  # the caller has looked
    return brought.report.result


def _same(one: Brought, other: Brought) -> bool:
    """Whether two machines have played the same acts."""
    return played(one).outcome.game_digest == played(other).outcome.game_digest
