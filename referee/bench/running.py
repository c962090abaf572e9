"""Lets all that is measured take turns, round by round, so that a busy moment hurts all alike."""

import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

import trio
from msgspec import Struct

from referee.bench.exchanges import cost_of_exchanges
from referee.bench.figures import LINE, Part
from referee.bench.machine import machine
from referee.bench.matches import C_BOT, cost_of_acts, lives, mean_line
from referee.bench.report import BenchReport, rows_of
from referee.bench.round_trip import compiled, trip_us
from referee.bench.sizes import Sizes
from referee.bench.throughput import Crowd, opened_crowd
from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.errors import RefereeError
from referee.match.verdict import Freeze
from referee.play.affinity import one_core
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened, opened_for
from referee.sandbox.names import SandboxName

T = TypeVar("T")
ProgressCallback = Callable[[str, int, int], None]
"""Is told what is measured now, how many steps are done, and how many there are."""

_SANDBOXES: Final = (SandboxName.BARE, SandboxName.BWRAP)


class _Step(Struct, frozen=True):
    """Something that has its turn in each round.

    Attributes:
        alone: on one core, beside L; else on all.
    """

    name: str
    take: Callable[[], Awaitable[None]]
    alone: bool = True


class _Run:
    """A run of the benchmark, and what it has found so far."""

    def __init__(self, parts: Collection[Part], sizes: Sizes, folder: Path) -> None:
        self._parts = parts
        self._sizes = sizes
        self._folder = folder
        self._settings = read_settings()
        self._bot = find(C_BOT, self._settings)
        self._ping = compiled(folder)
        self._crowds = folder / "crowds"
        self._crowds.mkdir()
        self._trips: list[float] = []
        self._round = 0
        self.machine = machine(self._ping.compiler)
        self.line_bytes = mean_line()
        self.samples: defaultdict[str, list[float]] = defaultdict(list)
        self.absent: dict[str, str] = {}

    async def prepare(self, stack: AsyncExitStack) -> list[_Step]:
        """Sees what works here, and warms it up; returns the steps of a round."""
        steps: list[_Step] = []
        for name in _SANDBOXES:
            if await self._works(name):
                steps += self._alone_in(name)
                if Part.DEALS in self._parts:
                    steps.append(await self._together_in(name, stack))
        if Part.DOCKER in self._parts:
            if not await self._works(SandboxName.DOCKER):
                raise RefereeError(f"bench: {self.absent[SandboxName.DOCKER]}")
            steps.append(_Step("docker", self._in_docker))
        return steps

    async def _works(self, name: SandboxName) -> bool:
        """Plays a short match."""
        try:
            async with opened_for(name, (), self._settings) as sandbox:
                await self._act(sandbox, Freeze.AUTO)
        except RefereeError as error:
            if name is SandboxName.BARE:
                raise
            self.absent[name] = str(error)
            return False
        return True

    def _alone_in(self, name: SandboxName) -> Iterator[_Step]:
        if Part.ACTS in self._parts:
            yield _Step(f"acts, {name}", partial(self._acts_in, name))
        if Part.STARTS in self._parts:
            yield _Step(f"starts, {name}", partial(self._starts_in, name))

    async def _together_in(self, name: SandboxName, stack: AsyncExitStack) -> _Step:
        crowd = await stack.enter_async_context(
            opened_crowd(name, self.machine.cores, C_BOT, self._crowds)
        )
        return _Step(f"deals, {name}", partial(self._deals_in, name, crowd), alone=False)

    async def round(self, steps: list[_Step], tell: Callable[[str], None]) -> None:
        """Takes every step once, beginning with another one each time."""
        alone = [step for step in steps if step.alone]
        together = [step for step in steps if not step.alone]
        with one_core():
            self._trip()
            for step in _turned(alone, self._round):
                tell(step.name)
                await step.take()
                self._trip()
                await trio.lowlevel.checkpoint()
        for step in _turned(together, self._round):
            tell(step.name)
            await step.take()
        self.samples[LINE].append(median(self._trips))
        self._trips.clear()
        self._round += 1

    def _trip(self) -> None:
        self._trips.append(trip_us(self._ping, self._sizes.trips, self.line_bytes))

    async def _acts_in(self, name: SandboxName) -> None:
        async with opened(name, self._settings) as sandbox:
            await self._acts(sandbox)

    async def _acts(self, sandbox: Sandbox) -> None:
        for freeze in _turned([Freeze.AUTO, Freeze.ALWAYS], self._round):
            # what comes first finds caches cold
            self._add(f"act.{sandbox.name}.{freeze}", await self._act(sandbox, freeze))
            if sandbox.name == SandboxName.BWRAP:
                await self._exchanges(sandbox, freeze)

    async def _exchanges(self, sandbox: Sandbox, freeze: Freeze) -> None:
        cost = await cost_of_exchanges(sandbox, self._bot, freeze, self._sizes.deals)
        if cost is not None:
            self._add(f"exchange.{sandbox.name}.{freeze}", cost)

    async def _act(self, sandbox: Sandbox, freeze: Freeze) -> float:
        """Return how many microseconds an act costs."""
        record = self._folder / "played.jsonl"
        try:
            return (await cost_of_acts(sandbox, self._bot, freeze, self._sizes.deals, record)).act
        finally:
            record.unlink(missing_ok=True)

    async def _starts_in(self, name: SandboxName) -> None:
        async with opened(name, self._settings) as sandbox:
            await self._starts(sandbox, self._sizes.starts)

    async def _starts(self, sandbox: Sandbox, times: int) -> None:
        first, life = await lives(sandbox, self._bot, times)
        self._add(f"first.{sandbox.name}", first)
        self._add(f"life.{sandbox.name}", life)

    async def _in_docker(self) -> None:
        async with opened(SandboxName.DOCKER, self._settings) as sandbox:
            await self._acts(sandbox)
            await self._starts(sandbox, self._sizes.slow_starts)

    async def _deals_in(self, name: SandboxName, crowd: Crowd) -> None:
        rate = await crowd.deals_a_second(C_BOT, self._sizes.crowd_deals)
        self._add(f"deals.{name}", rate)

    def _add(self, figure: str, sample: float) -> None:
        self.samples[figure].append(sample)


def _turned(all_of: list[T], by: int) -> list[T]:
    start = by % len(all_of) if all_of else 0
    return all_of[start:] + all_of[:start]


async def measure(
    parts: Collection[Part], rounds: int, sizes: Sizes, watch: ProgressCallback
) -> BenchReport:
    """Measures these parts so many times.

    Raises:
        RefereeError: what it needs is not here.
        HostError: the machine let it down.
    """
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as scratch:
        async with AsyncExitStack() as stack:
            watch("preparing", 0, 1)
            run = _Run(parts, sizes, Path(scratch))
            steps = await run.prepare(stack)
            total, done = rounds * len(steps), 0

            def tell(name: str) -> None:
                nonlocal done
                watch(name, done, total)
                done += 1

            for _ in range(rounds):
                await run.round(steps, tell)
    return BenchReport(
        machine=run.machine,
        rounds=rounds,
        line_bytes=run.line_bytes,
        rows=rows_of(run.samples, run.machine.cores),
        absent=run.absent,
    )
