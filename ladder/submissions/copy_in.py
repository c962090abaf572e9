"""What a person hands in becomes a folder of plain files with a bot.toml, or is refused.

A zip is only copied here, and unpacked in the sandbox (`ladder.submissions.unzip`).

Its owner may change it meanwhile: a folder is held open, each file in it is opened so that no link
leads out, and what is counted is what is read.
"""

import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from ladder.submissions.bot_toml import TOML, toml_of
from ladder.submissions.unzip_program import (
    LARGEST_FILE,
    LARGEST_TOTAL,
    LARGEST_ZIP,
    ZIP,
    Names,
    ZipRefused,
    shown,
)
from referee.bots.files import hash_file, hash_files, opened
from referee.bots.find import find
from referee.bots.held_folder import OUR_TROUBLE, HeldFolder, Kind
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError

MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip begins with, whatever its name: an entry, or the end of one that is empty."""

_SAMPLE: Final = "sample:"


class HandedIn(Struct, frozen=True):
    """What was handed in, as a folder.

    Attributes:
        folder: plain files with a bot.toml; where it is a zip, it is still in that.
        source: SHA-256 of what was handed in: of a zip or a file its bytes, of a folder its files.
        typed: how its author says it.
        bot: how `referee check` and `referee match` know it at its author's home.
        before: what has to be done there first: a shell command that ends with "&& ", or nothing.
        stem: the file's name, where that names the bot; "" where bot.toml does.
        zip: a zip that is still to be unpacked, alone in its folder.
        left_out: names of folders of which something is no part of a bot.
    """

    folder: Path
    source: str
    typed: str
    bot: str
    before: str = ""
    stem: str = ""
    zip: Path | None = None
    left_out: tuple[str, ...] = ()


def check_apart(typed: str, ladder: Iterable[Path]) -> None:
    """Looks whether a folder that is handed in would bring the ladder along, and its key.

    Args:
        typed: as `taken` has it.
        ladder: where something of it lies, or will.

    Raises:
        RefereeError: it would.
    """
    if typed.startswith(_SAMPLE) or not os.path.isdir(typed):
        return
    try:
        _check_apart(Path(os.path.realpath(typed)), ladder)
    except ZipRefused as error:
        raise RefereeError(f"bot {typed!r}: {error}") from error


def _check_apart(folder: Path, ladder: Iterable[Path]) -> None:
    for place in ladder:
        real = Path(os.path.realpath(place))
        if not real.is_relative_to(folder):
            continue
        if not os.path.exists(real):
            raise ZipRefused(
                f"the ladder would be made in it, in {str(place)!r}, and be handed in along with "
                "its key: say --ladder with a folder elsewhere, or move the bot"
            )
        how = "is this one" if real == folder else "lies in it"
        raise ZipRefused(
            f"the ladder's folder {str(place)!r} {how}, and would be handed in with its key: move "
            "the one or the other, and say with --ladder where the ladder is"
        )


def taken(typed: str, scratch: Path, settings: Settings, ladder: Iterable[Path]) -> HandedIn:
    """Takes in a bot.

    Args:
        typed: an executable file, a folder with a bot.toml, a zip of one, or sample:NAME.
        scratch: an empty folder for it, which no other process writes to.
        settings: what the organiser allows.
        ladder: the folders that are the ladder's own, which no bot may hold.

    Raises:
        RefereeError: it is none of these, breaks a limit, or cannot be read.
        HostError: the machine does not let us.
    """
    try:
        return _taken(typed, scratch, settings, ladder)
    except (ZipRefused, ValueError) as error:
        raise RefereeError(f"bot {typed!r}: {error}") from error
    except OSError as error:
        if error.errno in OUR_TROUBLE:
            raise HostError(f"cannot take in a bot: {error.strerror}") from error
        where = shown(str(error.filename or typed))
        raise RefereeError(f"bot {typed!r}: {where}: {error.strerror}") from error


def _taken(typed: str, scratch: Path, settings: Settings, ladder: Iterable[Path]) -> HandedIn:
    path, folder = Path(typed), scratch / "bot"
    if typed.startswith(_SAMPLE):
        found = find(typed, settings)
        if found.folder is None:
            source = _lying_apart(found.words, found.files, folder)
            return HandedIn(folder, source, typed, typed, stem=found.name)
        path = found.folder
    if path.is_dir():
        source, left_out = _copied(path, folder, ladder)
        return HandedIn(folder, source, typed, typed, left_out=left_out)
    if not path.exists():
        raise ZipRefused("there is no such file or folder (samples are written sample:NAME)")
    if not path.is_file():
        raise ZipRefused("it is neither a file nor a folder")
    with opened(path) as file:  # once: what is looked at is what is copied
        zipped = file.read(4) in MAGIC
        file.seek(0)
        if zipped:
            return _from_zip(file, typed, scratch)
        if path.suffix.lower() == ".zip":
            raise ZipRefused("it is no zip, whatever its name says")
        if not os.fstat(file.fileno()).st_mode & 0o111:
            raise ZipRefused(
                "it is neither a folder nor a zip nor executable "
                f"(chmod +x {shlex.quote(path.name)}, if it is to be run)"
            )
        return HandedIn(folder, _alone(file, path.name, folder), typed, typed, stem=path.stem)


def _from_zip(file: BinaryIO, typed: str, scratch: Path) -> HandedIn:
    path, copy = Path(typed), scratch / "zip" / ZIP
    copy.parent.mkdir()
    _copy(file, path.name, copy, LARGEST_ZIP)
    home = f"./{path.stem or 'bot'}.unpacked"
    before = f"unzip -q {shlex.quote(typed)} -d {shlex.quote(home)} && "
    return HandedIn(copy.parent, hash_file(copy), typed, home, before, zip=copy)


def _alone(file: BinaryIO, name: str, to: Path) -> str:
    """A single executable, with a bot.toml that runs it; its hash."""
    Names().add(name, folder=False)
    if name == TOML:
        raise ZipRefused(f"hand in the folder that holds the {TOML}")
    to.mkdir()
    _copy(file, name, to / name)
    (to / TOML).write_text(toml_of(shlex.quote(f"./{name}")))
    return hash_file(to / name)


def _lying_apart(words: tuple[str, ...], files: Mapping[str, Path], to: Path) -> str:
    """A sample's files, with a bot.toml that runs them; the hash of the first, which is it."""
    to.mkdir()
    for name, path in files.items():
        with opened(path) as file:
            _copy(file, name, to / name)
    command = shlex.join("python3" if word == sys.executable else word for word in words)
    (to / TOML).write_text(toml_of(command))
    return hash_file(to / next(iter(files)))


