"""How much all cores play together."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import trio

from referee.bench.matches import KEY, terms
from referee.bench.targets import ACTS_A_DEAL
from referee.errors import HostError
from referee.match.outcome import MatchOutcome
from referee.sandbox.names import SandboxName
from referee.workers.jobs import Job
from referee.workers.pool import WorkerPool, opened_pool

_WAITING = 2
"""How many jobs a core are under way or wait to be: no worker has to wait for its parent."""


class Crowd:
    """Workers on all cores, each with its sandbox open and the bots prepared."""

    def __init__(self, pool: WorkerPool, cores: int, folder: Path) -> None:
        """Takes a pool of as many workers as cores, and a folder for records."""
        self._pool = pool
        self._cores = cores
        self._folder = folder
        self._numbers = count()

    async def deals_a_second(self, bot: str, deals: int) -> float:
        """Forty-act deals a second, when each core plays so many in one match."""
        jobs = [self._job(bot, deals) for _ in range(self._cores)]
        acts, seconds = await self._play(jobs)
        return acts / ACTS_A_DEAL / seconds

    def _job(self, bot: str, deals: int) -> Job:
        number = next(self._numbers)
        return Job(
            terms=terms(),
            bots=(bot, bot),
            key=f"{KEY} {number}",
            first=0,
            blocks=deals,
            record=str(self._folder / f"{number}.jsonl"),
            luck=False,
        )

    async def _play(self, jobs: Sequence[Job]) -> tuple[int, float]:
        """Plays jobs; returns how many acts they had, and how many seconds they took."""
        acts, waiting = 0, iter(jobs)

        async def work() -> None:
            nonlocal acts
            for job in waiting:
                outcome = (await self._pool.play(job)).outcome
                check_outcome(outcome)
                acts += outcome.acts

        begin = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for _ in range(self._cores * _WAITING):
                nursery.start_soon(work)
        seconds = time.perf_counter() - begin
        self._clear()
        return acts, seconds

    def _clear(self) -> None:
        for record in self._folder.iterdir():
            record.unlink()


def check_outcome(outcome: MatchOutcome) -> None:
    """Refuse to time a match that was not played as it should be.

    Raises:
        HostError: a bot was faulted, a deal was void, or the match was given up.
    """
    troubles = [fault.detail for fault in outcome.fault_list]
    if outcome.given_up:
        troubles.append(outcome.given_up)
    if troubles or any(outcome.voids):
        what = troubles[0] if troubles else "a deal was void"
        raise HostError(f"bench: a match of sample bots in {outcome.sandbox} went wrong: {what}")


@asynccontextmanager
async def opened_crowd(
    name: SandboxName, cores: int, bot: str, folder: Path
) -> AsyncIterator[Crowd]:
    """Workers that have played a bot once; records go to an empty folder.

    Raises:
        RefereeError: the sandbox does not work here.
        HostError: the machine does not let us.
    """
    async with opened_pool(workers=cores, sandbox=name) as pool:
        crowd = Crowd(pool, cores, folder)
        await crowd.deals_a_second(bot, 1)
        yield crowd
