"""L: what one round trip between two C programs on one core costs."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import HostError, RefereeError

_SOURCE: Final = Path(__file__).with_name("ping.c")
_COMPILERS: Final = ("gcc", "cc", "clang")
_LONGEST_S: Final = 60


class Ping(Struct, frozen=True):
    """The program that measures, and what it was made with."""

    program: Path
    compiler: str


def compiled(folder: Path) -> Ping:
    """Makes the program.

    Raises:
        RefereeError: there is no C compiler, or it does not do its work.
    """
    compiler = next(filter(shutil.which, _COMPILERS), None)
    if compiler is None:
        raise RefereeError(
            f"bench: no C compiler ({', '.join(_COMPILERS)}): all is measured beside a C program"
        )
    program = folder / "ping"
    done = subprocess.run(  # noqa: S603  # our own source
        [compiler, "-O2", "-o", str(program), str(_SOURCE)],
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    if done.returncode:
        last = (done.stderr.strip() or "it says nothing").splitlines()[-1]
        raise RefereeError(f"bench: {compiler} cannot compile {_SOURCE.name}: {last}")
    return Ping(program, compiler)


def trip_us(ping: Ping, trips: int, size: int) -> float:
    """Microseconds a round trip of a line of so many bytes; the caller chooses the core.

    Raises:
        HostError: the program failed.
    """
    command = [str(ping.program), str(trips), str(size)]
    try:
        done = subprocess.run(  # noqa: S603  # our own program; it hears of no Ctrl-C, so we do
            command, capture_output=True, check=True, start_new_session=True, timeout=_LONGEST_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HostError(f"bench: the round trips in C failed: {error}") from error
    return float(done.stdout) / 1000