def _copied(folder: Path, to: Path, ladder: Iterable[Path]) -> tuple[str, tuple[str, ...]]:
    """A folder's files, copied; their hash, and the folders of which something was left out."""
    size = 0
    with HeldFolder(folder.resolve()) as held:
        _check_apart(held.path, ladder)  # here, since a link may lead elsewhere than it did
        files = _listed(held)
        if files.get(TOML) is not Kind.FILE:
            raise ZipRefused(f"the folder has no {TOML} (name, command, build)")
        to.mkdir()
        for name in files:
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with held.opened(name) as file:
                size += _copy(file, name, target)
            if size > LARGEST_TOTAL:
                raise ZipRefused(f"the files together are larger than {LARGEST_TOTAL >> 20} MiB")
        left_out = tuple(sorted(held.left_out))
    return hash_files({name: to / name for name in files}), left_out


def _listed(folder: HeldFolder) -> dict[str, Kind]:
    """The files of a folder, and the links to some, by their names in it, in order.

    Raises:
        Refused: a name, a link, or the kind of a file is not as we take it.
    """
    names, found = Names(), {}
    for entry in folder.walk():
        names.add(entry.name, folder=entry.kind is Kind.FOLDER)
        if entry.kind is Kind.FOLDER:
            continue
        if entry.kind is Kind.LINK:
            if not folder.has_file_behind(entry.name):
                raise ZipRefused(f"{shown(entry.name)} is a link to no file")
        elif entry.kind is not Kind.FILE:
            raise ZipRefused(f"{shown(entry.name)} is no plain file")
        found[entry.name] = entry.kind
    return dict(sorted(found.items()))


def _copy(source: BinaryIO, name: str, to: Path, most: int = LARGEST_FILE) -> int:
    """Copies a file, with its right to be run; its size.

    Args:
        source: at its beginning.
        name: what its author calls it.
        to: where nothing is yet.
        most: bytes.

    Raises:
        Refused: it is larger than it may be.
        OSError: it cannot be read or written.
    """
    size = 0
    with to.open("xb") as target:
        mode = os.fstat(source.fileno()).st_mode
        while data := source.read(1 << 16):
            size += len(data)
            if size > most:
                raise ZipRefused(f"{shown(name)} is larger than {most >> 20} MiB")
            target.write(data)
        os.fchmod(target.fileno(), 0o755 if mode & 0o111 else 0o644)
    return size
