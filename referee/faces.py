"""Cards, deals and tables as a person reads them: colour on a terminal, plain text in a pipe."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

from msgspec import Struct
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from protocol.messages import View
from referee.leg import DealResult
from referee.table import Table

_PIPS: Final = {"H": "♥", "D": "♦", "C": "♣", "S": "♠"}
_COLOURS: Final = {"H": "red", "D": "bright_red", "C": "green", "S": "cyan"}


_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories of what moves the cursor, hides, or turns text round."""


def printable(text: str, keep: str = "") -> str:
    """Text from a stranger, with everything escaped that a terminal would act upon."""
    return "".join(
        one
        if one in keep or unicodedata.category(one) not in _UNSEEN
        else one.encode("unicode_escape").decode()
        for one in text
    )


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
    return found if found.is_terminal else _Plain(stderr=stderr, width=400)


@contextmanager
def busy(to: Console, text: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal that something takes its time; what it yields changes the text."""
    if not to.is_terminal:
        yield lambda _: None
        return
    with to.status(printable(text)) as status:
        yield lambda now: status.update(printable(now))


def face(card: str) -> Text:
    """A card as 7♦; other actions as they are."""
    if len(card) != 2 or card[1] not in _PIPS:
        return Text(printable(card))
    rank = "10" if card[0] == "T" else card[0]
    return Text(f"{rank}{_PIPS[card[1]]}", style=_COLOURS[card[1]])


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


class Scene(Struct, frozen=True):
    """A moment before a trick: what each seat knows, and the actions that follow."""

    number: int
    views: tuple[View, ...]
    acts: tuple[tuple[int, str, bool], ...]
    """Seat, action, and whether the referee played it."""


def scenes(deal: DealResult) -> Iterator[Scene]:
    """A deal trick by trick."""
    table = Table(deal.game, deal.start.deck, deal.start.dealer)
    seats = range(deal.game.seats)
    views = tuple(table.view(seat)[0] for seat in seats)
    acts: list[tuple[int, str, bool]] = []
    guilty = {
        (deal.start.bots[fault.seat], fault.act) for fault in deal.faults
    }  # from its fault on, the referee plays for all seats of that bot
    for number, (seat, action) in enumerate(deal.acts):
        before = views[0].tricks
        table.play(action)
        bot = deal.start.bots[seat]
        acts.append((seat, action, any(bot == who and number >= act for who, act in guilty)))
        now = tuple(table.view(other)[0] for other in seats)
        if now[0].tricks != before:
            yield Scene(len(now[0].tricks), views, tuple(acts))
            views, acts = now, []
    if acts:
        yield Scene(len(views[0].tricks) + 1, views, tuple(acts))


def deal_heading(deal: DealResult, number: int, names: Sequence[str]) -> Text:
    """The line above a deal."""
    start, account = deal.start, deal.account
    heading = Text(f"Deal {number}", style="bold")
    heading.append(f"  dealer {_seat(start.dealer, start.bots, names)}", style="not bold")
    if account.turn_up is not None:
        heading.append("  turn-up ").append_text(face(account.turn_up))
    return heading


def _seat(seat: int, bots: Sequence[int], names: Sequence[str]) -> str:
    return f"{seat}:{printable(names[bots[seat]])}"


def trick_text(scene: Scene, deal: DealResult, names: Sequence[str], seat: int | None) -> Text:
    """One trick in a line or two: the hands before it, the cards, who takes them."""
    bots = deal.start.bots
    shown = range(len(bots)) if seat is None else (seat,)
    hands = Text("   hands ", style="dim")
    hands.append_text(
        Text("  ").join(
            Text.assemble((f"{at}:", "dim"), faces(scene.views[at].hand)) for at in shown
        )
    )
    cards = Text("  ").join(
        Text.assemble(
            f"{_seat(at, bots, names)} ", face(action), (" (referee)" if by_referee else "", "dim")
        )
        for at, action, by_referee in scene.acts
    )
    line = Text.assemble((f"{scene.number:>2} ", "bold"), cards)
    tricks = deal.account.tricks
    if scene.number <= len(tricks):
        trick = tricks[scene.number - 1]
        line.append(f"  -> {_seat(trick.winner, bots, names)} takes {trick.points}", style="bold")
    return Text("\n").join((hands, line))
