"""How an event goes, for a person who waits: a bar on a terminal, a line a round elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from ladder.event.plan import SectionPlan
from ladder.results import Round, RoundResult
from referee.text import plural

_SPEED_OVER_S = 30.0


class _Rate(ProgressColumn):
    """Deals a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} deals/s", style="dim")


class EventProgress:
    """Tells people of an event; an `ladder.event.conductor.EventListener`."""

    def __init__(self, talk: Console, progress: Progress, task: TaskID) -> None:
        """Has nothing to tell yet."""
        self._talk = talk
        self._progress = progress
        self._task = task
        self._new = 0
        self._since = time.monotonic()

    def begins(self, section: SectionPlan, number: int, played: Round) -> None:
        """A round begins."""
        self._new, self._since = 0, time.monotonic()
        self._progress.update(self._task, description=_title(section, number, played))

    def match(self, deals: int) -> None:
        """A match is over."""
        self._new += deals
        self._progress.advance(self._task, deals)

    def bug(self, trace: str) -> None:
        """A mistake of ours made a deal void."""
        self._talk.print(trace)

    def ends(self, section: SectionPlan, number: int, played: RoundResult) -> None:
        """A round is over."""
        if not self._new:
            return  # it was before we began
        blocks = sum(len(table.blocks) for table in played.tables)
        missing = len(played.tables) * played.round.blocks - blocks
        seconds = time.monotonic() - self._since
        line = (
            f"{_title(section, number, played.round)}: {plural(len(played.tables), 'table')}, "
            f"{plural(blocks, 'block')}, {plural(self._new, 'deal')} in {seconds:.1f} s"
        )
        if missing:
            line += f"; {plural(missing, 'block')} could not be played"
        self._talk.print(line, style="dim")

    def benched(self, section: SectionPlan, name: str, reason: str) -> None:
        """A bot has no more tables in a section."""
        self._talk.print(f"{section.name}: {name} is benched: {reason}", style="dim")


def _title(section: SectionPlan, number: int, played: Round) -> str:
    return f"{section.name}, {played.label or f'round {number + 1}'}"


@contextmanager
def shown(talk: Console, deals: int, before: int) -> Iterator[EventProgress]:
    """Shows how an event goes until the block is left.

    Args:
        talk: where to.
        deals: how many deals the event is expected to have.
        before: how many of them were played before we began; they say nothing about our speed.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} deals", markup=False),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
        speed_estimate_period=_SPEED_OVER_S,
    ) as progress:
        yield EventProgress(talk, progress, progress.add_task("", total=deals, completed=before))
