"""How much lies in a folder: looked at, never opened, however deep it is."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct


class Usage(Struct, frozen=True):
    """What a folder takes of the disk.

    Attributes:
        size: bytes.
        files: files, links and folders below it.
    """

    size: int
    files: int


def entries_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that lies below a folder; what vanishes or is closed to us is left out.

    Raises:
        OSError: with ENAMETOOLONG, where no path can name what lies there.
    """
    folders = [os.fspath(folder)]
    while folders:  # os.walk calls itself for each level, and a build may make thousands
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise


def usage_of(folder: Path) -> Usage:
    """Return what a folder takes of the disk; holes in its files count as if they were filled.

    Raises:
        OSError: as `entries_below` has it.
    """
    size = files = 0
    for entry in entries_below(folder):
        files += 1
        with suppress(FileNotFoundError):
            status = entry.stat(follow_symlinks=False)
            blocks = status.st_blocks * 512
            size += max(blocks, status.st_size) if stat.S_ISREG(status.st_mode) else blocks
    return Usage(size, files)
