"""Freezes bots: a built one becomes a read-only folder, named by its hash, never built again.

A folder is whole or not there: it is made under another name, put on the disk, and renamed.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ladder.uploads.bot_toml import TOML
from ladder.uploads.unpacking import shown
from referee.botfiles import LARGEST_FOLDER, files_of, hash_files, opened
from referee.errors import HostError, RefereeError
from referee.sandbox.janitor import is_alive, run_of
from referee.sandbox.place import remove_tree

BOTS: Final = "bots"
"""The folder of frozen bots, within that of the ladder's files."""


@contextmanager
def scratch(bots: Path) -> Iterator[Path]:
    """A folder among the frozen bots for what is not done yet; gone afterwards, if still there.

    What dead processes have left there is taken away.

    Raises:
        HostError: it cannot be made.
    """
    folder = bots / f".{run_of(os.getpid())}-{secrets.token_hex(4)}"
    try:
        bots.mkdir(mode=0o755, parents=True, exist_ok=True)
        _sweep(bots)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise HostError(f"cannot write to {str(bots)!r}: {error.strerror}") from error
    try:
        yield folder
    finally:
        _remove(folder)


def _sweep(bots: Path) -> None:
    for left in bots.glob(".*-*-*-*"):
        if not is_alive(left.name[1:].rpartition("-")[0]):
            _remove(left)


def _remove(folder: Path) -> None:
    """Takes away what may be read-only."""
    for place, _, _ in os.walk(folder):
        with suppress(OSError):
            os.chmod(place, 0o700)  # it is nobody else's
    remove_tree(folder)


def freeze(built: Path, toml: str, to: Path, typed: str) -> None:
    """Copies a bot that is built, read-only, and puts it on the disk.

    Args:
        built: where it was built; nobody writes there.
        toml: its bot.toml, in place of the one that is there.
        to: an empty folder.
        typed: how its author says it.

    Raises:
        RefereeError: it holds links that lead out of it, or to folders or nowhere; or too much.
        OSError: the disk is full, and the like.
    """
    try:
        for name in _names(built):
            target = to / name
            target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            _copy(built / name, built, target)
    except ValueError as error:
        raise RefereeError(f"bot {typed!r}: what its build has made: {error}") from error
    (to / TOML).write_text(toml)
    _seal(to / TOML, 0o444)
    for place, _, _ in os.walk(to, topdown=False):
        _seal(Path(place), 0o555)


def _names(built: Path) -> list[str]:
    """The files of a built bot, as `referee.bots.find` will find them.

    Raises:
        ValueError: something would not be found as it is.
    """
    for place, folders, names in os.walk(built):
        for name in (*folders, *names):
            path = Path(place) / name
            inside = shown(str(path.relative_to(built)))
            if not path.is_symlink():
                continue
            if not Path(os.path.realpath(path)).is_relative_to(built.resolve()):
                raise ValueError(f"{inside} is a link out of the folder")
            if not path.is_file():
                raise ValueError(f"{inside} is a link to no file")
    inside_it = (path.relative_to(built.resolve()) for path in files_of(built))
    found = [str(path) for path in inside_it if path.parts[0] != TOML]
    if sum((built / name).stat().st_size for name in found) > LARGEST_FOLDER:
        raise ValueError("it holds more than 256 MiB")
    return found


def _copy(path: Path, base: Path, to: Path) -> None:
    with opened(path, base) as source, to.open("xb") as target:
        mode = os.fstat(source.fileno()).st_mode
        shutil.copyfileobj(source, target)
    _seal(to, 0o555 if mode & 0o111 else 0o444)


def _seal(path: Path, mode: int) -> None:
    """Makes a file or a folder read-only, and sees to it that it is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def keep(frozen: Path, digest: str) -> Path:
    """Gives a frozen bot its name; where one of that name is already, that one is it.

    Args:
        frozen: where it was made, beside the others.
        digest: its hash.

    Raises:
        HostError: the one that is there is not what its name says.
        OSError: it cannot be renamed.
    """
    final = frozen.parent / digest
    if not final.is_dir():
        try:
            frozen.rename(final)
        except OSError:
            if not final.is_dir():  # else somebody froze the same at the same time
                raise
    if frozen.is_dir() and _hash_of(final.resolve()) != digest:
        raise HostError(f"the frozen bot {str(final)!r} is no longer what its name says")
    descriptor = os.open(final.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return final


def is_whole(files: Path, digest: str) -> bool:
    """Whether a bot lies frozen in the folder of a ladder's files, just as it was frozen."""
    return _hash_of((files / BOTS / digest).resolve()) == digest


def _hash_of(folder: Path) -> str:
    """The hash of a frozen bot as it is now, or nothing where it cannot be told."""
    try:
        files = {str(path.relative_to(folder)): path for path in files_of(folder.resolve())}
        return hash_files(files, folder)
    except (OSError, ValueError):
        return ""
