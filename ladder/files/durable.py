"""Files and folders that must outlast a loss of power: whole, or not there at all."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from referee.sandbox.folders import remove_tree
from referee.sandbox.janitor import is_alive, run_of

_DAY_S: Final = 24 * 60 * 60


@contextmanager
def atomic_write(path: Path, *, mode: int = 0o666, replace: bool = True) -> Iterator[IO[bytes]]:
    """A new file; it has its name only when the block was left in good order.

    Its bytes are on the disk before it has that name, and then the name is, too.

    Args:
        path: where it comes to be; what is there already stays as it is until then.
        mode: its permissions, less the umask.
        replace: whether it may take the place of another file.

    Yields:
        The file, empty, to be written and read.

    Raises:
        FileExistsError: there is one of that name, and it may not be replaced.
        OSError: the disk or the folder does not let us.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with open(os.open(unfinished, flags, mode), "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if replace:
            unfinished.replace(path)
        else:
            os.link(unfinished, path)  # unlike a rename it takes no file's place
    finally:
        unfinished.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Returns when the names in a folder will outlast a loss of power.

    Raises:
        OSError: the disk does not let us.
    """
    there = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(there)
    finally:
        os.close(there)


def scratch_name(prefix: str) -> str:
    """A name for a folder of what is not done yet, by which `sweep` knows whose it is."""
    return f"{prefix}{run_of(os.getpid())}-{secrets.token_hex(4)}"


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
