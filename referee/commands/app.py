"""The commands of `referee`, put together; `referee.cli` calls them."""

from functools import cache
from importlib.metadata import entry_points
from typing import Annotated

import typer

from referee.commands.lazy import add_lazily
from referee.errors import RefereeError
from referee.version import own_version

PLUG_INS = "briscola_referee.commands"
"""The entry-point group for further commands: each names a function that takes the app.

It is called whatever is typed, so it must be quick: see `referee.commands.lazy`.
"""

app = typer.Typer(
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},  # of all commands
    help="Referee for bots that play games of the briscola family.",
)
for _name, _line in {
    "games": "Lists the games; with an ID, prints that game's rules and options.",
    "match": "Plays a match.",
    "play": "Plays with you at the table.",
    "replay": "Shows a recorded match.",
    "debug": "Tells a bot again what a record says it was told, up to an act.",
    "new": "Makes a folder with a bot to start from.",
    "check": "Checks whether a bot keeps to the protocol.",
    "doctor": "Proves what the sandboxes enforce here.",
    "bench": "Measures what the referee costs.",
    "clean": "Removes copies of bots and builds that are not used any more.",
}.items():
    add_lazily(app, _name, f"referee.commands.{_name}:{_name}", _line)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Referee for bots that play games of the briscola family."""
    if show_version:
        print(own_version())
    elif context.invoked_subcommand is None:
        print(context.get_help())


@cache
def add_plug_ins() -> None:
    """Adds the commands of whatever is installed beside us, once."""
    for plug_in in entry_points(group=PLUG_INS):
        plug_in.load()(app)


def call(arguments: list[str]) -> int:
    """Run one command; return its exit code.

    Raises:
        RefereeError: what was typed is no command, or not as the command wants it.
        KeyboardInterrupt: the command was interrupted.
    """
    add_plug_ins()
    try:
        code = app(args=arguments, prog_name="referee", standalone_mode=False)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = "referee" if context is None else context.command_path
        said = error.format_message().rstrip(".")
        line = f"{said} (see {command} --help)"
        raise RefereeError(line) from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0
