"""Cards, deals and tables as a person reads them: colour on a terminal, plain text in a pipe."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from referee.text import printable


class _Plain(Console):
    """A console that takes strings as they are: no markup, no emoji, nothing that acts."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError  # our reader has read enough: `referee.cli` leaves quietly

    def render_str(self, text: str, **options: Any) -> Text:  # as its parent has them
        options.update(markup=False, emoji=False, highlight=False)
        return super().render_str(printable(text), **options)


def console(*, stderr: bool = False) -> Console:
    """Where to print: as wide as it must be when it is no terminal, so that nothing is cut."""
    found = _Plain(stderr=stderr)
    return found if found.is_terminal else _Plain(stderr=stderr, width=400, soft_wrap=True)


@contextmanager
def busy(to: Console, text: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal that something takes its time; what it yields changes the text."""
    if not to.is_terminal:
        yield lambda _: None
        return
    with to.status(Text(printable(text))) as status:  # a string could hold marks that act
        yield lambda now: status.update(Text(printable(now)))


def print_table(to: Console, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Prints rows under headings; headings that begin with # are right-aligned numbers."""
    shape = box.SIMPLE_HEAD if to.is_terminal else None
    table = RichTable(box=shape, pad_edge=False, show_edge=False, collapse_padding=True)
    for column in columns:
        number = column.startswith("#")
        table.add_column(column.removeprefix("#"), justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    for line in to.render_lines(table, pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        to.print(text)
