"""How an event goes, for a person who waits.

A bar on a terminal; elsewhere a line at the end of each round, and one each half minute.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

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
from referee.terminal.board import Board, BoardProgress
from referee.text import plural

_SPEED_OVER_S = 30.0

LINE_EACH_S: Final = 30.0
"""How often a line is printed where there is no bar."""


class _Rate(ProgressColumn):
    """Deals a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} deals/s", style="dim")


class EventProgress:
    """Tells people of an event; an `ladder.event.conductor.EventListener`."""

    def __init__(
        self,
        talk: Console,
        progress: Progress,
        task: TaskID,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Has nothing to tell yet.

        Args:
            talk: where to.
            progress: the bar, which shows nothing where there is no terminal.
            task: of the bar.
            clock: returns seconds.
        """
        self._talk = talk
        self._progress = progress
        self._task = task
        self._clock = clock
        self._new = self._all = 0
        self._title = ""
        self._began = self._since = self._told = clock()

    def begins(self, section: SectionPlan, number: int, played: Round) -> None:
        """A round begins."""
        self._new, self._since = 0, self._clock()
        self._title = _title(section, number, played)
        self._progress.update(self._task, description=self._title)

    def match(self, deals: int) -> None:
        """A match is over."""
        self._new += deals
        self._all += deals
        self._progress.advance(self._task, deals)
        if not self._talk.is_terminal and self._clock() - self._told >= LINE_EACH_S:
            self._told = self._clock()
            self._talk.print(self._line(), style="dim")

    def _line(self) -> str:
        """Return how far it is, how fast it goes, and how long that will take."""
        task = self._progress.tasks[0]
        rate = self._all / max(self._told - self._began, 1e-9)
        total = task.total or 0
        left_s = max(total - task.completed, 0) / rate
        minutes = "less than a minute" if left_s < 60 else plural(round(left_s / 60), "minute")
        return (
            f"{self._title}: {task.completed:,.0f} of {total:,.0f} deals, {rate:,.0f} a second, "
            f"{minutes} to go"
        )

    def bug(self, trace: str) -> None:
        """A mistake of ours made a deal void."""
        self._talk.print(trace)

    def ends(self, section: SectionPlan, number: int, played: RoundResult) -> None:
        """A round is over."""
        if not self._new:
            return  # it was before we began
        blocks = sum(len(table.blocks) for table in played.tables)
        missing = len(played.tables) * played.round.blocks - blocks
        seconds = self._clock() - self._since
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
def shown(
    talk: Console,
    deals: int,
    before: int,
    clock: Callable[[], float] = time.monotonic,
    *,
    board: Board | None = None,
) -> Iterator[EventProgress]:
    """Shows how an event goes until the block is left.

    Args:
        talk: where to.
        deals: how many deals the event is expected to have.
        before: how many of them were played before we began; they say nothing about our speed.
        clock: returns seconds.
        board: what is shown below the bar.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} deals", markup=False),
        _Rate(),
        TimeRemainingColumn(),
    )
    with BoardProgress(
        *columns,
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
        speed_estimate_period=_SPEED_OVER_S,
    ) as progress:
        progress.board = board
        task = progress.add_task("", total=deals, completed=before)
        yield EventProgress(talk, progress, task, clock)
