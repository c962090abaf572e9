"""Which files some processes open, as the kernel tells root of it (fanotify(7))."""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_CLOEXEC, _NONBLOCK = 1, 2
_ADD, _FILE_SYSTEM = 0x1, 0x100
_OPEN: Final = 0x20
_HERE: Final = -100
_EVENT: Final = struct.Struct("=IBBHQii")
_AT_ONCE: Final = 64
"""Events are read so many at a time: each is a descriptor."""

_MOST_READS: Final = 16
"""In one look: a bot can open files faster than we read of it, and all else waits meanwhile."""

_MOST_FILES: Final = 512
_MOST_BYTES: Final = 512 << 20
_PIECE: Final = 1 << 20

_TIMES: Final = 5
"""A page is marked at its first reads: as used, as used again, and once more. A read that moves it
between the kernel's lists takes longer, so one that has all its marks tells nothing of others.
An odd number: while a page waits to be moved, each read sets or takes away the mark as used."""


class OpenedFiles:
    """Files of the file systems of some folders that a bot opens, held open until the block ends.

    Where the kernel tells nothing (it was built so, or the file system cannot), there are none.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        """Begin to listen; `folders` has one of each file system."""
        self._members: set[int] = set()
        self._files: dict[tuple[int, int], int] = {}
        libc = ctypes.CDLL(None, use_errno=True)
        mark = libc.fanotify_mark
        mark.argtypes = (
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.c_uint64,
            ctypes.c_int,
            ctypes.c_char_p,
        )
        how = os.O_RDONLY | os.O_CLOEXEC | os.O_NOATIME | os.O_NONBLOCK
        self._news: int = libc.fanotify_init(_CLOEXEC | _NONBLOCK, how)
        if self._news >= 0:
            for folder in folders:
                mark(self._news, _ADD | _FILE_SYSTEM, _OPEN, _HERE, os.fsencode(folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.listen_no_more()
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files.clear()

    def listen_no_more(self) -> None:
        """Take no more files. Idempotent."""
        if self._news >= 0:
            os.close(self._news)
            self._news = -1

    def look(self, threads: Callable[[], Iterable[int]]) -> None:
        """Take what the bot, of all programs, has opened since the last look; not without bound.

        Args:
            threads: returns the ids of its threads.
        """
        for _ in range(_MOST_READS):
            if self._news < 0:
                return
            try:
                data = os.read(self._news, _AT_ONCE * _EVENT.size)
            except BlockingIOError:
                return
            except OSError as error:  # no descriptors left, or a file that cannot be opened
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    self.listen_no_more()
                continue
            self._members.update(threads())  # read later than the events, so none is missing
            for _, _, _, _, _, descriptor, pid in _EVENT.iter_unpack(data):
                if descriptor >= 0:
                    self._take(descriptor, wanted=pid in self._members)

    def _take(self, descriptor: int, *, wanted: bool) -> None:
        found = os.fstat(descriptor)
        which = (found.st_dev, found.st_ino)
        wanted = wanted and stat.S_ISREG(found.st_mode)
        if wanted and which not in self._files and len(self._files) < _MOST_FILES:
            self._files[which] = descriptor
        else:
            os.close(descriptor)

    def bring(self) -> None:
        """Have all these files in memory, whole."""
        left = _MOST_BYTES
        for descriptor in self._files.values():
            left -= _bring(descriptor, left)


def bring_folder(folder: Path) -> None:
    """Have the files of a bot's copy in memory, whole, whatever it has opened of them."""
    left = _MOST_BYTES
    for path in sorted(folder.rglob("*")):
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                if stat.S_ISREG(os.fstat(descriptor).st_mode):
                    left -= _bring(descriptor, left)
            finally:
                os.close(descriptor)


def _bring(descriptor: int, most: int) -> int:
    """Read a file whole, if it is no larger than that, and return how large it is, else 0.

    It is read as if at random: the kernel reads nothing ahead then, and marks no page as the one
    at which it would go on. A bot sees such marks, and takes them away by reading.
    """
    size = os.fstat(descriptor).st_size
    if size > most:
        return 0
    with suppress(OSError):  # the disk cannot read it, nor could a bot
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        for at in range(0, size, _PIECE):
            for _ in range(_TIMES):
                os.pread(descriptor, _PIECE, at)
    return size
