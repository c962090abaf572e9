"""A ladder whose runners are killed with SIGKILL at moments drawn from a seed.

By hand, as often as you like: `.venv/bin/python tests/support/kill_ladder.py 60 [SEED] [URL]`; URL
is an empty PostgreSQL database.
"""

import ctypes
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from ladder.files import record_store
from ladder.store.location import where_of
from ladder.store.store import Store
from referee.sandbox import janitor
from referee.sandbox.procfs import children, descendants
from support.ladders import made, usual_pools
from support.processes import REFEREE

BOTS: Final = ("first", "random", "greedy", "illegal")
SANDBOX: Final = "bwrap"

_SUBREAPER: Final = 36
_LATEST_S: Final = 20.0
_SURE: Final = 5
_UNTIL_ALL_ARE_GONE_S: Final = 10.0
_LAST_BLOCKS: Final = "16"
"""More than killed runners can have left open."""


class Tally(Struct, frozen=True):
    """What came of it all.

    Attributes:
        matches: that were counted.
        given_up: of them, those that three runners were killed over.
    """

    matches: int
    given_up: int


def begin(typed: str) -> None:
    """Makes a ladder of two games, whose matches are a block each."""
    made(typed, usual_pools("briscola-2", "sueca", blocks=1), BOTS).close()


def _command(typed: str, *words: str) -> list[str]:
    return [str(REFEREE), "ladder", *words, "--ladder", typed]


def runner(typed: str, *words: str) -> "subprocess.Popen[bytes]":
    """A runner in a session of its own; its log is a pipe."""
    return subprocess.Popen(
        _command(typed, "run", "--workers", "1", "--sandbox", SANDBOX, *words),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def killed(typed: str, dice: random.Random) -> tuple[int, bool]:
    """Starts a runner or two, and kills them at some moment; now and then all that they started.

    Returns:
        How many were killed, and whether a janitor was among what they had started.
    """
    unswept = False
    running = [runner(typed) for _ in range(dice.choice((1, 1, 2)))]
    for one in running:
        if dice.random() < 0.2:
            time.sleep(dice.random() * 2)  # the moment is any; nothing is expected of it
        else:
            _hear(one, 1 + dice.randrange(6))
            time.sleep(dice.random() * 0.2)
        everything = dice.random() < 0.3
        unswept |= everything
        _kill(one, everything=everything)
    codes = [one.wait() for one in running]
    for one in running:
        assert one.stderr is not None
        one.stderr.close()
    assert set(codes) == {-signal.SIGKILL}, codes
    return len(running), unswept


def _hear(running: "subprocess.Popen[bytes]", lines: int) -> None:
    """Waits until a runner has said so much, or takes too long."""
    assert running.stderr is not None
    pipe, until = running.stderr.fileno(), time.monotonic() + _LATEST_S
    while lines > 0 and (left := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            data = os.read(pipe, 65536)
            if not data:
                return
            lines -= data.count(b"\n")


def _kill(running: "subprocess.Popen[bytes]", *, everything: bool) -> None:
    others = descendants(running.pid) if everything else []
    with suppress(ProcessLookupError):
        os.kill(running.pid, signal.SIGKILL)
    for pid in others:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def adopting() -> Iterator[set[int]]:
    """Makes us the parent of whatever loses its own, so that none is overlooked.

    Yields:
        Our children that we have already.
    """
    library = ctypes.CDLL(None)
    library.prctl(_SUBREAPER, 1, 0, 0, 0)
    try:
        yield children(os.getpid())
    finally:
        library.prctl(_SUBREAPER, 0, 0, 0, 0)


def left_alive(before: set[int]) -> dict[int, str]:
    """What runners have started and what has not ended soon after them, and what it is.

    Args:
        before: our children that have nothing to do with it.
    """
    until, quiet = time.monotonic() + _UNTIL_ALL_ARE_GONE_S, 0
    while quiet < _SURE:  # the kernel may leave out one while another ends
        left = children(os.getpid()) - before
        quiet = 0 if left else quiet + 1
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if time.monotonic() > until:
            return {pid: _what(pid) for pid in left}
        time.sleep(0.01)
    return {}


def _what(pid: int) -> str:
    """The command line of a process and its state, as far as they can be seen."""
    found = ""
    with suppress(OSError):
        found = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        found += Path(f"/proc/{pid}/stat").read_text(errors="replace")[:100]
        found += Path(f"/proc/{pid}/wchan").read_text()
    return found


def asked(typed: str, *words: str) -> dict[str, Any]:
    """What a command says as JSON; it has to be content."""
    done = subprocess.run(_command(typed, *words, "--json"), capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def survives(typed: str, kills: int, seed: int) -> Tally:
    """Asserts that a ladder whose runners are killed so often is whole in the end.

    Every job counts once, no lease of the dead is left after one more run, nor a temporary file, a
    process or a control group (no process even before, where a janitor was left to see to it);
    ratings are what a rebuild makes, and a proof finds nothing.

    Args:
        typed: an empty place for a ladder.
        kills: how often.
        seed: of the moments.
    """
    dice, times = random.Random(seed), 0
    begin(typed)
    with adopting() as before:
        spared = set(before)
        while times < kills:
            more, unswept = killed(typed, dice)
            times += more
            left = left_alive(spared)
            assert unswept or left == {}
            spared |= set(left)  # with its janitor gone, the next run sweeps
        asked(typed, "run", "--workers", "1", "--sandbox", SANDBOX, "--blocks", _LAST_BLOCKS)
        assert left_alive(before) == {}
    assert _groups_of_the_dead() == []
    assert asked(typed, "rebuild")["same"]
    assert asked(typed, "verify")["findings"] == []
    with Store(where_of(typed)) as store:
        assert store.counts().open == 0
        assert _temporary(store.files) == []
        with store.facts() as reader:
            found = list(reader.matches())
    jobs = [match.job.name for match in found]
    assert len(set(jobs)) == len(jobs)
    return Tally(len(jobs), sum(bool(match.outcome.given_up) for match in found))


def _temporary(files: Path) -> list[str]:
    """Whatever lies about that is neither a record nor a bot."""
    records, bots = files / record_store.RECORDS, files / "bots"
    found = [path for path in records.iterdir() if not path.is_dir()]
    found += [path for path in records.glob("*/*") if not path.name.endswith(record_store.ENDING)]
    found += [path for path in bots.iterdir() if path.name.startswith(".")]
    return sorted(map(str, found))


def _groups_of_the_dead() -> list[str]:
    """The control groups of referees that are gone."""
    found = janitor.groups_of("*-*-*")
    return [one for one in found if not janitor.is_alive(os.path.basename(one))]


if __name__ == "__main__":
    how_often = int(sys.argv[1])
    begun_with = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as place:
        url = f"{sys.argv[3]}?files={place}" if len(sys.argv) > 3 else f"{place}/ladder"
        tally = survives(url, how_often, begun_with)
    print(
        f"killed {how_often} times: {tally.matches} matches, each counted once; "
        f"{tally.given_up} given up"
    )
