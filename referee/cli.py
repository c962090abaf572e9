"""The command `referee`: turns whatever goes wrong into one line and an exit code.

It imports hardly anything before it can say what went wrong: where no file handle or no memory is
left, the import of a library is the first to fail.
"""

import io
import os
import sys
from typing import Final

from referee.commands.memory import check_memory
from referee.errors import HOST, INTERRUPTED, USAGE, HostError, RefereeError, innermost
from referee.signals import count_continuations, treat_all_alike, treat_none
from referee.text import printable

_LONGEST_LINE: Final = 20_000
"""Characters of an error that are shown."""

_COMPLETION: Final = "_REFEREE_COMPLETE"
"""Is in the environment where a shell asks what could follow, and what else it has to say."""

_LEAST_MIB: Final = 16
"""Memory without which the command line cannot be read, in MiB."""


def run(arguments: list[str]) -> int:
    """Runs one command; returns its exit code. Whatever goes wrong is one line on stderr."""
    try:
        for argument in arguments:
            argument.encode()
        check_memory(_LEAST_MIB)
        from referee.commands.app import call  # noqa: PLC0415  # see above

        code = call(arguments)
        line = "interrupted" if code == INTERRUPTED else ""
    except BaseException as error:
        line, code = _explain(innermost(error))
    if line:
        if len(line) > _LONGEST_LINE:  # what is wrong may be a name of megabytes
            line = f"{line[:_LONGEST_LINE]} ... ({len(line):,} characters)"
        print("referee:", printable(line, keep="\n"), file=sys.stderr)
    return code


def _explain(error: BaseException) -> tuple[str, int]:  # noqa: PLR0911  # one for each kind
    """The line and the exit code for what ended a command."""
    match error:
        case RefereeError():
            return str(error), USAGE
        case UnicodeEncodeError():
            return f"{error.object!r} is not UTF-8", USAGE
        case HostError():
            return str(error), HOST
        case KeyboardInterrupt():
            return "interrupted", INTERRUPTED
        case SystemExit(__context__=BrokenPipeError()) | BrokenPipeError():
            # (typer makes the one of the other) the reader of our output has read enough;
            # nothing is left to flush at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return "", 0
        case SystemExit(code=int() as code):
            return "", code  # completion of shells ends so
        case _ if _COMPLETION in os.environ:
            return "", HOST  # a shell asks what could follow: it shows what it is told
        case OSError():
            return f"{error.strerror}: {error.filename or 'output'}", HOST
    import traceback  # noqa: PLC0415  # hardly ever wanted

    traceback.print_exception(error)  # a bug of ours: this is what we need to mend it
    return "a bug of the referee: please report it with the lines above", HOST


def main() -> None:
    """The console script."""
    treat_all_alike()
    count_continuations()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = run(sys.argv[1:])
    treat_none()
    sys.exit(code)
