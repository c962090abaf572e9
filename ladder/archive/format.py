"""The archive of a ladder: a zip in which nothing is compressed once more.

Its files, in this order: `head.json`, the signed head; `facts.jsonl`, the facts, a line each;
`records/ab/<sha256>.jsonl.zst`, in the order of the matches; and if bots are to go along,
`bots/<sha256>/...`, in the order of the submissions. Keys of matches to come are not in it.
"""

import os
import shutil
import stat
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import msgspec
from msgspec import Struct

from ladder.core.facts import Fact
from ladder.store.chain import Link
from referee.errors import RefereeError

HEAD: Final = "head.json"
FACTS: Final = "facts.jsonl"
LONGEST_LINE: Final = 64 * 1024 * 1024
PIECE: Final = 1 << 18

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_PLAIN: Final = stat.S_IFREG | 0o444
_RUNS: Final = stat.S_IFREG | 0o555
_UTF8_NAME: Final = 0x800
_LOCAL_HEADER: Final = 30
_DAMAGES: Final = (BadZipFile, EOFError, NotImplementedError)


class FactLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of `facts.jsonl`; `hash` is the chain's."""

    seq: int
    hash: str
    fact: Fact


class _KeptLine(Struct, frozen=True):
    """The same, its fact as the bytes that are kept."""

    seq: int
    hash: str
    fact: msgspec.Raw


_decode = msgspec.json.Decoder(FactLine).decode
_encode = msgspec.json.Encoder().encode


def line_of(link: Link) -> bytes:
    """A fact as a line."""
    return _encode(_KeptLine(link.seq, link.hash, msgspec.Raw(link.body))) + b"\n"


def fact_of(line: bytes) -> FactLine:
    """The fact of a line.

    Raises:
        ValueError: it is none, or is not as `line_of` writes it.
    """
    found = _decode(line)
    try:
        again = _encode(found) + b"\n"
    except OverflowError:
        again = b""
    if again != line:
        raise ValueError("it is not as it was written")
    return found


@contextmanager
def adding(archive: ZipFile, name: str, *, runs: bool = False) -> Iterator[IO[bytes]]:
    """A file that is added to an archive; equal for equal bytes, whenever that is.

    Args:
        archive: is written.
        name: of the file.
        runs: whether it is a program.
    """
    info = ZipInfo(name, _EPOCH)
    info.compress_type = ZIP_STORED
    info.create_system = 3  # where modes mean something
    info.external_attr = (_RUNS if runs else _PLAIN) << 16
    with archive.open(info, "w", force_zip64=True) as file:
        yield file


def add_file(archive: ZipFile, name: str, path: Path) -> None:
    """Adds a file of the disk; whether it is a program goes by its mode, as in a bot's hash.

    On a disk that is mounted noexec, nothing could be run, and a bot would become another one.
    """
    with path.open("rb") as source:
        runs = bool(os.fstat(source.fileno()).st_mode & 0o111)
        with adding(archive, name, runs=runs) as target:
            shutil.copyfileobj(source, target, PIECE)


class Entries:
    """The files of an archive that was sent, one after the other."""

    def __init__(self, archive: ZipFile, size: int) -> None:
        """Looks at the list of them.

        Args:
            archive: is read.
            size: its bytes.

        Raises:
            RefereeError: a file is not as `adding` adds them.
        """
        self._archive = archive
        self._infos = archive.infolist()
        self._at = 0
        for info in self._infos:
            _check(info)
        headers = sum(_LOCAL_HEADER + len(info.filename) for info in self._infos)
        if headers + sum(info.file_size for info in self._infos) > size:
            raise RefereeError("its files overlap")

    @property
    def next_name(self) -> str:
        """The name of the next file; "" after the last."""
        return self._infos[self._at].filename if self._at < len(self._infos) else ""

    @contextmanager
    def taken(self, name: str) -> Iterator[tuple[IO[bytes], ZipInfo]]:
        """The next file, which has to be that of this name.

        Raises:
            RefereeError: it is another one.
        """
        if self.next_name != name:
            raise RefereeError(f"{name!r} is expected, and there is {self.next_name!r}")
        info = self._infos[self._at]
        self._at += 1
        with self._archive.open(info) as file:
            yield file, info


def runs(info: ZipInfo) -> bool:
    """Whether a file is a program."""
    return info.external_attr >> 16 == _RUNS


def _check(info: ZipInfo) -> None:
    """Looks at what is said of a file.

    Raises:
        RefereeError: we would not have said so.
    """
    sizes = info.compress_size == info.file_size and info.compress_type == ZIP_STORED
    modes = info.external_attr >> 16 in (_PLAIN, _RUNS)
    names = info.filename == info.orig_filename
    if not (sizes and modes and names and info.flag_bits in (0, _UTF8_NAME)):
        raise RefereeError(f"{info.filename[:80]!r} is not as an export has it")


@contextmanager
def opened(path: Path) -> Iterator[Entries]:
    """An archive that was sent.

    Raises:
        RefereeError: it is none, or is damaged: in a line that names it.
    """
    try:
        if path.exists() and not path.is_file():
            raise RefereeError("that is no file")
        with _zip(path) as archive:
            yield Entries(archive, path.stat().st_size)
    except RefereeError as error:
        raise RefereeError(f"archive {str(path)!r}: {error}") from error
    except _DAMAGES as error:
        raise RefereeError(f"archive {str(path)!r} is damaged: {error}") from error


def _zip(path: Path) -> ZipFile:
    """A zip, whose list of files was read."""
    try:
        return ZipFile(path)
    except (ValueError, OverflowError, struct.error) as error:
        raise BadZipFile(str(error)) from error


def pieces(file: IO[bytes], most: int) -> Iterable[bytes]:
    """What a file holds, piece by piece.

    Raises:
        RefereeError: that is too much.
    """
    left = most
    while piece := file.read(PIECE):
        left -= len(piece)
        if left < 0:
            raise RefereeError(f"a file in it has more than {most} bytes")
        yield piece
