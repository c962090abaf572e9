"""Freezes bots: a built one becomes a read-only folder, named by its hash, never built again.

A folder is whole or not there: it is made under another name, put on the disk, and renamed. What is
frozen can go on any journey: an archive of the ladder holds it, and any ladder takes it in.
"""

import os
import shlex
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from ladder.files.scratch import scratch_folder
from ladder.submissions.bot_toml import TOML
from ladder.submissions.unzip_program import shown
from referee.bots.files import hash_files
from referee.bots.find import HANDED_IN, LARGEST_TOML
from referee.bots.held_folder import (
    DEEPEST,
    LARGEST_FOLDER,
    LONGEST_PATH,
    MOST_FILES,
    OUR_TROUBLE,
    HeldFolder,
    Kind,
)
from referee.errors import NO_MEANS, HostError, RefereeError
from referee.text import in_bytes
from referee.whole_file import sync_folder

BOTS: Final = HANDED_IN
"""The folder of frozen bots, within that of the ladder's files."""

_LONGEST_PART: Final = 255
_HASH_LENGTH: Final = 64


def scratch(bots: Path) -> AbstractContextManager[Path]:
    """A folder among the frozen bots for what is not done yet; see `scratch_folder`."""
    return scratch_folder(bots, ".")


def freeze(built: Path, toml: str, to: Path, typed: str, most: int = LARGEST_FOLDER) -> None:
    """Copies a bot that is built, read-only, and puts it on the disk.

    Args:
        built: where it was built; no process writes there.
        toml: its bot.toml, in place of the one that is there.
        to: an empty folder.
        typed: how its author says it.
        most: bytes that it may have, where each link counts as what it leads to: so it is written.

    Raises:
        RefereeError: it holds links that lead out of it, or to folders or nowhere; names that no
            archive can hold; or too much.
        OSError: the disk is full, and the like.
    """
    try:
        with HeldFolder(built.resolve()) as held:
            _check_links(held)
            for name in _names(held, toml, most):
                target = to / name
                target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                _copy(held, name, target)
    except ValueError as error:
        raise RefereeError(f"bot {typed!r}: what its build has made: {error}") from error
    except OSError as error:
        if error.errno in OUR_TROUBLE:
            raise
        raise RefereeError(f"bot {typed!r}: what its build has made: {error.strerror}") from error
    (to / TOML).write_text(toml)
    _seal(to / TOML, 0o444)
    for place, _, _ in os.walk(to, topdown=False):
        _seal(Path(place), 0o555)


def parts_of(name: str) -> tuple[str, ...]:
    """The folders of a file of a frozen bot, and its own name; as freezing and importing take it.

    Raises:
        ValueError: an archive could not hold it, or not every disk.
    """
    try:
        raw = name.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{shown(name)}: a name has to be UTF-8") from error
    parts = tuple(name.split("/"))
    if "\0" in name or any(part in {"", ".", ".."} for part in parts):
        raise ValueError(f"{shown(name)}: empty parts, . and .. have no place in a name")
    if len(raw) > LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in parts):
        raise ValueError(
            f"{shown(name)}: a name has at most {_LONGEST_PART} bytes, {LONGEST_PATH} with its "
            "folders"
        )
    if len(parts) > DEEPEST + 1:
        raise ValueError(f"{shown(name)} lies more than {DEEPEST} folders deep")
    return parts


def _check_links(built: HeldFolder) -> None:
    """Looks at what would not be found by `referee.bots.find.find` as it is.

    Raises:
        ValueError: there is something.
    """
    for entry in built.walk():
        if entry.kind is Kind.LINK and not built.has_file_behind(entry.name):
            raise ValueError(f"{shown(entry.name)} is a link to no file")


def _names(built: HeldFolder, toml: str, most: int) -> list[str]:
    """The files of a built bot but its bot.toml, as `referee.bots.find.find` will find them.

    Raises:
        ValueError: they are too much, or a name is none that an archive can hold.
    """
    found = {name: path for name, path in built.files().items() if parts_of(name)[0] != TOML}
    if len(found) >= MOST_FILES:
        raise ValueError(f"it holds more than {MOST_FILES} files")
    sizes = [len(toml.encode()), *(path.stat().st_size for path in found.values())]
    if sum(sizes) > min(most, LARGEST_FOLDER):
        raise ValueError(
            f"it holds {in_bytes(sum(sizes))}, links counted as what they lead to; at most "
            f"{in_bytes(min(most, LARGEST_FOLDER))}"
        )
    if sizes[0] > LARGEST_TOML:
        raise ValueError(f"its {TOML} would have more than {LARGEST_TOML} bytes")
    return list(found)


def _copy(built: HeldFolder, name: str, to: Path) -> None:
    with built.opened(name) as source, to.open("xb") as target:
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
        RefereeError: the one that had the name already is not what it says.
        HostError: this one is not, now that it has its name.
        OSError: it cannot be renamed.
    """
    final = frozen.parent / digest
    ours = False
    if not final.is_dir():
        try:
            frozen.rename(final)
            ours = True
        except OSError:
            if not final.is_dir():  # else another submission froze the same at the same time
                raise
    if hash_of(final) != digest:
        what = f"the frozen bot {str(final)!r} is no longer what its name says"
        if ours:
            final.rename(frozen)  # else this bot could never be handed in
            raise HostError(what)
        folder = shlex.quote(str(final))
        raise RefereeError(
            f"{what}, as `referee ladder verify` tells too: remove it (chmod -R u+w {folder} && "
            f"rm -r {folder}), and submit again"
        )
    sync_folder(final.parent)
    return final


def frozen_in(bots: Path) -> list[str]:
    """The hashes of the bots that lie frozen in a folder; none where it is not there."""
    try:
        return sorted(name for name in os.listdir(bots) if len(name) == _HASH_LENGTH)
    except FileNotFoundError:
        return []


def is_whole(files: Path, digest: str) -> bool:
    """Whether a bot lies frozen in the folder of a ladder's files, just as it was frozen."""
    return hash_of(files / BOTS / digest) == digest


def hash_of(folder: Path) -> str:
    """The hash of a frozen bot as it is now; "" where it cannot be told.

    Raises:
        OSError: no file handles or no memory are left to look at it.
    """
    try:
        with HeldFolder(folder.resolve()) as held:
            return hash_files(held.files(), held)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in NO_MEANS:
            raise
        return ""
