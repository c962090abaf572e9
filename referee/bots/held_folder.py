"""A folder of a bot, held open: what is read lies in it, whatever its owner does meanwhile."""

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from functools import partial
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from msgspec import Struct

from referee.bots.real_path import real_path
from referee.errors import SHORTAGES

LARGEST_FOLDER: Final = 256 * 1024 * 1024
MOST_FILES: Final = 20_000
MOST_LINKS: Final = 2_000
"""Each is followed to its end, which takes a millisecond if its author likes."""
DEEPEST: Final = 50
"""So many levels of folders are there at most."""
LONGEST_PATH: Final = 1024
"""So many bytes has a name with its folders at most: those above have to find room beside it."""

OUR_TROUBLE: Final = SHORTAGES
"""What is the machine's fault, and no bot's."""

NO_BOT: Final = ("__MACOSX", "__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache")
"""Folders that are no part of a bot, wherever they lie: what tools leave behind."""

RECORDS: Final = "records"
RECORD_ENDINGS: Final = (".jsonl", ".jsonl.zst", ".stderr.zst")
"""Nor are the records that `referee match` leaves in the folder of this name."""

_FOLDER: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LISTED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Kind(Enum):
    """What stands under a name."""

    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    OTHER = auto()


class Entry(Struct, frozen=True):
    """A name in a folder, with those of the folders above it, and what stands under it."""

    name: str
    kind: Kind


class HeldFolder:
    """A folder that is held open: what is listed and read lies in it, and in no other.

    Its owner may put another one in its place, or a link; that changes nothing.

    Attributes:
        path: where it is.
        left_out: names of folders of which something is no part of a bot, as far as it was walked.
    """

    def __init__(self, path: Path) -> None:
        """Opens it.

        Args:
            path: a whole one, of which no part is a link, as `Path.resolve` gives it.

        Raises:
            OSError: it is gone, or a part of its path has just become a link.
        """
        self.path = path
        self.left_out: set[str] = set()
        top = os.open(path.anchor, _FOLDER)
        try:
            self._here = _below(top, path.parts[1:])
        finally:
            os.close(top)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._here)

    def walk(self) -> Iterator[Entry]:
        """All that is in it, in order, but for what is no part of a bot.

        Each folder comes before what is in it.

        Raises:
            ValueError: it is too deep, a name is too long, or there are too many links.
            OSError: a folder cannot be read.
        """
        waiting: list[tuple[str, ...]] = [()]
        links = 0
        while waiting:
            parts = waiting.pop()
            if len(parts) > DEEPEST:
                raise ValueError(f"it has folders more than {DEEPEST} deep")
            found = self._listed(parts)
            prefix = "".join(f"{part}/" for part in parts)
            for one in found:
                name = prefix + one.name
                if len(os.fsencode(name)) > LONGEST_PATH:
                    raise ValueError(f"a name in it has more than {LONGEST_PATH} bytes")
                links += one.kind is Kind.LINK
                if links > MOST_LINKS:
                    raise ValueError(f"it holds more than {MOST_LINKS:,} links")
                yield Entry(name, one.kind)
            below = (one.name for one in reversed(found) if one.kind is Kind.FOLDER)
            waiting.extend((*parts, name) for name in below)

    def _listed(self, parts: tuple[str, ...]) -> list[Entry]:
        with _naming("/".join(parts)):
            place = _below(self._here, parts)
            try:
                listed = os.open(".", _LISTED, dir_fd=place)
            finally:
                os.close(place)
        try:
            with os.scandir(listed) as entries:
                found = sorted(map(_entry, entries), key=lambda one: one.name)
        finally:
            os.close(listed)
        return [one for one in found if not self._is_left_out(one, parts)]

    def _is_left_out(self, entry: Entry, parts: tuple[str, ...]) -> bool:
        """Return whether a name is no part of a bot, and keep that it was there."""
        if entry.kind is Kind.FOLDER:
            found = entry.name if entry.name in NO_BOT else ""
        else:
            is_record = parts[-1:] == (RECORDS,) and entry.name.endswith(RECORD_ENDINGS)
            found = RECORDS if is_record else ""
        self.left_out |= {found} - {""}
        return bool(found)

    def files(self) -> dict[str, Path]:
        """Its files by their names in it, in order.

        Links count as what they name, within the folder: what lies outside is not the bot's to
        show. Links to folders in it, and to nothing in it, are left out.

        Raises:
            ValueError: a link leads out of the folder, there are too many, or as `walk` has it.
            OSError: likewise.
        """
        found: dict[str, Path] = {}
        for entry in self.walk():
            is_link = entry.kind is Kind.LINK
            if entry.kind is Kind.FILE or (is_link and self.has_file_behind(entry.name)):
                found[entry.name] = self.path / entry.name
            if len(found) > MOST_FILES:
                raise ValueError(f"it holds more than {MOST_FILES:,} files")
        return found

    def has_file_behind(self, link: str) -> bool:
        """Return whether a link leads to a file; `opened` sees to it that it is one of ours.

        Args:
            link: its name in the folder.

        Raises:
            ValueError: it leads out of the folder.
        """
        try:
            real = self._real(link)
        except OSError:
            return False
        return os.path.isfile(self.path.joinpath(*real))

    def _real(self, name: str) -> tuple[str, ...]:
        """The name that a file has if no link is gone through.

        Raises:
            ValueError: that is out of the folder.
            OSError: it leads on and on.
        """
        real = real_path(self.path / name)
        if not real.is_relative_to(self.path):
            raise ValueError(f"{name!r} is a link out of the folder{venv_hint(self.path, name)}")
        return real.relative_to(self.path).parts or (".",)

    def opened(self, name: str) -> BufferedReader:
        """Opens a file for reading, of whose name no part may have become a link meanwhile.

        Raises:
            ValueError: it leads out of the folder, is no plain file, or is too large.
            OSError: it is gone, or has just become a link.
        """
        *folders, last = self._real(name)
        with _naming(name):
            place = _below(self._here, folders)
            try:
                file = open(last, "rb", opener=partial(_opened, place))  # noqa: SIM115  # returned
            finally:
                os.close(place)
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FOLDER:
            file.close()
            raise ValueError(f"{name!r} is no plain file, or holds more than 256 MiB")
        return file


