"""Cards, deals and tables as a person reads them: colour on a terminal, plain text in a pipe."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from referee.escaping import printable

_PIPS: Final = {"H": "♥", "D": "♦", "C": "♣", "S": "♠"}
_COLOURS: Final = {"H": "red", "D": "bright_red", "C": "green", "S": "cyan"}


_WITH_CARDS: Final = ("call", "suit", "exchange", "marry")


class _Plain(Console):
    """A console that takes strings as they are: no markup, no emoji, nothing that acts."""

    def on_broken_pipe(self) -> NoReturn:
        raise BrokenPipeError  # whoever reads us has read enough: `referee.cli` leaves quietly

    def render_str(self, text: str, **options: Any) -> Text:  # as its parent has them
        options.update(markup=False, emoji=False, highlight=False)
        return super().render_str(printable(text, keep="\n"), **options)


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
    with to.status(printable(text)) as status:
        yield lambda now: status.update(printable(now))


def face(card: str) -> Text:
    """A card as 7♦, a suit as ♦; anything else as it is."""
    if len(card) > 2 or card[-1:] not in _PIPS:
        return Text(printable(card))
    rank = "10" if card[0] == "T" else card[:-1]
    return Text(f"{rank}{_PIPS[card[-1]]}", style=_COLOURS[card[-1]])


def action_face(action: str) -> Text:
    """An action with its cards as faces: 7♦, call 7♦, bid 62."""
    word, *rest = action.split(" ")
    shown = map(face, rest) if word in _WITH_CARDS else map(Text, rest)
    return Text(" ").join((face(word), *shown))


def faces(cards: Iterable[str]) -> Text:
    """Cards in a row."""
    return Text(" ").join(map(face, cards))


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
