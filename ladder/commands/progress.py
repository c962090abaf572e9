"""How a long task goes: a bar on a terminal, now and then a line elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

_BAR_EVERY_S: Final = 0.1
_LINE_EVERY_S: Final = 10.0

Say = Callable[[int, int], None]
"""Is told how much is done, and how much there is."""


@contextmanager
def counted(
    talk: Console, title: str, of: str, clock: Callable[[], float] = time.monotonic
) -> Iterator[Say]:
    """Shows how a task goes until the block is left.

    Args:
        talk: where to.
        title: what is done, such as "proving".
        of: what is counted, in the plural.
        clock: seconds, from any beginning.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[how]}", markup=False),
        TimeRemainingColumn(),
    )
    every = _BAR_EVERY_S if talk.is_terminal else _LINE_EVERY_S
    due = clock() + every
    with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
        task = progress.add_task(title, total=None, how="")

        def say(done: int, total: int) -> None:
            nonlocal due
            now = clock()
            if now < due:
                return  # a task may say so a million times
            due = now + every
            how = f"{done:,} of {total:,} {of}"
            progress.update(task, completed=done, total=total, how=how)
            if not talk.is_terminal:
                talk.print(f"{title}: {how}", style="dim")

        yield say
