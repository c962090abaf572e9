"""The files of a bot: opened, hashed and copied, whatever their owner does meanwhile."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader
from pathlib import Path
from typing import Final

from referee.bots.held_folder import LARGEST_FOLDER, HeldFolder

_AT_ONCE: Final = 1 << 18
_TOO_LARGE: Final = "it holds more than 256 MiB"


def opened(path: Path) -> BufferedReader:
    """Opens a file that lies alone for reading; links to it are followed.

    Raises:
        ValueError: it is no plain file, or is too large.
        OSError: it is gone, or has just become a link.
    """
    real = path.resolve()
    with HeldFolder(real.parent) as folder:
        return folder.opened(real.name)


def hash_file(path: Path) -> str:
    """SHA-256 of a file that lies alone, in hex.

    Raises:
        ValueError: as `opened` has it.
        OSError: likewise.
    """
    digest = hashlib.sha256()
    with opened(path) as file:
        for data in _contents(file, LARGEST_FOLDER):
            digest.update(data)
    return digest.hexdigest()


def _contents(file: BufferedReader, most: int) -> Iterator[bytes]:
    """What a file holds, in pieces: its owner may let it grow while it is read.

    Args:
        file: at its beginning.
        most: bytes.

    Raises:
        ValueError: there is more.
    """
    while data := file.read(_AT_ONCE):
        most -= len(data)
        if most < 0:
            raise ValueError(_TOO_LARGE)
        yield data


def hash_files(files: Mapping[str, Path], folder: HeldFolder | None = None) -> str:
    """SHA-256 over the names, the right to execute, and the contents of all files.

    Args:
        files: by their names.
        folder: what they all lie in, under these names; without it each lies alone.

    Raises:
        ValueError: together they are too large, or as `opened` has it.
        OSError: likewise.
    """
    digest, size = hashlib.sha256(), 0
    for name, path in files.items():
        with opened(path) if folder is None else folder.opened(name) as file:
            status = os.fstat(file.fileno())
            if size + status.st_size > LARGEST_FOLDER:
                raise ValueError(_TOO_LARGE)
            content = hashlib.sha256()
            for data in _contents(file, LARGEST_FOLDER - size):
                content.update(data)
                size += len(data)
        mode = b"x" if status.st_mode & 0o111 else b"-"
        raw = os.fsencode(name)  # its length first: a name may hold a blank or a newline
        digest.update(b"%d:%s %s %s\n" % (len(raw), raw, mode, content.hexdigest().encode()))
    return digest.hexdigest()


def copy_files(files: Mapping[str, Path], to: Path, base: Path | None = None) -> None:
    """Copies files, with their right to execute and nothing else of their mode.

    Args:
        files: by their names.
        to: is made if need be.
        base: the folder that they lie in under these names, as `HeldFolder` takes it.

    Raises:
        ValueError: together they are too large, or as `HeldFolder.opened` has it.
        OSError: one cannot be read or written.
    """
    size = 0
    held: AbstractContextManager[HeldFolder | None]
    held = nullcontext() if base is None else HeldFolder(base)
    with held as folder:
        for name, path in files.items():
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = opened(path) if folder is None else folder.opened(name)
            with source, target.open("xb") as copy:
                mode = os.fstat(source.fileno()).st_mode
                for data in _contents(source, LARGEST_FOLDER - size):
                    size += copy.write(data)
            target.chmod(0o755 if mode & 0o111 else 0o644)
