"""Commands whose modules are imported when they are used.

`referee --help` prints a line for each command; all that stands behind them would cost it several
times as long as all else. Plug-ins add theirs in the same way.
"""

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand

from referee.commands.memory import check_memory
from referee.errors import not_installed


class LazyCommand(TyperCommand):
    """Stands in lists of commands for one that is imported once it is called."""

    where: ClassVar[str]
    mib: ClassVar[int]
    extra: ClassVar[str]

    def imported(self) -> Any:  # typer exports no name for the type of its commands
        """The command itself.

        Raises:
            RefereeError: packages that it takes are not installed.
        """
        check_memory(self.mib)
        module, _, function = self.where.partition(":")
        alone = typer.Typer(add_completion=False, rich_markup_mode=self.rich_markup_mode)
        try:
            found = import_module(module)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise not_installed(f"`{self.name}`", self.extra, error) from error
        alone.command(self.name)(getattr(found, function))
        return typer.main.get_command(alone)

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """The context of the command itself: from here on it does everything."""
        return self.imported().make_context(info_name, args, parent, **extra)


def add_lazily(
    app: typer.Typer, name: str, where: str, line: str, mib: int = 1, *, extra: str = ""
) -> None:
    """Adds a command to an app, or to a group of commands in it.

    Args:
        app: which.
        name: what people type.
        where: its function as "package.module:function"; not imported before it is called.
        line: what a list of commands says of it: the first sentence of its docstring.
        mib: memory without which its libraries would end us, in MiB.
        extra: what this package calls the libraries that it takes beyond the usual ones.
    """

    class Lazy(LazyCommand):
        pass

    Lazy.where = where
    Lazy.mib = mib
    Lazy.extra = extra
    app.command(name, cls=Lazy, help=line)(_never_called)


def _never_called() -> None:
    """Typer wants a function here; the context has another command's."""
