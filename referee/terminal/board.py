"""A bar that has lines below it, of what is done elsewhere meanwhile."""

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.progress import Progress
from rich.text import Text

from referee.text import printable


class Board:
    """Lines that are shown below a bar, until there are others.

    Attributes:
        lines: they.
    """

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self.lines: Sequence[str] = ()

    def show(self, lines: Sequence[str]) -> None:
        """Show these lines in the place of those before; from any thread."""
        self.lines = tuple(lines)


class BoardProgress(Progress):
    """A bar, and the lines of a board below it.

    Attributes:
        board: has the lines; None: there are none.
    """

    board: Board | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        """Yield what is drawn; called by rich, in a thread of its own."""
        yield from super().get_renderables()
        for line in () if self.board is None else self.board.lines:
            yield Text(printable(line), style="dim", no_wrap=True, overflow="ellipsis")
