"""Folders of what is not done yet, and how those of processes that are gone are cleared away."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.errors import HostError
from referee.sandbox.folders import remove_tree
from referee.sandbox.janitor import is_alive, run_of

_DAY_S: Final = 24 * 60 * 60


def scratch_name(prefix: str) -> str:
    """A name for a folder of what is not done yet, by which `sweep` knows whose it is."""
    return f"{prefix}{run_of(os.getpid())}-{secrets.token_hex(4)}"


@contextmanager
def scratch_folder(where: Path, prefix: str) -> Iterator[Path]:
    """A folder for what is not done yet; gone afterwards, if still there.

    What processes that are gone have left there is taken away.

    Args:
        where: the folder that it is in; made if need be.
        prefix: of its name.

    Raises:
        HostError: it cannot be made.
    """
    folder = where / scratch_name(prefix)
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep(where, prefix)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise HostError(f"cannot write to {str(where)!r}: {error.strerror}") from error
    try:
        yield folder
    finally:
        remove_tree(folder)


def sweep(folder: Path, prefix: str) -> None:
    """Takes away what processes that are gone have left under a `scratch_name`.

    Whether one of another machine lives, or of this one before it started again, cannot be told
    here: what it has left stays for a day.

    Args:
        folder: it may belong to several machines.
        prefix: as `scratch_name` was given it.
    """
    here = _boot_of(run_of(os.getpid()))
    for left in folder.glob(f"{prefix}*-*-*-*"):
        run = left.name.removeprefix(prefix).rpartition("-")[0]
        if not is_alive(run) and (_boot_of(run) == here or _is_old(left)):
            remove_tree(left)


def _boot_of(run: str) -> str:
    return run.partition(".")[0]


def _is_old(path: Path) -> bool:
    try:
        return path.lstat().st_mtime < time.time() - _DAY_S
    except FileNotFoundError:
        return False
