"""Workers on all cores: `async with opened_pool() as pool: result = await pool.play(job)`.

One process a core, pinned to it together with its bots, plays one job at a time. We looked at
others first. concurrent.futures gives the whole pool up when one worker dies, cannot stop a call
under way, and keeps threads of its own. trio-parallel can stop one, by killing the worker; but it
calls plain functions, so that a sandbox with its tasks could not stay open between calls, a killed
worker's bots would live on, no worker can be told its core, and one whose parent was killed first
finishes its call. What we need of either is a hundred lines.
"""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count, cycle, islice
from typing import Final

import trio

from referee.errors import HostError, RefereeError, Shortage
from referee.match.verdict import ATTEMPTS
from referee.sandbox.names import SandboxName
from referee.workers.child import Child, WorkerGone
from referee.workers.jobs import BrokenOff, Job, JobResult, Unready
from referee.workers.messages import (
    Broken,
    Failed,
    JobPlayed,
    JobRefused,
    Order,
    PlayJob,
    SetUp,
    WorkerReady,
    WorkerReport,
)

MOST_A_CORE: Final = 4
"""So many workers may share a core; clocks run while others of them play, so one is best."""


class WorkerBug(Exception):
    """A bug of ours in a worker; its traceback is in the notes."""


class _Slot:
    """Where a worker works; when it is gone, another will."""

    def __init__(self, core: int, sandbox: SandboxName) -> None:
        self._set_up = SetUp(core, sandbox)
        self._child: Child | None = None
        self.sandbox: str | None = None
        """Where the worker's bots run, once it has said so."""

    @property
    def pid(self) -> int | None:
        """The worker's process id."""
        return None if self._child is None else self._child.pid

    def start(self) -> None:
        """Starts a worker, where there is none.

        Raises:
            HostError: that cannot be done.
        """
        if self._child is None:
            try:
                self._child = Child(self._set_up)
            except OSError as error:
                raise HostError(f"a worker cannot be started: {error.strerror}") from error

    async def opened(self) -> None:
        """Waits until the worker is set up.

        Raises:
            RefereeError: the sandbox does not work here.
            HostError: the machine does not let us.
            WorkerGone: it has ended instead.
        """
        if self.sandbox is not None:
            return
        report = await self._ask(None)
        if not isinstance(report, WorkerReady):
            await self.end()
            raise error_of(report)
        self.sandbox = report.sandbox

    async def play(self, job: Job) -> WorkerReport:
        """What the worker says of a job.

        Raises:
            WorkerGone: it has ended instead.
        """
        return await self._ask(PlayJob(job))

    async def _ask(self, order: Order | None) -> WorkerReport:
        """The answer to an order, or the first report; ends a worker that cannot go on."""
        assert self._child is not None  # noqa: S101  # it was started
        report = None
        try:
            report = await (self._child.hear() if order is None else self._child.ask(order))
            return report
        finally:
            if report is None or isinstance(report, Broken):
                await self.end()

    async def end(self) -> None:
        """Ends the worker, if there is one; cannot be cancelled."""
        child, self._child, self.sandbox = self._child, None, None
        if child is not None:
            await child.end()


class WorkerPool:
    """Workers that wait for jobs.

    Attributes:
        size: how many.
    """

    def __init__(self, cores: Sequence[int], sandbox: SandboxName) -> None:
        """No worker runs yet; `cores` has one entry for each."""
        self.size = len(cores)
        self._places = [_Slot(core, sandbox) for core in cores]
        self._leave, self._free = trio.open_memory_channel[_Slot](self.size)
        self._closed = False

    @property
    def sandbox(self) -> str:
        """Where bots run, and how that binds them."""
        return next(place.sandbox for place in self._places if place.sandbox is not None)

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of those that work now."""
        return tuple(place.pid for place in self._places if place.pid is not None)

    async def open(self) -> None:
        """Starts all workers.

        Raises:
            RefereeError: the sandbox does not work here.
            HostError: a worker cannot be started.
        """
        for place in self._places:
            place.start()
        try:
            for place in self._places:
                await place.opened()
                self._leave.send_nowait(place)
        except WorkerGone as gone:
            raise HostError(f"a worker did not start: {gone}") from gone

    async def close(self) -> None:
        """Ends all workers and what they have started; cannot be cancelled."""
        self._closed = True
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for place in self._places:
                    nursery.start_soon(place.end)

    async def play(self, job: Job) -> JobResult:
        """Plays a job as soon as a worker is free; if that dies meanwhile, another plays it.

        Unless it is to be played `once`.

        To cancel this ends the worker and its bots; the next job gets a new one.

        Raises:
            Unready: a bot is the reason why it cannot be played.
            RefereeError: it cannot be played as it is, as `referee match` would say.
            BrokenOff: it has ended as many workers as it may.
            HostError: the machine does not let us.
            WorkerBug: a mistake of ours.
        """
        place = await self._free.receive()
        try:
            report = await self._play_at(place, job)
        finally:
            self._leave.send_nowait(place)
        if isinstance(report, JobPlayed):
            return report.result
        raise error_of(report)

    async def _play_at(self, place: _Slot, job: Job) -> WorkerReport:
        for attempt in count(1):
            if self._closed:
                raise trio.ClosedResourceError
            try:
                place.start()
                await place.opened()
                return await place.play(job)
            except WorkerGone as gone:
                if attempt == ATTEMPTS or job.once:
                    bots = ", ".join(job.bots)
                    many = "a worker" if attempt == 1 else f"{attempt} workers"
                    raise BrokenOff(
                        f"{many} ended over {job.terms.game} with {bots}: {gone}"
                    ) from gone
        raise AssertionError  # count does not end


def error_of(report: WorkerReport) -> Exception:
    """What to raise for a report that brings no outcome."""
    match report:
        case JobRefused(line, bot):
            return RefereeError(line) if bot is None else Unready(line, bot)
        case Failed(line, lacks):
            return Shortage(line) if lacks else HostError(line)
        case Broken(trace):
            bug = WorkerBug("a worker found a bug of ours")
            bug.add_note(trace)
            return bug
    return AssertionError(f"a worker out of order said {report!r:.100}")


@asynccontextmanager
async def opened_pool(
    workers: int | None = None, sandbox: SandboxName = SandboxName.AUTO
) -> AsyncIterator[WorkerPool]:
    """Workers, until the block is left; nothing of them or their bots remains then.

    Args:
        workers: how many; None: one for each core that we may use. Each has a core of its own, as
            long as there are enough.
        sandbox: where bots run; AUTO is the strongest that works here.

    Raises:
        RefereeError: the sandbox does not work here, or that is no sensible number of workers.
        HostError: the workers cannot be started.
    """
    if workers is not None and workers < 1:
        raise RefereeError(f"workers={workers}: at least one")
    cores = sorted(os.sched_getaffinity(0))
    most = MOST_A_CORE * len(cores)
    if workers is not None and workers > most:
        raise RefereeError(f"workers={workers}: at most {most}, {MOST_A_CORE} a core")
    pool = WorkerPool(tuple(islice(cycle(cores), workers or len(cores))), sandbox)
    try:
        await pool.open()
        yield pool
    finally:
        await pool.close()
