"""A ladder's files in a store by URL, which all its machines share: a folder, or S3 and its kind.

What is kept there is called by its content, is written once, and never changes; who reads it
compares. Who may read and write is between the store and the machine: for S3 what boto finds, such
as `AWS_ACCESS_KEY_ID` and `AWS_ENDPOINT_URL`.
"""

import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from referee.errors import HostError, RefereeError, not_installed, shortage
from referee.text import printable
from referee.whole_file import atomic_write

KEPT_IN: Final = "store.json"
"""The file that names a ladder's store, within the folder of its files on each machine."""

_MARK: Final = "ladder"
"""The file of a store that has the id of its ladder."""

_FOLDER, _S3 = "file", "s3"
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
_PATH: Final = re.compile(r"(/[A-Za-z0-9_.=-]+)*", re.ASCII)
_LONGEST: Final = 1024
_PIECE: Final = 1 << 20
_CONNECT_S, _READ_S, _TRIES = 5, 15, 2
_DIGITS: Final = "0123456789abcdef"


class StoreAway(HostError):
    """A store does not answer, or does not let us; it may do so later."""


STORE_AWAY: Final = "store '"
"""How each line begins of a store that does not answer: a site knows a trial's trouble by it."""


class Absent(Exception):
    """A store has no file of that name."""


class _Named(Struct, frozen=True, forbid_unknown_fields=True):
    """What is in the file that names a store."""

    url: str


class Stored(Struct, frozen=True):
    """A file of a store.

    Attributes:
        name: below the URL of the store.
        size: bytes.
        at: when it was written, in seconds since 1970.
    """

    name: str
    size: int
    at: float


class Objects(Protocol):
    """What is asked of a store; see `ObjectStore`."""

    url: str

    def put(self, name: str, content: Path, *, replaces: bool = False) -> None:
        """Keep a file."""

    def pieces(self, name: str, most: int) -> Iterator[bytes]:
        """Yield what a file has."""

    def listed(self, start: str) -> Iterator[Stored]:
        """Yield the files of a folder."""

    def remove(self, names: Collection[str]) -> None:
        """Remove files."""


