"""Runs commands on a machine that has run out of something: real limits, real disks, real mounts.

Public: `Bounds` says of what there is how much; `Machine` runs commands within them, each in a
process of its own, and tells how they ended. The processes are forked from one that has imported
everything, so that hundreds of steps take a minute; `cold` starts the installed command instead.

As a program it is that process: it reads orders on stdin, and forks.
"""

import gc
import io
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import IO, Final, NoReturn

from msgspec import Struct

from referee.sandbox.folders import work_folder
from referee.sandbox.janitor import MARK, run_of
from support.processes import REFEREE

TALK: Final = re.compile(
    r"bots run bare|sandbox: |1 match at a time; |made a key to sign|briscola-2, round |"
    r"[0-9a-f]{8} briscola-2 "
)
"""How lines begin that a command says on stderr in the course of things."""

_SLIPS: Final = (
    ("match", "sample:none", "sample:first"),
    ("event", "show", "/dev/null/none"),
    ("compare", "sample:none", "sample:first"),
    ("submit", "/dev/null/none"),
    ("ladder", "run", "--help"),
)
"""Commands that end before they have begun: after them, what these import is imported."""

_WITHIN_S: Final = 120
_GONE_S: Final = 10.0
_LARGE: Final = 4096
_SMALL: Final = 448
"""Bytes: what comes from the system's allocator, and what from Python's own."""


class Bounds(Struct, frozen=True):
    """How much there is; None for as much as there always is.

    Attributes:
        files: file handles of a process.
        memory: what a process may have, in bytes: of address space in all, or, of a process that
            was forked, beside what it has already, of which nothing is left free.
    """

    files: int | None = None
    memory: int | None = None


class Ended(Struct, frozen=True):
    """How a command ended.

    Attributes:
        said: the lines on stderr that are not said in the course of things.
    """

    code: int
    out: str
    said: tuple[str, ...]

    @property
    def told_in_a_line(self) -> bool:
        """Whether it ended for want of something, and said so as it should."""
        (line,) = self.said if len(self.said) == 1 else ("",)
        return self.code == 3 and line.startswith("referee: ") and "bug" not in line


def _ended(code: int, out: IO[str], err: IO[str]) -> Ended:
    out.seek(0)
    err.seek(0)
    lines = [line for line in err.read().splitlines() if not TALK.match(line)]
    return Ended(code, out.read(), tuple(lines))


def _environment() -> dict[str, str]:
    """One thread for linear algebra: the others would take memory, and do not live in a fork."""
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def cold(words: Sequence[str], folder: Path, bounds: Bounds, before: Sequence[str] = ()) -> Ended:
    """Runs the installed command, which still has everything to import.

    Args:
        words: of the command.
        folder: where it runs.
        bounds: how much there is.
        before: a command that runs it, such as a shell in a namespace of its own.
    """

    def limit() -> None:
        _limit(bounds, 0)

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        done = subprocess.run(
            [*before, REFEREE, *words],
            cwd=folder,
            stdout=out,
            stderr=err,
            env=_environment(),
            preexec_fn=limit,
            timeout=_WITHIN_S,
            check=False,
        )
        return _ended(done.returncode, out, err)


def _check_nothing_is_left(pid: str) -> None:
    """Waits until a process that has ended has left no folder, no group and no bot."""
    until = time.monotonic() + _GONE_S
    while left := _left_of(pid):
        assert time.monotonic() < until, left
        time.sleep(0.01)


def _left_of(pid: str) -> list[str]:
    runs = {path.name for path in work_folder().glob(f"*-{pid}-*")}
    mark = f"{MARK}={run_of(os.getpid()).partition('-')[0]}-{pid}-".encode()
    left = [str(work_folder() / run) for run in runs]
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes():
                left.append(f"process {process.name}")
    return left


class Machine:
    """Runs commands; they find everything imported."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Is made by `machine`."""
        self._process = process

    def run(self, words: Sequence[str], folder: Path, bounds: Bounds = Bounds()) -> Ended:  # noqa: B008  # it is frozen
        """Runs a command to its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.NamedTemporaryFile("w+") as out, tempfile.NamedTemporaryFile("w+") as err:
            order = [list(words), str(folder), bounds.files, bounds.memory, out.name, err.name]
            print(json.dumps(order), file=self._process.stdin, flush=True)
            pid, code = self._process.stdout.readline().split()
            _check_nothing_is_left(pid)
            return _ended(int(code), out, err)


@contextmanager
def machine() -> Iterator[Machine]:
    """A process that forks commands, until the block is left."""
    with subprocess.Popen(
        [sys.executable, "-m", "support.shortage"],
        cwd=Path(__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=_environment(),
    ) as process:
        yield Machine(process)


def _limit(bounds: Bounds, has: int) -> None:
    for limit, most in (
        (resource.RLIMIT_NOFILE, bounds.files),
        (resource.RLIMIT_AS, None if bounds.memory is None else has + bounds.memory),
    ):
        if most is not None:
            resource.setrlimit(limit, (most, most))


def _hoard() -> object:
    """Takes all memory that there is without asking the system for more."""
    taken: object = None
    for size in (_LARGE, _SMALL):
        with suppress(MemoryError):
            while True:
                taken = (bytes(size), taken)
    return taken


def _become(order: list[object], words: list[str]) -> NoReturn:
    """Runs the command of an order, in a fork, as its console script does."""
    from referee.cli import main  # noqa: PLC0415  # imported by our parent

    _, folder, files, memory, out, err = order
    os.chdir(str(folder))
    for number, name in ((0, os.devnull), (1, out), (2, err)):
        file = os.open(str(name), os.O_RDWR)
        os.dup2(file, number)
        os.close(file)
    os.closerange(3, 64)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode) for number, mode in enumerate("rww")
    )
    sys.argv = [str(REFEREE), *words]
    has = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    bounds = Bounds(
        files if isinstance(files, int) else None, memory if isinstance(memory, int) else None
    )
    hoard = None
    if bounds.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (has, resource.RLIM_INFINITY))
        hoard = _hoard()
    _limit(bounds, has)
    code: object = 1
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:  # the end of an interpreter takes seconds after a fork: it looks at all there is
        del hoard
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(str(code)))


def _serve() -> None:
    _import_everything()
    gc.freeze()  # what is here is not looked at by each fork
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if not pid:
            _become(order, order[0])
        _, status = os.waitpid(pid, 0)
        print(pid, os.waitstatus_to_exitcode(status), flush=True)


def _import_everything() -> None:
    from importlib import import_module  # noqa: PLC0415  # of the program alone

    from referee.cli import run  # noqa: PLC0415  # likewise
    from support.boxless import lift_the_ban  # noqa: PLC0415  # likewise

    for name in (
        *("referee.commands.match", "referee.commands.replay", "ladder.commands.event"),
        *("ladder.commands.compare", "ladder.commands.submit", "ladder.commands.ladder_run"),
        *(
            "ladder.commands.ladder_verify",
            "ladder.commands.ladder_archive",
            "ladder.event.publish",
        ),
        *("ladder.commands.ladder_show", "ladder.show.as_json", "ladder.show.terminal"),
        *("ladder.standings.from_store", "ladder.show.page"),
    ):
        import_module(name)
    lift_the_ban()
    for words in _SLIPS:
        with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
            run(list(words))


if __name__ == "__main__":
    _serve()
