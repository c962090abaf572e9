"""The command `referee`: puts the commands together and turns errors into lines and exit codes."""

import sys
import traceback
from importlib.metadata import entry_points, version
from typing import Annotated

import typer

from referee.commands.check import check
from referee.commands.games import games
from referee.commands.match import match
from referee.commands.replay import replay
from referee.errors import HostError, RefereeError

PLUG_INS = "briscola_referee.commands"
"""The entry-point group for further commands: each names a function that takes the app."""

USAGE, HOST, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Referee for bots that play games of the briscola family.",
)
app.command()(games)
app.command()(match)
app.command()(replay)
app.command()(check)


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


def run(arguments: list[str]) -> int:
    """Runs one command; returns its exit code. Whatever goes wrong is one line on stderr."""
    for plug_in in entry_points(group=PLUG_INS):
        plug_in.load()(app)
    code = 0
    try:
        found = app(args=arguments, prog_name="referee", standalone_mode=False)
        code = found if isinstance(found, int) else 0
    except RefereeError as error:
        line, code = str(error), USAGE
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = "referee" if context is None else context.command_path
        line, code = f"{error.format_message().rstrip('.')} (see {command} --help)", USAGE
    except HostError as error:
        line, code = str(error), HOST
    except (KeyboardInterrupt, typer.Abort):
        line, code = "interrupted", INTERRUPTED
    except BrokenPipeError:
        return 0  # whoever read our output has read enough
    except Exception:  # a bug of ours: the traceback is what we need to mend it
        traceback.print_exc()
        line, code = "a bug of the referee: please report it with the lines above", HOST
    else:
        return code
    print(f"referee: {line}", file=sys.stderr)
    return code


def main() -> None:
    """The console script."""
    sys.exit(run(sys.argv[1:]))
