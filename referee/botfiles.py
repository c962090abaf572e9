"""The files of a bot: found, opened, hashed and copied, whatever their owner does meanwhile."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Final

LARGEST_FOLDER: Final = 256 * 1024 * 1024


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a folder, in order.

    Links count as what they name, within the folder: what lies outside is not the bot's to show.

    Raises:
        ValueError: a link leads out of the folder.
    """
    folder = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = Path(place) / name
            if path.is_symlink() and not path.resolve().is_relative_to(folder):
                raise ValueError(f"{str(path.relative_to(folder))!r} is a link out of the folder")
            if path.is_file():
                yield path


def opened(path: Path, base: Path | None) -> BufferedReader:
    """Opens a file for reading, of which no part below `base` may have become a link meanwhile.

    Raises:
        ValueError: it leads out of `base`, is no plain file, or is too large.
        OSError: it is gone, or has just become a link.
    """
    real = path.resolve()
    base = real.parent if base is None else base.resolve()
    if not real.is_relative_to(base):
        raise ValueError(f"{path.name!r} is a link out of the folder")
    *folders, name = real.relative_to(base).parts
    here = os.open(base, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for folder in folders:
            flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            below = os.open(folder, flags, dir_fd=here)
            os.close(here)
            here = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        file = open(os.open(name, flags, dir_fd=here), "rb")  # noqa: SIM115  # the caller closes it
    finally:
        os.close(here)
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FOLDER:
        file.close()
        raise ValueError(f"{path.name!r} is no plain file, or holds more than 256 MiB")
    return file


def hash_file(path: Path, base: Path | None = None) -> str:
    """SHA-256 of a file, in hex.

    Raises:
        ValueError: as `opened` has it.
        OSError: likewise.
    """
    with opened(path, base) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_files(files: Mapping[str, Path], base: Path | None = None) -> str:
    """SHA-256 over the names, the right to execute, and the contents of all files.

    Raises:
        ValueError: together they are too large, or as `opened` has it.
        OSError: likewise.
    """
    digest, size = hashlib.sha256(), 0
    for name, path in files.items():
        size += path.stat().st_size
        if size > LARGEST_FOLDER:
            raise ValueError("it holds more than 256 MiB")
        mode = b"x" if os.access(path, os.X_OK) else b"-"
        raw = os.fsencode(name)  # its length first: a name may hold a blank or a newline
        digest.update(b"%d:%s %s %s\n" % (len(raw), raw, mode, hash_file(path, base).encode()))
    return digest.hexdigest()


def copy_files(files: Mapping[str, Path], to: Path, base: Path | None = None) -> None:
    """Copies files, with their right to execute and nothing else of their mode.

    Raises:
        ValueError: as `opened` has it.
        OSError: one cannot be read or written.
    """
    for name, path in files.items():
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        runs = os.access(path, os.X_OK)
        with opened(path, base) as source, target.open("xb") as copy:
            shutil.copyfileobj(source, copy)
        target.chmod(0o755 if runs else 0o644)
