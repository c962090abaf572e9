"""The command `referee`: puts the commands together and turns errors into lines and exit codes."""

import io
import os
import sys
import traceback
from functools import cache
from importlib.metadata import entry_points, version
from typing import Annotated

import typer

from referee.errors import HostError, RefereeError, innermost
from referee.escaping import printable
from referee.exits import HOST, INTERRUPTED, USAGE
from referee.lazy import add_lazily
from referee.signals import treat_all_alike, treat_none

PLUG_INS = "briscola_referee.commands"
"""The entry-point group for further commands: each names a function that takes the app.

It is called whatever is typed, so it must be quick: see `referee.lazy`.
"""

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Referee for bots that play games of the briscola family.",
)
for _name, _line in {
    "games": "Lists the games; with an ID, prints that game's rules and options.",
    "match": "Plays a match.",
    "replay": "Shows a recorded match.",
    "check": "Checks whether a bot keeps to the protocol.",
    "doctor": "Proves what the sandboxes enforce here.",
    "bench": "Measures what the referee costs.",
}.items():
    add_lazily(app, _name, f"referee.commands.{_name}:{_name}", _line)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Referee for bots that play games of the briscola family."""
    if show_version:
        print(version("briscola-referee"))
    elif context.invoked_subcommand is None:
        print(context.get_help())


@cache
def add_plug_ins() -> None:
    """Adds the commands of whatever is installed beside us, once."""
    for plug_in in entry_points(group=PLUG_INS):
        plug_in.load()(app)


def run(arguments: list[str]) -> int:
    """Runs one command; returns its exit code. Whatever goes wrong is one line on stderr."""
    try:
        for argument in arguments:
            argument.encode()
        add_plug_ins()
        found = app(args=arguments, prog_name="referee", standalone_mode=False)
        code = found if isinstance(found, int) else 0
        line = "interrupted" if code == INTERRUPTED else ""
    except BaseException as error:
        line, code = _explain(innermost(error))
    if line:
        print("referee:", printable(line, keep="\n"), file=sys.stderr)
    return code


def _explain(error: BaseException) -> tuple[str, int]:  # noqa: PLR0911  # one for each kind
    """The line and the exit code for what ended a command."""
    match error:
        case RefereeError():
            return str(error), USAGE
        case typer.TyperException():
            context = getattr(error, "ctx", None)
            command = "referee" if context is None else context.command_path
            return f"{error.format_message().rstrip('.')} (see {command} --help)", USAGE
        case UnicodeEncodeError():
            return f"{error.object!r} is not UTF-8", USAGE
        case HostError():
            return str(error), HOST
        case KeyboardInterrupt() | typer.Abort():
            return "interrupted", INTERRUPTED
        case SystemExit(__context__=BrokenPipeError()) | BrokenPipeError():
            # (typer makes the one of the other) whoever read our output has read enough;
            # nothing is left to flush at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return "", 0
        case OSError():
            return f"{error.strerror}: {error.filename or 'output'}", HOST
    traceback.print_exception(error)  # a bug of ours: this is what we need to mend it
    return "a bug of the referee: please report it with the lines above", HOST


def main() -> None:
    """The console script."""
    treat_all_alike()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    treat_none()
    sys.exit(code)
