"""Runs `referee submit` for a site, one trial after the other, in forks of this process.

    python -m ladder.web.trial_process

What the command imports, which is most of what a trial costs, is imported once. A line of stdin is
a `TrialOrder`; its answer on stdout is a line, too: the exit code. Where stdin ends meanwhile, the
command under way is ended. On a machine that plays, matches come first.
"""

import os
import select
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Final

import msgspec
from msgspec import Struct

from referee.cli import main as command
from referee.sandbox.priority import come_after_matches

NEEDED: Final = (
    "ladder.commands.submit",
    "referee.commands.app",
    "referee.play.conductor",
    "referee.sandbox.bubblewrap.sandbox",
    "sqlalchemy.dialects.sqlite",
)
"""Modules that bring what a trial imports, or nearly all of it."""

_PATIENCE_MS: Final = 5000
"""A command that was told to end has so long."""


class TrialOrder(Struct, frozen=True):
    """A command to run.

    Attributes:
        words: what is typed after `referee`.
        folder: the current one.
        out: the file of its stdout.
        err: the file of its stderr.
    """

    words: list[str]
    folder: str
    out: str
    err: str


def main() -> None:
    """Run what is ordered until stdin ends; say in a line what the machine does not let us."""
    try:
        _serve()
    except OSError as error:
        sys.exit(f"referee: the trial of a bot: {error.filename or 'fork'}: {error.strerror}")


def _serve() -> None:
    come_after_matches()
    for name in NEEDED:
        import_module(name)
    orders = msgspec.json.Decoder(TrialOrder)
    while line := sys.stdin.buffer.readline():
        pid = os.fork()
        if not pid:
            _become(orders.decode(line))
            command()
        with suppress(BrokenPipeError):  # where no site waits any more, stdin has ended, too
            os.write(sys.stdout.fileno(), b"%d\n" % _code(pid))


def _become(order: TrialOrder) -> None:
    """Be a process as if it had been started for the order."""
    os.chdir(order.folder)
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    for fd, path, how in ((0, os.devnull, os.O_RDONLY), (1, order.out, new), (2, order.err, new)):
        opened = os.open(path, how, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    sys.argv = ["referee", *order.words]


def _code(pid: int) -> int:
    """Wait for a command to end; return its exit code, negative for a signal."""
    ended = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(sys.stdin, select.POLLIN)
    if not any(fd == ended for fd, _ in poll.poll()):
        poll.unregister(sys.stdin)
        os.kill(pid, signal.SIGTERM)
        if not poll.poll(_PATIENCE_MS):
            os.kill(pid, signal.SIGKILL)
    os.close(ended)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    main()