class ObjectStore:
    """A store, by fsspec. For any thread; where it is away, each method says so.

    Attributes:
        url: of it, without anything that is secret.
    """

    def __init__(self, url: str, *, is_claimed: bool = False) -> None:
        """Asks it nothing yet.

        Args:
            url: as `checked` returns one.
            is_claimed: whether a ladder has it: a folder without its mark is not mounted, then.

        Raises:
            RefereeError: the library for that kind of store is not installed.
        """
        self.url, self._is_claimed = url, is_claimed
        self._is_folder = url.startswith(f"{_FOLDER}:")
        options: dict[str, Any] = {}  # each kind has its own
        if not self._is_folder:
            options = {
                "config_kwargs": {
                    "connect_timeout": _CONNECT_S,
                    "read_timeout": _READ_S,
                    "retries": {"total_max_attempts": _TRIES},
                },
                "use_listings_cache": False,  # others write there, too
                "skip_instance_cache": True,  # it has one for each thread
            }
        try:
            import fsspec  # noqa: PLC0415  # an extra, which most ladders do without

            self._files, self._root = fsspec.url_to_fs(url, **options)
        except ModuleNotFoundError as error:
            raise not_installed(f"store {url}", "store", error) from error
        except ImportError as error:  # fsspec tells so of s3fs
            missing = ModuleNotFoundError(name="s3fs")
            raise not_installed(f"store {url}", "store", missing) from error
        self._files.retries = _TRIES  # else a server that does not answer is asked 25 times

    def claim(self, ladder: str) -> None:
        """Note in the store that it is a ladder's.

        Args:
            ladder: its id.

        Raises:
            RefereeError: it is another one's: two would remove each other's files.
            StoreAway: it does not let us.
        """
        try:
            found = b"".join(self.pieces(_MARK, _LONGEST))
        except Absent:
            with TemporaryDirectory(prefix="referee-store-") as folder:
                (Path(folder) / _MARK).write_text(ladder)
                self.put(_MARK, Path(folder) / _MARK)
            found = b"".join(self.pieces(_MARK, _LONGEST))  # another may have been quicker
        if found != ladder.encode():
            raise RefereeError(f"store {self.url}: it is another ladder's: name another path in it")
        self._is_claimed = True

    def put(self, name: str, content: Path, *, replaces: bool = False) -> None:
        """Keep a file, whole or not at all; one of that name is the same, and stays.

        Args:
            name: in the store.
            content: the file.
            replaces: whether it takes the place of one of that name all the same, and is as new.

        Raises:
            StoreAway: it cannot be kept.
            HostError: the file cannot be read.
        """
        place = f"{self._root}/{name}"
        if not content.is_file():
            raise HostError(f"{str(content)!r} is missing")
        with self._told(name):
            if not self._is_folder:
                self._put_object(content, place, replaces=replaces)
            elif replaces or not os.path.exists(place):
                self._write(content, Path(place))

    def _put_object(self, content: Path, place: str, *, replaces: bool) -> None:
        try:
            mode = "overwrite" if replaces else "create"
            self._files.put_file(str(content), place, mode=mode)
        except Exception:  # each kind of server has its own words for what is there already
            if replaces or not self._files.exists(place):
                raise

    def _write(self, content: Path, place: Path) -> None:
        """Write a file of a folder that is for its owner alone: records show all hands."""
        for folder in reversed(place.relative_to(self._root).parents):
            (self._root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        with content.open("rb") as source, atomic_write(place, mode=0o400) as file:
            while piece := source.read(_PIECE):
                file.write(piece)

    def pieces(self, name: str, most: int) -> Iterator[bytes]:
        """Yield what a file has.

        Raises:
            Absent: there is none of that name.
            RefereeError: it has more than `most` bytes.
            StoreAway: it cannot be read.
        """
        left, place = most, f"{self._root}/{name}"
        with self._told(name):
            try:
                file = self._files.open(place, "rb")
            except FileNotFoundError as error:
                if self._is_claimed and not self._files.exists(f"{self._root}/{_MARK}"):
                    raise StoreAway(f"{STORE_AWAY}{self.url}': it is not there") from error
                raise Absent(name) from error
            with file:
                while piece := file.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise RefereeError(f"'{self.url}/{name}' has more than {most} bytes")
                    yield piece

    def listed(self, start: str) -> Iterator[Stored]:
        """Yield the files of a folder of the store, and of those in it.

        Raises:
            StoreAway: it cannot be read.
        """
        with self._told(start):
            if self._is_folder:
                yield from _listed_folder(Path(self._root), start)
                return
            for digit in _DIGITS:  # a million names are not had at once
                found = self._files.find(f"{self._root}/{start}", prefix=digit, detail=True)
                for path, info in found.items():
                    name = str(path).removeprefix(f"{self._root}/")
                    yield Stored(name, int(info["size"]), info["LastModified"].timestamp())

    def remove(self, names: Collection[str]) -> None:
        """Remove files; those that are not there are none to speak of.

        Raises:
            StoreAway: it does not let us.
        """
        if not names:
            return
        with self._told(next(iter(names))):
            places = [f"{self._root}/{name}" for name in names]
            if self._is_folder:
                for place in places:
                    Path(place).unlink(missing_ok=True)
            else:
                self._files.rm(places)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Say in one line what each kind of store says in its own way."""
        try:
            if self._is_folder and self._is_claimed and not Path(self._root, _MARK).exists():
                raise StoreAway(f"{STORE_AWAY}{self.url}': it is not there, or not mounted")
            yield
        except (Absent, RefereeError, HostError):
            raise
        except Exception as error:  # botocore's are no kind of OSError
            told = printable((str(error).strip() or type(error).__name__).splitlines()[0])
            raise shortage(error) or StoreAway(f"{STORE_AWAY}{self.url}/{name}': {told}") from error


def _listed_folder(root: Path, start: str) -> Iterator[Stored]:
    """Yield the files of a folder, and of those in it.

    Raises:
        OSError: one cannot be read.
    """

    def fails(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    for folder, _, names in os.walk(root / start, onerror=fails):
        for name in names:
            path = Path(folder, name)
            with suppress(FileNotFoundError):
                status = path.stat()
                yield Stored(str(path.relative_to(root)), status.st_size, status.st_mtime)


def checked(typed: str) -> str:
    """Return the URL of a store as we write it.

    Raises:
        RefereeError: it is none of a kind that we know.
    """
    kinds = "write file:///FOLDER, or s3://BUCKET/PATH"
    parts = urlsplit(typed)
    path = parts.path.rstrip("/")
    if len(typed) > _LONGEST or not _PATH.fullmatch(path) or ".." in path.split("/"):
        raise RefereeError(f"store {printable(typed[:80])!r}: that is no URL of one: {kinds}")
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise RefereeError("store: a URL of one has no user, no password and nothing after ?")
    if parts.scheme == _FOLDER and not parts.netloc and path:
        return f"{_FOLDER}://{path}"
    if parts.scheme == _S3 and _BUCKET.fullmatch(parts.netloc):
        return f"{_S3}://{parts.netloc}{path}"
    raise RefereeError(f"store {printable(typed[:80])!r}: that is no URL of one: {kinds}")


@cache
def _opened(url: str, process: int) -> ObjectStore:
    """Return a store, one for each process: what talks to S3 outlives no fork."""
    del process
    return ObjectStore(url, is_claimed=True)


def store_of(files: Path) -> Objects | None:
    """Return the store of a ladder; None if it has none, and all is in the folder.

    Args:
        files: the folder of the ladder's files on this machine.

    Raises:
        RefereeError: the file that names it is damaged, or a library is not installed.
        HostError: it cannot be read.
    """
    url = named(files)
    return None if url is None else _opened(url, os.getpid())


def is_open(files: Path) -> bool:
    """Whether it can be seen what store a folder names: one of another account may be closed."""
    try:
        named(files)
    except HostError:
        return False
    return True


def named(files: Path) -> str | None:
    """Return the URL of a ladder's store, as this machine knows it; for errors see `store_of`."""
    path = files / KEPT_IN
    try:
        with path.open("rb") as file:
            return checked(msgspec.json.decode(file.read(2 * _LONGEST), type=_Named).url)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        told = HostError(f"{str(path)!r}: {error.strerror}")
        raise shortage(error) or told from error
    except ValueError as error:
        raise RefereeError(
            f"{str(path)!r}: {error}: any command that opens the ladder writes it anew"
        ) from error


def _names(files: Path, url: str) -> bool:
    """Whether the file of a machine names this store; one that is damaged names none."""
    with suppress(RefereeError):
        return named(files) == url
    return False


def note(files: Path, url: str | None) -> None:
    """Have a machine know where the store of a ladder is.

    Args:
        files: the folder of the ladder's files there.
        url: of the store; None if it has none.

    Raises:
        HostError: the disk does not let us.
    """
    path = files / KEPT_IN
    try:
        if url is None:
            if os.path.lexists(path):
                path.unlink()
        elif not _names(files, url):
            files.mkdir(mode=0o700, parents=True, exist_ok=True)
            with atomic_write(path, mode=0o600) as file:
                file.write(msgspec.json.encode(_Named(url)) + b"\n")
    except OSError as error:
        raise HostError(f"{str(path)!r}: {error.strerror}") from error
