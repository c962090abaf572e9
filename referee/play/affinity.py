"""Which cores we and the bots run on."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def one_core(core: int | None = None) -> Iterator[None]:
    """Keeps us and what we start on one core: they take turns, and hand over faster so.

    Args:
        core: which, of those that this thread has; None: the one that we have used last.
    """
    before = os.sched_getaffinity(0)
    if len(before) == 1:  # as in a worker: to set it once more costs a millisecond
        yield
        return
    os.sched_setaffinity(0, {_last_used(before) if core is None else core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _last_used(cores: set[int]) -> int:
    with open("/proc/self/stat") as stat:
        found = int(stat.read().rpartition(")")[2].split()[36])
    return found if found in cores else min(cores)


@contextmanager
def claimed(core: int, folder: Path) -> Iterator[None]:
    """Say that matches are played on a core, until the block is left or this process ends.

    Args:
        core: which.
        folder: in which `apart` looks; of our user only.

    Raises:
        OSError: the folder is not ours to write to.
    """
    lock = _lock_file(core, folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)  # several workers may share a core
        yield
    finally:
        os.close(lock)


@contextmanager
def apart(folder: Path) -> Iterator[None]:
    """Keep this thread, and what it starts, off the cores that are `claimed`, if others are left.

    Args:
        folder: as in `claimed`.
    """
    before = os.sched_getaffinity(0)
    free = {core for core in before if not _is_claimed(core, folder)}
    os.sched_setaffinity(0, free or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _is_claimed(core: int, folder: Path) -> bool:
    with suppress(OSError):
        lock = _lock_file(core, folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
    return False


def _lock_file(core: int, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
