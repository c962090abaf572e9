"""How a runner goes, for a person who waits: a bar on a terminal, a line a block elsewhere."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from ladder.core.facts import Decision, Match, Pool, Submission
from referee.match.outcome import BlockResult
from referee.terminal.board import Board, BoardProgress
from referee.text import plural

_SPEED_OVER_S = 30.0


class RunnerProgress:
    """Tells people of a runner; a `ladder.runner.runner.RunnerListener`.

    Attributes:
        blocks: how many were counted.
        matches: likewise.
    """

    def __init__(self, talk: Console, progress: Progress, task: TaskID) -> None:
        """Has nothing to tell yet."""
        self._talk = talk
        self._progress = progress
        self._task = task
        self.blocks = 0
        self.matches = 0

    def counted(self, match: Match, pool: Pool, names: Sequence[str]) -> None:
        """A match was counted."""
        outcome = match.outcome
        self.matches += 1
        self.blocks += len(outcome.blocks)
        self._progress.update(
            self._task, advance=len(outcome.blocks), description=f"{pool.name}: {' - '.join(names)}"
        )
        if not self._talk.is_terminal:
            for block in outcome.blocks:
                self._talk.print(f"{match.job.name[:8]} {pool.name} {_scores(names, block)}")
        for found in outcome.fault_list[:1]:
            more = sum(outcome.faults) - 1
            rest = f", and {plural(more, 'fault')} more" if more > 0 else ""
            told = f"{match.job.name[:8]} fault of {names[found.bot]}: {found.code}: {found.detail}"
            self._talk.print(f"{told}{rest}", style="red")
        if outcome.given_up:
            told = f"{match.job.name[:8]} {' - '.join(names)} was given up: {outcome.given_up}"
            self._talk.print(told, style="yellow")

    def benched(self, decision: Decision, pool: Pool, entrant: Submission) -> None:
        """A bot plays no more in a pool."""
        told = f"{entrant.name} of {entrant.author} is benched in {pool.name}: {decision.reason}"
        self._talk.print(told, style="yellow")

    def say(self, line: str) -> None:
        """Something that people should know."""
        self._talk.print(line, style="dim")

    def bug(self, trace: str) -> None:
        """A mistake of ours made a deal void."""
        self._talk.print(trace)


def _scores(names: Sequence[str], block: BlockResult) -> str:
    told = (f"{name} {value:+d}" for name, value in zip(names, block.values, strict=True))
    return "  ".join(told)


@contextmanager
def shown(
    talk: Console, blocks: int | None, board: Board | None = None
) -> Iterator[RunnerProgress]:
    """Shows how a runner goes until the block is left.

    Args:
        talk: where to.
        blocks: how many it is to play; None where it goes on until it is stopped.
        board: what is shown below the bar.
    """
    columns = (
        SpinnerColumn(),
        *((BarColumn(),) if blocks else ()),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} blocks", markup=False)
        if blocks
        else TextColumn("{task.completed:,.0f} blocks", markup=False),
        *((TimeRemainingColumn(),) if blocks else ()),
        TextColumn("{task.description}", style="dim", markup=False),
    )
    with BoardProgress(
        *columns,
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
        speed_estimate_period=_SPEED_OVER_S,
    ) as progress:
        progress.board = board
        yield RunnerProgress(talk, progress, progress.add_task("", total=blocks))