VENV_HINT: Final = (
    ": a virtual environment works on its own machine only; move it elsewhere, and put what the "
    "bot imports into its folder: pip install --target . -r requirements.txt"
)


def venv_hint(folder: Path, name: str) -> str:
    """Return what to do about a link that lies in a virtual environment; "" of any other."""
    above = Path(name).parents
    return VENV_HINT if any((folder / one / "pyvenv.cfg").exists() for one in above) else ""


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Gives an error the name that a person knows: the system's has but its last part, or a dot.

    Args:
        name: in the folder; "" for itself, which the caller can name.
    """
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, name or None) from error


def _below(place: int, names: Collection[str]) -> int:
    """A descriptor of a folder below another; no name of it may be a link.

    Raises:
        OSError: it is none, or is gone.
    """
    here = os.open(".", _FOLDER, dir_fd=place)
    for name in names:
        try:
            below = os.open(name, _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _opened(place: int, name: str, _: int) -> int:
    """A descriptor of a file; `open` closes it again if it is a folder."""
    return os.open(name, _FILE, dir_fd=place)


def _entry(found: os.DirEntry[str]) -> Entry:
    if found.is_symlink():
        return Entry(found.name, Kind.LINK)
    if found.is_dir(follow_symlinks=False):
        return Entry(found.name, Kind.FOLDER)
    plain = found.is_file(follow_symlinks=False)
    return Entry(found.name, Kind.FILE if plain else Kind.OTHER)
