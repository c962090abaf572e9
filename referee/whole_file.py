"""Files that must outlast a loss of power: whole, or not there at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


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
