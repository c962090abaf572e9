"""Events for tests: files, plans, and a pool that plays nothing but brings results at once."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import trio
from msgspec.structs import replace

from ladder.core.seal import commitment
from ladder.event.file import Event, read_event
from ladder.event.plan import SectionPlan
from ladder.results import Round, RoundResult
from referee.bots.settings import Settings
from referee.match.outcome import BlockResult, MatchOutcome
from referee.workers.jobs import Job, JobResult

KEY = "0123456789abcdef0123456789abcdef"
SAMPLES = ("greedy", "random", "first", "first-sh", "first-perl", "first-js")


def event_text(
    bots: int = 4,
    games: Sequence[str] = ("briscola-2",),
    *,
    top: str = "",
    key: str | None = KEY,
) -> str:
    """An event file; each game is an id with any further lines of its table."""
    lines = ['name = "Test"', top, "" if key is None else f'key = "{key}"']
    for game in games:
        first, _, rest = game.partition("\n")
        lines += ["[[game]]", f'id = "{first}"', rest]
    for number in range(bots):
        lines += ["[[bot]]", f'path = "sample:{SAMPLES[number % 3]}"', f'name = "bot {number}"']
    return "\n".join(lines) + "\n"


def event_of(folder: Path, text: str) -> Event:
    """The event that a file with this text holds, committed to its key."""
    path = folder / "event.toml"
    path.write_text(text)
    event = read_event(path, Settings())
    return replace(event, plan=replace(event.plan, commitment=commitment(event.key or KEY)))


class ToyPool:
    """Brings results that follow from the job, after times that follow from the seed.

    With seed 0 they come at once.

    Attributes:
        jobs: what was played, in order of completion.
        twist: changes what a job brings, or raises.
    """

    size = 2

    def __init__(
        self,
        seed: int = 0,
        twist: Callable[[Job, MatchOutcome], MatchOutcome] = lambda _, played: played,
        bug: str = "",
    ) -> None:
        self._bug = bug
        self.jobs: list[Job] = []
        self._seed = seed
        self._twist = twist

    async def play(self, job: Job) -> JobResult:
        await trio.sleep(self._seed and _drawn(self._seed, job.bots, job.first) % 1000)
        played = self._twist(job, outcome(job))
        self.jobs.append(job)
        used_us = (self._seed,) * len(job.bots)
        return JobResult(replace(played, wall_us=self._seed, used_us=used_us), self._bug)


def outcome(job: Job) -> MatchOutcome:
    """A match without faults; the same for the same job."""
    blocks = [
        BlockResult(
            block=block,
            deals=2,
            values=tuple(_drawn(job.key, bot, block) % 240 - 120 for bot in job.bots),
            luck=tuple(_drawn(block, bot) % 1000 for bot in job.bots),
            faults=(0,) * len(job.bots),
        )
        for block in range(job.first, job.first + job.blocks)
    ]
    return MatchOutcome(
        blocks=tuple(blocks),
        acts=80 * job.blocks,
        used_us=(1,) * len(job.bots),
        wall_us=1,
        fault_list=(),
        voids=(0,) * len(job.bots),
        given_up="",
        game_digest=hashlib.sha256(repr(job).encode()).hexdigest(),
        sandbox="none",
        faults=(0,) * len(job.bots),
    )


def given_up(played: MatchOutcome) -> MatchOutcome:
    """A match of which the host lets nothing be played."""
    return replace(played, blocks=(), given_up="host: the disk is gone")


def _drawn(*of: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:4], "big")


class Silent:
    """An `ladder.event.conductor.EventListener` that remembers which rounds began."""

    def __init__(self) -> None:
        self.rounds: list[str] = []
        self.bugs: list[str] = []
        self.out: list[tuple[str, str, str]] = []

    def begins(self, section: SectionPlan, number: int, played: Round) -> None:
        self.rounds.append(f"{section.name} {number}")

    def match(self, deals: int) -> None:
        pass

    def bug(self, trace: str) -> None:
        self.bugs.append(trace)

    def benched(self, section: SectionPlan, name: str, reason: str) -> None:
        self.out.append((section.name, name, reason))

    def ends(self, section: SectionPlan, number: int, played: RoundResult) -> None:
        pass
