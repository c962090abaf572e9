"""An event that is killed with SIGKILL at moments drawn from a seed, against one that is not.

By hand, as often as you like: `.venv/bin/python tests/support/kill_event.py 100 [SEED]`.
"""

import io
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from ladder.event.conductor import Played, rounds_in_log
from ladder.event.log import LOG, Contents
from ladder.event.publish import standings_of
from ladder.show.as_json import as_json
from referee.cli import run
from referee.match.lines import EndLine
from referee.record.reader import RecordReader
from referee.sandbox.procfs import descendants
from support.json_objects import object_of
from support.processes import REFEREE

EVENT = """
name = "Kill me"
key = "00112233445566778899aabbccddeeff"
blocks = 3
match_blocks = 1
sandbox = "bare"
[[game]]
id = "briscola-2"
[[game]]
id = "sueca"
format = "knockout"
blocks = 1
pace = 0
[[bot]]
path = "sample:first-c"
[[bot]]
path = "sample:random"
[[bot]]
path = "sample:greedy"
"""
"""Some eleven short matches; who plays the last depends on those before it."""


def command(file: Path, out: Path) -> list[str]:
    """What plays an event, or goes on with it."""
    return [str(REFEREE), "event", "run", str(file), "--out", str(out)]


def watched(process: "subprocess.Popen[Any]", log: Path, lines: int) -> None:
    """Waits until a process has written so many lines more to a log, or is over."""
    size = log.stat().st_size if log.exists() else 0
    gone = os.pidfd_open(process.pid)
    try:
        while not select.select([gone], [], [], 0.002)[0] and _lines_after(log, size) < lines:
            pass
    finally:
        os.close(gone)


def _lines_after(log: Path, size: int) -> int:
    try:
        with log.open("rb") as file:
            file.seek(size)
            return file.read().count(b"\n")
    except OSError:
        return 0


def interrupted(file: Path, out: Path, dice: random.Random) -> bool:
    """Plays until some lines are in the log, waits a little, and kills the whole group.

    Now and then workers, bots and janitors are killed with it.

    Returns:
        Whether there was anything to kill.
    """
    lines, wait_s = dice.randrange(4), dice.random() * 0.08
    process = subprocess.Popen(
        command(file, out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    watched(process, out / LOG, lines)
    time.sleep(wait_s)  # the moment is any; nothing is expected of it
    others = descendants(process.pid) if dice.random() < 0.5 else []
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in others:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def tear(out: Path, dice: random.Random) -> None:
    """Leaves the log as if we had been killed while its last line was written."""
    log = out / LOG
    if log.exists() and dice.random() < 0.5:
        whole = log.read_bytes()
        last = len(whole) - (whole.rstrip(b"\n").rfind(b"\n") + 1)
        os.truncate(log, len(whole) - dice.randrange(last + 1))


def outcome_of(out: Path) -> dict[str, Any]:
    """What an event came to, its times left out: standings, and the digests of all matches."""
    found = Contents(out / LOG)
    assert found.header is not None
    assert found.end is not None
    heading, standings = standings_of(
        Played(found.header.plan, rounds_in_log(found), found.end.key)
    )
    return {
        "standings": object_of(as_json(heading, standings, times=False)),
        "matches": {
            place: line.outcome.game_digest for place, line in sorted(found.matches.items())
        },
        "records": {
            str(path.relative_to(out)): _digest(path) for path in sorted(out.rglob("records/*/*"))
        },
        "end": found.end,
        "files": sorted(path.name for path in out.iterdir()),
    }


def _digest(record: Path) -> str:
    with RecordReader(record) as reader:
        *_, last = reader
    assert isinstance(last, EndLine)
    return last.game_digest


def finish(file: Path, out: Path) -> tuple[int, str]:
    """Plays to the end, in this process: exit code, and what was said."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run(command(file, out)[1:])
    return code, said.getvalue()


def survives(folder: Path, kills: int, seed: int) -> int:
    """Asserts that an event that is killed so often comes to what it comes to otherwise.

    Where it is over sooner than it is killed so often, it is begun anew.

    Returns:
        How many times it was killed, after the log had begun.
    """
    dice = random.Random(seed)
    file = folder / "event.toml"
    file.write_text(EVENT)
    assert finish(file, folder / "whole")[0] == 0
    expected = outcome_of(folder / "whole")
    killed = runs = 0
    while killed < kills:
        out = folder / f"killed-{runs}"
        runs += 1
        while killed < kills and interrupted(file, out, dice):
            killed += 1
            tear(out, dice)
        code, said = finish(file, out)
        assert code == 0, said
        assert outcome_of(out) == expected
    return runs


if __name__ == "__main__":
    how_often = int(sys.argv[1])
    begun_with = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as place:
        events = survives(Path(place), how_often, begun_with)
    print(f"killed {how_often} times in {events} events: the same each time")
