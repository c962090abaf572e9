"""What a conductor takes for a match, by how many machines there are: the real one, fake machines.

    python -m tests.cluster_scale [--machines N...] [--matches N]

Machines of four cores answer with a match that was played before, after the time that it would
take them, by a clock that jumps; nothing is verified. What is measured is the processor time of the
conductor's own process: choosing machines, encoding, waiting, keeping count; the engine's part is
not in it. Prints it by match, and how many matches a second, and machines, it would suffice for.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio
import trio.testing
from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent))

from ladder.cluster import machine as functions
from ladder.cluster.believed import Scrutiny
from ladder.cluster.messages import Errand, encode
from ladder.cluster.players import Cluster
from referee.bots.settings import Settings
from referee.workers.jobs import Job, JobResult
from support.clusters import FakeMachine, here, outcome
from support.terms import job_of

CORES: Final = 4
MATCH_S: Final = 0.12
"""What a match of 50 deals takes between bots in C, on one core: see `tests.bench_cluster`."""


def match() -> Job:
    """A match of fifty deals."""
    bots = ("sample:first", "sample:first")
    return job_of(game="briscola-2", bots=bots, key="k", first=0, blocks=25, time="move=20s")


class Machines:
    """A connection to machines that answer all alike."""

    def __init__(self, machines: int, answer: bytes) -> None:
        self._about = {
            f"tls://{number}": encode(replace(here(f"m{number}"), cores=CORES))
            for number in range(machines)
        }
        self._answer = answer
        self._cores = {address: trio.CapacityLimiter(CORES) for address in self._about}

    async def addresses(self) -> set[str]:
        return set(self._about)

    async def call(self, address: str, function: Callable[..., bytes], *_: object) -> bytes:
        if function is functions.introduce:
            return self._about[address]
        async with self._cores[address]:
            await trio.sleep(MATCH_S)
        return self._answer


async def believed(_job: Job, _result: JobResult, _record: bytes, _how: Scrutiny) -> None:
    """Verifies nothing."""


async def played_before(folder: Path) -> bytes:
    """What a machine brings back: a match that took no longer than the clock will say it did."""
    quickly = outcome(lambda found: replace(found, wall_us=int(0.9e6 * MATCH_S)))
    one = FakeMachine(folder, "a", change=quickly)
    job = encode(Errand(match(), ("", "")))
    return await one.call(functions.play, job, {})


async def measured(machines: int, matches: int, answer: bytes) -> tuple[float, float]:
    """Processor time a match, in seconds, and what part of the cores was busy."""
    connection = Machines(machines, answer)
    cluster = Cluster(
        connection, Settings(), lambda _: None, verify=believed, draw=lambda most: most - 1
    )
    await cluster.look()
    await cluster.play(match())  # packs the bots: the clock does not wait for that
    left = matches
    begun, own = trio.current_time(), time.process_time()

    async def play() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await cluster.play(match())

    async with trio.open_nursery() as nursery:
        for _ in range(cluster.size + 1):
            nursery.start_soon(play)
    own = time.process_time() - own
    busy = matches * MATCH_S / (machines * CORES * (trio.current_time() - begun))
    return own / matches, busy


def main() -> None:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--matches", type=int, default=4000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        answer = trio.run(played_before, Path(folder))
    for machines in asked.machines:
        matches = max(asked.matches, 3 * machines * CORES)
        clock = trio.testing.MockClock(autojump_threshold=0)
        cost, busy = trio.run(measured, machines, matches, answer, clock=clock)
        a_second = 1 / cost
        print(
            f"{machines:5} machines: {1e6 * cost:6.0f} us a match, {100 * busy:.0f} % of the cores "
            f"busy; enough for {a_second:,.0f} matches a second, of "
            f"{a_second * MATCH_S / CORES:,.0f} machines",
            flush=True,
        )


if __name__ == "__main__":
    main()
