"""What must be the same before and after a match, whoever played it."""

import fcntl
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import Final

from msgspec import Struct, structs

from referee.sandbox.count_process import COUNT_PROCESSES
from referee.sandbox.folders import work_folder
from referee.sandbox.janitor import LABEL, MARK, groups_of, run_of
from referee.sandbox.user_ids import FIRST_UID, SLOTS
from support.processes import open_files

RSS_GROWTH_MIB: Final = 64
"""How much larger we may be after a match.

A bot may send a gigabyte, of which we keep some kilobytes. What is left is room for what a first
match imports and for what the allocator holds on to: half of this, measured, with Docker's library.
"""

_PATIENCE_S: Final = 2.0
"""What others run on this machine comes and goes; what is left behind stays."""


class Census(Struct, frozen=True):
    """What there is of all that a match needs.

    Attributes:
        descriptors: how many files this process has open.
        threads: those of this process, but for the ones that trio keeps for later.
        children: our processes and those that were left to us, dead or alive.
        strangers: living processes of the users that bots run as, or with our mark, or in `folder`.
        groups: control groups of this run.
        containers: containers of this run.
        mounts: how many mounts we see, but for Docker's own.
        files: what lies in the folders for temporary files, and in the one of this run.
        blocking: whether reading and writing blocks, for each of our own standard streams.
    """

    descriptors: int
    threads: int
    children: frozenset[int]
    strangers: frozenset[int]
    groups: frozenset[str]
    containers: frozenset[str]
    mounts: int
    files: frozenset[str]
    blocking: tuple[bool, ...]


def census(folder: Path, temporary: Path, *, docker: bool) -> Census:
    """Counts everything, now.

    Args:
        folder: where the bot runs, if it runs bare.
        temporary: where this process and bare bots make temporary files.
        docker: whether the daemon is to be asked.
    """
    COUNT_PROCESSES.close()  # those that have nothing to do are kept for the next bot
    run = run_of(os.getpid())
    return Census(
        descriptors=open_files(),
        threads=sum("Trio" not in thread.name for thread in threading.enumerate()),
        children=_children(),
        strangers=frozenset(_strangers(run, folder)),
        groups=frozenset(groups_of(run)),
        containers=_containers(run) if docker else frozenset(),
        mounts=sum(
            "docker" not in line for line in Path("/proc/self/mountinfo").read_text().splitlines()
        ),
        files=frozenset((*map(str, temporary.iterdir()), *glob(f"{work_folder()}/*{run}*"))),
        blocking=tuple(not fcntl.fcntl(one, fcntl.F_GETFL) & os.O_NONBLOCK for one in range(3)),
    )


def _children() -> frozenset[int]:
    found: set[int] = set()
    for name in glob("/proc/self/task/*/children"):
        with suppress(OSError):
            found |= set(map(int, Path(name).read_text().split()))
    return frozenset(found)


def _strangers(run: str, folder: Path) -> Iterator[int]:
    mark = f"{MARK}={run}".encode()
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _ = _stat(place)
            if state == "Z":
                continue  # dead, and for its parent to take away; ours are counted as children
            marked = mark in (place / "environ").read_bytes()
            here = os.readlink(place / "cwd").startswith(str(folder))
            if marked or here or (_has_slot(place) and not _is_anothers(place)):
                yield int(place.name)


def _stat(place: Path) -> tuple[str, str]:
    """The state of a process, and its parent."""
    state, parent, *_ = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return state, parent


def _has_slot(place: Path) -> bool:
    return FIRST_UID <= place.stat().st_uid < FIRST_UID + SLOTS


def _is_anothers(place: Path) -> bool:
    """Whether another referee on this machine has started it, and still lives."""
    while _has_slot(place):
        place = Path("/proc", _stat(place)[1])
    return place.name not in ("0", "1", str(os.getpid()))


def _containers(run: str) -> frozenset[str]:
    words = ["docker", "ps", "--all", "--quiet", "--filter", f"label={LABEL}={run}"]
    return frozenset(
        subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    )


def _rss_kib() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


@contextmanager
def nothing_left(folder: Path, temporary: Path, *, docker: bool = False) -> Iterator[None]:
    """Asserts that a block leaves nothing behind and makes this process no larger."""
    before, rss = census(folder, temporary, docker=docker), _rss_kib()
    yield
    until = time.monotonic() + _PATIENCE_S
    while (after := census(folder, temporary, docker=docker)) != before:
        if time.monotonic() > until:
            break
        time.sleep(0.02)

    was, now = structs.asdict(before), structs.asdict(after)
    changed = {name: (was[name], now[name]) for name in was if was[name] != now[name]}
    grown_mib = (_rss_kib() - rss) // 1024
    assert not changed, f"before and after: {changed}"
    assert grown_mib < RSS_GROWTH_MIB, f"{grown_mib} MiB more"
