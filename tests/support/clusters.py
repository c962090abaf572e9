"""Clusters without an engine: machines of this process, some of which lie, die or are slow."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import trio
from msgspec.structs import replace

from ladder.cluster import machine as functions
from ladder.cluster.checks import Draw
from ladder.cluster.connection import MachineGone
from ladder.cluster.machine import Here, rules_digest, settings_digest
from ladder.cluster.messages import Brought, Machine, encode, read_brought
from ladder.cluster.players import Cluster
from referee.bots.find import BotSpec, find
from referee.bots.settings import ClusterChecks, Settings
from referee.match.outcome import MatchOutcome
from referee.sandbox import Sandbox
from referee.sandbox.bare import Bare
from referee.version import own_version
from referee.workers.jobs import Job, JobResult
from referee.workers.messages import JobPlayed
from referee.workers.player import Player
from support.terms import job_of

Change = Callable[[Brought], Brought]


class _Forger(Player):
    """Has others play in the place of some bots, under their names and hashes."""

    def __init__(self, swapped: Mapping[str, str]) -> None:
        super().__init__(Bare(), Settings())
        self._swapped = swapped

    async def _bot(self, typed: str, *, submitted: bool) -> BotSpec:
        found = await super()._bot(self._swapped.get(typed, typed), submitted=submitted)
        return replace(found, hash=find(typed, Settings()).hash)


class _Alone:
    """Plays one job after another, bare, in this process; bots may be swapped for others."""

    size = 1

    def __init__(self, swapped: Mapping[str, str], sandbox: Sandbox) -> None:
        self._player = _Forger(swapped) if swapped else Player(sandbox, Settings())
        self.jobs: list[Job] = []

    async def play(self, job: Job) -> JobResult:
        self.jobs.append(job)
        return await self._player.play(job)


def at_rate(rate: float) -> Callable[[], bytes]:
    """A clock that goes so many times as fast as trio's."""
    return lambda: str(int(rate * trio.current_time() * 1e9)).encode()


class FakeMachine:
    """A machine.

    Attributes:
        calls: how many it has got, but for what its clock says.
        jobs: what it was given.
        sent: hashes of the bots that came along, an entry a call.
        deaths: so many of its next jobs it leaves without an answer.
        change: what it makes of what it brings.
        l_now: what a round trip takes now.
        clock: says what its clock says.
        answer: what it answers in place of a result; None: one.
        is_silent: whether it never does.
    """

    answer: bytes | None = None
    is_silent = False
    calls = 0

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        swapped: Mapping[str, str] | None = None,
        change: Change = lambda brought: brought,
        deaths: int = 0,
        runs_in: Sandbox | None = None,
        l_now: float = 5.0,
        **about: Any,  # what `Machine` is made of
    ) -> None:
        self.machine = replace(here(name), **about)
        self.players = _Alone(swapped or {}, runs_in or Bare())
        folder = folder / name
        folder.mkdir()
        self._here = Here(self.players, self.machine, folder, Settings(), None)
        self.sent: list[tuple[str, ...]] = []
        self.change, self.deaths, self.l_now = change, deaths, l_now
        self.clock = at_rate(1.0)

    @property
    def jobs(self) -> list[Job]:
        return self.players.jobs

    async def call(self, function: Callable[..., bytes], *args: Any) -> bytes:  # as the engine has
        """What the engine would have the machine do."""
        self.calls += function is not functions.clock
        if self.is_silent:
            await trio.sleep_forever()
        if function is functions.introduce:
            return encode(self.machine)
        if function is functions.clock:
            return self.clock()
        if function is functions.measured:
            return str(self.l_now).encode()
        assert function is functions.play
        errand, parcels = args
        self.sent.append(tuple(parcels))
        if self.answer is not None:
            return self.answer
        if self.deaths:
            self.deaths -= 1
            raise MachineGone("it was killed")
        return encode(self.change(read_brought(await self._here.play(errand, parcels))))


class FakeConnection:
    """A connection to machines by address."""

    def __init__(self, machines: Sequence[FakeMachine]) -> None:
        self.machines = {f"tls://{one.machine.name}": one for one in machines}

    async def addresses(self) -> set[str]:
        return set(self.machines)

    async def call(self, address: str, function: Callable[..., bytes], *args: object) -> bytes:
        if address not in self.machines:
            raise MachineGone("there is none")
        return await self.machines[address].call(function, *args)


def job(**more: object) -> Job:
    """Two deals of bots that play by no chance."""
    usual = {"key": "k", "first": 3, "blocks": 1, "names": ("one", "other"), "time": "move=20s"}
    bots = ("sample:greedy", "sample:first")
    return job_of(game="briscola-2", bots=bots, **{**usual, **more})


def without_times(outcome: MatchOutcome) -> MatchOutcome:
    return replace(outcome, wall_us=0, used_us=(), sandbox="")


async def alone(wanted: Job) -> MatchOutcome:
    """What it comes to on one machine."""
    return without_times((await Player(Bare(), Settings()).play(wanted)).outcome)


def outcome(change: Callable[[MatchOutcome], MatchOutcome]) -> Callable[[Brought], Brought]:
    """Changes what a machine says of a job."""

    def changed(brought: Brought) -> Brought:
        assert isinstance(brought.report, JobPlayed)
        found = change(brought.report.result.outcome)
        return replace(brought, report=JobPlayed(JobResult(found)))

    return changed


def with_more(found: MatchOutcome) -> MatchOutcome:
    (block,) = found.blocks
    return replace(found, blocks=(replace(block, values=(240, -240)),))


def moved(found: MatchOutcome) -> MatchOutcome:
    """The same sums, and the first block brought more than it has, the second less."""
    first, second, *rest = found.blocks
    (a, b), (c, d) = first.values, second.values
    blocks = (replace(first, values=(a + 2, b - 2)), replace(second, values=(c - 2, d + 2)))
    return replace(found, blocks=(*blocks, *rest))


def here(name: str) -> Machine:
    """A machine that could play."""
    return Machine(
        name=name,
        processor="a processor",
        cores=1,
        l_us=5.0,
        sandbox="bare",
        referee=own_version(),
        rules=rules_digest(),
        settings=settings_digest(Settings()),
    )


async def cluster(
    *machines: FakeMachine,
    said: list[str] | None = None,
    one_in: int = 1_000_000,
    verify: int = 1,
    proof: str = "",
    draw: Draw = secrets.randbelow,
) -> tuple[Cluster, FakeConnection]:
    """A cluster that has seen its machines."""
    connection = FakeConnection(machines)
    lines = [] if said is None else said
    settings = Settings(cluster=ClusterChecks(verify=verify, again=one_in))
    found = Cluster(connection, settings, lines.append, proof=proof, draw=draw)
    await found.look()
    return found, connection
