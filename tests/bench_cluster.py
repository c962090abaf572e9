"""What a cluster costs: a machine with one core against a pool with one worker on the same core.

    python -m tests.bench_cluster [--rounds N] [--jobs N]

Plays matches of two, ten and fifty deals between bots in C, in turns by either; conductor and
scheduler have the other core. Prints what part of the pool's matches a second the machine plays
(verifying each record included), and what a match costs the conductor in processor time, but for
the processes that verify records.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import trio

sys.path.insert(0, str(Path(__file__).parent))

from ladder.cluster.address import read_address
from ladder.cluster.keys import security_of
from ladder.cluster.players import opened_cluster
from referee.bots.settings import Settings
from referee.sandbox.names import SandboxName
from referee.workers.jobs import Job, Players
from referee.workers.pool import WorkerPool
from support.kill_cluster import running
from support.terms import job_of

BOTS: Final = ("sample:first-c", "sample:first-c")


def job_of_deals(deals: int, number: int, record: Path) -> Job:
    """A match of so many deals, in two seatings, with a record, as a ladder has one of each."""
    return job_of(
        game="briscola-2",
        bots=BOTS,
        key=str(number),
        first=0,
        blocks=deals // 2,
        time="move=5s",
        record=str(record),
    )


async def seconds(players: Players, deals: int, jobs: int) -> tuple[float, float]:
    """What so many matches take, by the wall and of this process, in seconds."""
    limit = trio.CapacityLimiter(players.size + 1)
    with tempfile.TemporaryDirectory() as folder:

        async def one(number: int) -> None:
            async with limit:
                await players.play(job_of_deals(deals, number, Path(folder) / str(number)))

        wall, own = time.perf_counter(), time.process_time()
        async with trio.open_nursery() as nursery:
            for number in range(jobs):
                nursery.start_soon(one, number)
        return time.perf_counter() - wall, time.process_time() - own


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """What is started in the block stays on a core, and this process on the others."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before - {core} or before)


async def main(rounds: int, jobs: int) -> None:
    """The script."""
    core = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as place, ExitStack() as held:
        folder = Path(place) / "cluster"
        with on_core(core):
            started = held.enter_context(running(folder, machines=1))
        os.sched_setaffinity(started.scheduler.pid, os.sched_getaffinity(0))
        while "scheduler:" not in started.logs():  # noqa: ASYNC110  # it is another process
            await trio.sleep(0.05)
        await compared(started.address, folder / "keys", core, rounds, jobs)


async def compared(address: str, keys: Path, core: int, rounds: int, jobs: int) -> None:
    """Measures, and prints a line for each length of a match."""
    pool = WorkerPool((core,), SandboxName.BWRAP)
    await pool.open()
    try:
        at = read_address(address), security_of(keys), Settings()
        async with opened_cluster(*at, say=print) as machines:
            for deals in (2, 10, 50):
                await seconds(pool, deals, 2)
                await seconds(machines, deals, 2)
                parts, costs = [], []
                for _ in range(rounds):
                    alone, _ = await seconds(pool, deals, jobs)
                    there, own = await seconds(machines, deals, jobs)
                    parts.append(alone / there)
                    costs.append(own / jobs * 1000)
                print(
                    f"{deals:3} deals: {100 * statistics.median(parts):.0f} % of the pool "
                    f"({100 * min(parts):.0f} to {100 * max(parts):.0f}), conductor "
                    f"{statistics.median(costs):.1f} ms a match; "
                    f"pool {alone / jobs * 1000:.0f} ms a match",
                    flush=True,
                )
    finally:
        await pool.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=20)
    asked = parser.parse_args()
    trio.run(main, asked.rounds, asked.jobs)
