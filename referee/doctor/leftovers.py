"""What a referee leaves behind that is killed in the middle of its work."""

import os
import shutil
import subprocess
import sys
import time
from typing import Final

import msgspec
import trio

from referee.doctor.probing import GONE_S, TrialError, name_of, processes_of
from referee.sandbox import janitor
from referee.sandbox.folders import work_folder

REFEREE: Final = ("-m", "referee.doctor.killed_referee")
"""What Python runs as the referee that is to be killed."""

_START_S: Final = 10.0
_LAST_WORDS_S: Final = 0.5


async def orphans(sandbox: str, *, watched: bool) -> tuple[str, ...]:
    """Kills a referee, and looks for what it leaves.

    Args:
        sandbox: the one that it uses.
        watched: whether it does without control groups.

    Raises:
        TrialError: it did not come so far.
    """
    said = await _killed([sandbox, *["watched"] * watched])
    try:
        token, run = msgspec.json.decode(said, type=tuple[str, str])
    except msgspec.DecodeError:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise TrialError(f"a referee to be killed: {last or 'silence'}") from None
    until = time.monotonic() + GONE_S
    while (found := _left(token, run, sandbox)) and time.monotonic() < until:  # noqa: ASYNC110
        await trio.sleep(0.02)
    return found


async def _killed(words: list[str]) -> bytes:
    """Starts a referee, and kills it as soon as it has said something: that."""
    with subprocess.Popen(  # noqa: ASYNC220, S603  # our own program; quickly done
        [sys.executable, "-P", "-B", *REFEREE, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    ) as doomed:
        assert doomed.stdout is not None  # noqa: S101  # asked for above
        said = b""
        try:
            with trio.move_on_after(_START_S):
                await trio.lowlevel.wait_readable(doomed.stdout)
                said = doomed.stdout.readline()
            if not said.startswith(b"["):  # something went wrong: the end of it says what
                await trio.sleep(_LAST_WORDS_S)
        finally:
            doomed.kill()
        return said if said.startswith(b"[") else said + doomed.stdout.read()


def _left(token: str, run: str, sandbox: str) -> tuple[str, ...]:
    """The processes, groups, folders and containers of a run."""
    found = [f"process {pid} ({name_of(pid)})" for pid in processes_of(token)]
    found += [*janitor.groups_of(run), *map(str, work_folder().glob(run))]
    return (*found, *(_containers(run) if sandbox == "docker" else ()))


def _containers(run: str) -> list[str]:
    filter_ = f"label={janitor.LABEL}={run}"
    words = ["docker", "ps", "--all", "--quiet", "--filter", filter_]
    if shutil.which(words[0]) is None:
        return []
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    return [f"container {name}" for name in done.stdout.split()]
