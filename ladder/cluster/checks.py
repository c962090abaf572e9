"""Whether what a machine has brought counts.

Its record is played again by the rules (`ladder.cluster.believed`). Since a record could be made up
within the rules, one job of a hundred, which the machine cannot know beforehand, is played on
another machine, too; where the two differ, a third one says which was right, if bots do not play by
chance. Faults of time do not count where the machine has become slow: that is measured afterwards,
when the bots have ended, and has to be so plain that bots cannot bring it about.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final, Protocol

import trio

from ladder.cluster.connection import MachineGone
from ladder.cluster.messages import Brought
from ladder.cluster.peers import MOST_SLOW, SLOWEST, Peer, Peers
from ladder.cluster.verifiers import Verify
from referee.match.verdict import FaultCode
from referee.text import printable
from referee.workers.jobs import Job, JobResult
from referee.workers.messages import JobPlayed

_OF_TIME: Final = frozenset({FaultCode.LATE, FaultCode.STARTUP})
_MEASURING_S: Final = 10.0
"""So long a machine may take to measure itself."""

MOST_TROUBLES: Final = 3
"""After so many jobs that only others could play a machine is left out."""

_ENOUGH: Final = 3
"""So many machines say which of two is right."""


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
        self, machines: Machines, verify: Verify, say: Callable[[str], None], one_in: int
    ) -> None:
        """Has looked at nothing yet.

        Args:
            machines: play jobs again.
            verify: plays records again.
            say: is told who is left out, and why.
            one_in: of so many jobs one is played again elsewhere.
        """
        self._machines, self._verify = machines, verify
        self._say, self._one_in = say, one_in

    async def counts(self, peer: Peer, job: Job, brought: Brought) -> bool:
        """Whether a job that a machine has played counts; else it is to be played elsewhere.

        Args:
            peer: the machine.
            job: what was to be played.
            brought: its report says that it was played.
        """
        if not await self.holds(peer, job, brought) or await self._was_slow(peer, brought):
            return False
        return bool(secrets.randbelow(self._one_in)) or await self._is_agreed(peer, job, brought)

    async def holds(self, peer: Peer, job: Job, brought: Brought) -> bool:
        """Whether the record of a result proves it; a machine is left out whose does not."""
        why = await self._verify(job, played(brought), brought.record)
        if why is not None:
            self.leave_out(peer, why)
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
                self.leave_out(peer, "two other machines play the same job otherwise, and alike")

    def blame(self, peer: Peer, why: str) -> None:
        """Note that a machine could not play what another has played."""
        peer.troubles += 1
        if peer.troubles >= MOST_TROUBLES:
            self.leave_out(
                peer, f"it could not play {MOST_TROUBLES} matches that others could: {why}"
            )

    def leave_out(self, peer: Peer, why: str) -> None:
        """Give a machine no more jobs, and say so."""
        if not peer.left_out:
            peer.left_out = why
            self._say(f"machine {named(peer)} is left out: {why}")


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
