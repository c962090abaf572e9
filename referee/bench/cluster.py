"""What a cluster costs: its machines and the pool of this one play the same matches, in turns.

Knows no engine: who opens a cluster is found by the entry-point group, and has jobs played like any
other `Players`.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Protocol

import trio
from msgspec import Struct

from referee.bench.cluster_report import ClusterRow, row_of
from referee.bench.matches import C_BOT, GAME
from referee.bench.running import ProgressCallback
from referee.bench.throughput import check_outcome
from referee.errors import HostError, RefereeError, not_installed
from referee.match.clock import parse_time
from referee.match.seating import Seating
from referee.match.terms import Terms, all_options
from referee.workers.jobs import Job, Players

PLUG_INS: Final = "briscola_referee.clusters"
"""The entry-point group: each names an `Opener`."""

_SEATINGS: Final = 2
_TRIES: Final = 3
"""So often a turn is begun in which machines come or go."""


class Machines(Players, Protocol):
    """The machines of a cluster.

    Attributes:
        machines: how many may get matches.
        cores: how many matches those play at a time; others wait there.
    """

    @property
    def machines(self) -> int:
        """See above."""

    @property
    def cores(self) -> int:
        """See above."""


Opener = Callable[[str, Callable[[str], None]], AbstractAsyncContextManager[Machines]]
"""Opens the machines of a cluster, of which it is given the address and who is told of them."""


class ClusterSizes(Struct, frozen=True):
    """How much of everything there is in a round.

    Attributes:
        deals: of a match: each of these lengths has its turns.
        jobs: matches a core, in a turn.
    """

    deals: tuple[int, ...] = (2, 10, 50)
    jobs: int = 20


USUAL: Final = ClusterSizes()
QUICK: Final = ClusterSizes(jobs=5)


def opener() -> Opener:
    """Return who opens clusters.

    Raises:
        RefereeError: no package that does is installed.
    """
    for plug_in in entry_points(group=PLUG_INS):
        try:
            found: Opener = plug_in.load()
        except ModuleNotFoundError as error:
            raise not_installed("--cluster", plug_in.name, error) from error
        return found
    raise RefereeError("--cluster: nothing is installed that opens a cluster")


class _Turn(Struct, frozen=True):
    """What a match took, in milliseconds: of a core, by the wall; and of this process's time."""

    core_ms: float
    own_ms: float


async def measure(
    pool: Players, machines: Machines, rounds: int, sizes: ClusterSizes, watch: ProgressCallback
) -> tuple[ClusterRow, ...]:
    """Have this machine's pool and a cluster play in turns; return a row for each length.

    Args:
        pool: plays as many matches at a time as it has cores.
        machines: the cluster, of which this process is the conductor.
        rounds: how often each has its turn.
        sizes: what is played.
        watch: is told how far it is.

    Raises:
        HostError: a match went wrong, or machines came and went again and again.
    """
    watch("preparing", 0, 1)
    for deals in sizes.deals:
        await _on_pool(pool, deals, 2)
        await _on_machines(machines, deals, 2)
    samples: dict[int, list[tuple[float, float, float]]] = {deals: [] for deals in sizes.deals}
    steps = [(number, deals) for number in range(rounds) for deals in sizes.deals]
    for done, (number, deals) in enumerate(steps):
        watch(f"{deals} deals", done, len(steps))
        if number % 2:  # what is first finds the machine as the other has left it
            there = await _on_machines(machines, deals, sizes.jobs)
            here = await _on_pool(pool, deals, sizes.jobs)
        else:
            here = await _on_pool(pool, deals, sizes.jobs)
            there = await _on_machines(machines, deals, sizes.jobs)
        samples[deals].append((here.core_ms, there.core_ms, there.own_ms))
    return tuple(row_of(deals, found) for deals, found in samples.items())


async def _on_pool(pool: Players, deals: int, jobs: int) -> _Turn:
    return await _turn(pool, pool.size, deals, jobs)


async def _on_machines(machines: Machines, deals: int, jobs: int) -> _Turn:
    """Have a cluster play a turn.

    Raises:
        HostError: it had another number of cores in the end than at first, time and again.
    """
    for _ in range(_TRIES):
        cores = machines.cores
        turn = await _turn(machines, max(cores, 1), deals, jobs)
        if machines.cores == cores:
            return turn
    raise HostError("bench: machines come and go: measure when they stay")


async def _turn(players: Players, cores: int, deals: int, jobs: int) -> _Turn:
    """Have matches played, as many at a time as players can have, and one that waits.

    Args:
        players: play.
        cores: on how many cores.
        deals: of a match.
        jobs: so many matches a core.
    """
    matches = jobs * cores
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as folder:
        waiting = _jobs(deals, matches, Path(folder))

        async def work() -> None:
            for job in waiting:
                check_outcome((await players.play(job)).outcome)

        wall, own = time.perf_counter(), time.process_time()
        async with trio.open_nursery() as nursery:
            for _ in range(players.size + 1):
                nursery.start_soon(work)
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return _Turn(1000 * cores * wall / matches, 1000 * own / matches)


def _jobs(deals: int, matches: int, folder: Path) -> Iterator[Job]:
    """Yield matches of so many deals, in two seatings, with records, as an event has them."""
    options = all_options(GAME, {}, _SEATINGS)
    terms = Terms(game=GAME, options=options, seating=Seating.FULL, time=parse_time("move=5s"))
    for number in range(matches):
        yield Job(
            terms=terms,
            bots=(C_BOT, C_BOT),
            key=str(number),
            first=0,
            blocks=deals // _SEATINGS,
            record=str(folder / str(number)),
        )


async def sandbox_of(machines: Machines) -> str:
    """Return where bots run on a machine of a cluster, and how that binds them.

    Raises:
        HostError: a match went wrong there.
    """
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as folder:
        (job,) = _jobs(_SEATINGS, 1, Path(folder))
        outcome = (await machines.play(job)).outcome
        check_outcome(outcome)
        return outcome.sandbox
