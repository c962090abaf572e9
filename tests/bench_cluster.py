"""What a cluster costs: machines with one core against a pool with workers on the same cores.

    python -m tests.bench_cluster [--rounds N] [--jobs N] [--machines N]

It is `referee bench --cluster` with a cluster of its own: each machine has one of the last cores to
itself, as the workers of the pool have in their turns, and conductor and scheduler have the cores
that are left, or share all of them where none is.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import trio

sys.path.insert(0, str(Path(__file__).parent))

from ladder.cluster.address import read_address
from ladder.cluster.keys import security_of
from ladder.cluster.players import opened_cluster
from referee.bench.cluster import ClusterSizes, measure
from referee.bots.settings import Settings
from referee.commands.bench_cluster import show_rows
from referee.sandbox.names import SandboxName
from referee.terminal.console import console
from referee.workers.pool import WorkerPool
from support.kill_cluster import machine_name, running


async def main(rounds: int, jobs: int, machines: int) -> None:
    """The script."""
    every = os.sched_getaffinity(0)
    cores = sorted(every)[-machines:]
    with tempfile.TemporaryDirectory() as place, ExitStack() as held:
        folder = Path(place) / "cluster"
        os.sched_setaffinity(0, every.difference(cores) or every)
        names = [machine_name(at) for at in range(machines)]
        pinned = {
            name: ("taskset", "-c", str(core)) for name, core in zip(names, cores, strict=False)
        }
        started = held.enter_context(
            running(folder, machines, before=lambda name: pinned.get(name, ()))
        )
        started.wait_for(*names)
        await compared(started.address, folder / "keys", cores, rounds, jobs)


async def compared(address: str, keys: Path, cores: list[int], rounds: int, jobs: int) -> None:
    """Measures, and prints a line for each length of a match."""
    pool = WorkerPool(cores, SandboxName.BWRAP)
    await pool.open()
    try:
        at = read_address(address), security_of(keys), Settings()
        async with opened_cluster(*at, say=print) as found:
            sizes = ClusterSizes(jobs=jobs)
            rows = await measure(pool, found, rounds, sizes, lambda *_: None)
        show_rows(rows, console())
    finally:
        await pool.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--machines", type=int, default=1)
    asked = parser.parse_args()
    trio.run(main, asked.rounds, asked.jobs, asked.machines)
