"""A bot as one file, as it is sent to the site of a ladder, to a machine, or into a store."""

import io
import os
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

from msgspec import Struct

from ladder.core.names import fitted
from ladder.submissions.copy_in import HandedIn, taken
from ladder.submissions.frozen_bots import parts_of
from ladder.submissions.unzip_program import shown
from referee.bots.held_folder import LARGEST_FOLDER, MOST_FILES
from referee.bots.settings import Settings

_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""Of all files in a zip: the same bot is the same bytes."""

_RUN: Final = 0o111

_OURS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

Opened = AbstractContextManager[IO[bytes]]


class Packed(Struct, frozen=True):
    """A bot as one file.

    Attributes:
        file: it; gone when the block is left in which it was packed.
        called: what its author calls it.
        name: what tables call it where nothing in the file says so; "" where something does.
        left_out: names of folders of which something is no part of it.
    """

    file: Path
    called: str
    name: str
    left_out: tuple[str, ...]


@contextmanager
def packed(typed: str, settings: Settings) -> Iterator[Packed]:
    """Pack a bot until the block is left.

    Args:
        typed: an executable file, a folder with a bot.toml, a zip of one, or sample:NAME.
        settings: of this machine.

    Raises:
        RefereeError: it is none of these, breaks a limit, or cannot be read.
        HostError: the machine does not let us.
    """
    with TemporaryDirectory(prefix="referee-pack-") as scratch:
        found = taken(typed, Path(scratch), settings, ())
        path = Path(typed)
        if path.is_file():  # an executable, or a zip: as it lies there
            yield Packed(path, path.name, "", ())
            return
        file = Path(scratch) / "packed.zip"
        _zip(found, file)
        called = f"{fitted(found.stem or path.resolve().name) or 'bot'}.zip"
        yield Packed(file, called, fitted(found.stem), found.left_out)


def zipped(files: Mapping[str, bytes], runnable: Collection[str] = ()) -> bytes:
    """Return a zip of a few files, some of which are to be run by themselves; equals are equal."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "x", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(_entry(name, 0o755 if name in runnable else 0o644), content)
    return whole.getvalue()


def zip_of(names: Iterable[str], opened: Callable[[str], Opened]) -> bytes:
    """Return a zip of the files of a bot; equals are equal.

    Args:
        names: theirs, in order.
        opened: opens one of them.

    Raises:
        ValueError: one is none that a bot may have.
        OSError: one cannot be read.
    """
    contents, runnable = {}, []
    for name in names:
        with opened(name) as file:
            contents[name] = file.read(LARGEST_FOLDER + 1)
            if os.fstat(file.fileno()).st_mode & _RUN:
                runnable.append(name)
    return zipped(contents, runnable)


def unzip(packed: bytes, to: Path) -> None:
    """Unpack what `zipped` has packed into a new folder.

    Args:
        packed: the zip.
        to: the folder.

    Raises:
        ValueError: it is none such: it would have too much, or a file would lie elsewhere.
        OSError: the disk does not let us.
    """
    files = _contents(packed)
    to.mkdir()
    for name, (content, runs) in files.items():
        path = to.joinpath(*parts_of(name))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.write(content)
        except (FileExistsError, NotADirectoryError) as error:
            raise ValueError(f"{shown(name)} is a file and a folder") from error
        path.chmod(0o755 if runs else 0o644)


def _contents(packed: bytes) -> dict[str, tuple[bytes, bool]]:
    """Return the files of a zip, and whether each is to be run by itself.

    Raises:
        ValueError: it is none of ours.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            entries = archive.infolist()
            size = sum(entry.file_size for entry in entries)
            if size > LARGEST_FOLDER or len(entries) > MOST_FILES:
                raise ValueError(f"it holds {len(entries)} files, and {size} bytes")
            if {entry.compress_type for entry in entries} - _OURS:
                raise ValueError("it is packed in another way than ours")
            return {
                entry.filename: (archive.read(entry), bool(entry.external_attr >> 16 & _RUN))
                for entry in entries
            }
    except MemoryError:
        raise
    except Exception as error:  # zipfile raises many kinds over what is damaged
        raise ValueError(f"it is no zip of ours: {error}") from error


def _zip(found: HandedIn, file: Path) -> None:
    """Write the files of a bot into a zip, with their rights to be run."""
    with zipfile.ZipFile(file, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(found.folder.rglob("*")):
            if not path.is_dir():
                name = str(path.relative_to(found.folder))
                archive.writestr(_entry(name, path.stat().st_mode & 0o777), path.read_bytes())


def _entry(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
