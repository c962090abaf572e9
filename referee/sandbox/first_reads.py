"""All of /usr is read once after the machine's start, so that no bot is the first to read a page.

What the kernel has dropped from its memory comes faster a second time where a virtual machine's
host, or the disk itself, keeps what was read: a bot that reads a page tells the next one so, once.
"""

import mmap
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from referee.bots.settings import Settings
from referee.sandbox.folders import work_folder
from referee.text import in_bytes

_AT_ONCE: Final = 1 << 20
_SAID_EVERY: Final = 64 << 20
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOATIME | os.O_CLOEXEC

Say = Callable[[str], None]


async def read_first(settings: Settings, say: Say) -> None:
    """Read what bots see of the machine, unless that was done since its start, or we are not root.

    An ordinary user cannot have the kernel drop what a bot has read: there is nothing to gain.

    Args:
        settings: name the folders that bots see beside /usr.
        say: is told what goes on.
    """
    if os.geteuid() != 0:
        return
    folders, ends = ("/usr", *settings.toolchains), threading.Event()
    try:
        await trio.to_thread.run_sync(read_once, folders, say, ends, abandon_on_cancel=True)
    finally:
        ends.set()


def read_once(folders: tuple[str, ...], say: Say, ends: threading.Event) -> None:
    """As `read_all`, unless that came to its end since the machine's start."""
    mark = FirstReadsMark(work_folder() / "first-reads", folders)
    if mark.is_set():
        return
    read_all(folders, say, ends)
    if not ends.is_set():
        mark.set()


class FirstReadsMark:
    """A file that says that some folders were read since the machine was started."""

    def __init__(self, path: Path, folders: tuple[str, ...]) -> None:
        """Take over where the file is, or will be; its folder is ours alone to write to."""
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        self._path = path
        self._text = "\n".join((boot, *sorted(folders)))

    def is_set(self) -> bool:
        """Whether it says so of these folders."""
        try:
            return self._path.read_text() == self._text
        except (OSError, UnicodeDecodeError):
            return False

    def set(self) -> None:
        """Have it say so; where the disk does not let us, they are read again."""
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._path.write_text(self._text)


def read_all(folders: tuple[str, ...], say: Say, ends: threading.Event) -> int:
    """Read each file below some folders; those that cannot be read are left out.

    Args:
        folders: links in them are not followed.
        say: is told how far it is.
        ends: ends it.

    Returns:
        The number of bytes that were read.
    """
    read = said = 0
    with mmap.mmap(-1, _AT_ONCE) as buffer:  # whole pages, as reading past the memory wants
        for path in _files(folders):
            if ends.is_set():
                break
            with suppress(OSError):
                read += _read(path, buffer)
            if read - said >= _SAID_EVERY:
                said = read
                say(f"reading {folders[0]} once since the machine's start: {in_bytes(read)} ...")
    return read


def _files(folders: tuple[str, ...]) -> Iterator[str]:
    for folder in folders:
        for parent, _, names in os.walk(folder):
            yield from (os.path.join(parent, name) for name in names)


def _read(path: str, buffer: mmap.mmap) -> int:
    """Read a file past the kernel's memory, or drop it from there; the number of its bytes.

    Raises:
        OSError: it cannot be read.
    """
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return 0
    past_memory = True
    try:
        file = os.open(path, _FLAGS | os.O_DIRECT)
    except OSError:  # not every file system can
        past_memory, file = False, os.open(path, _FLAGS)
    read = 0
    try:
        while (count := os.preadv(file, [buffer], read)) > 0:
            read += count
        if not past_memory:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(file)
    return read
