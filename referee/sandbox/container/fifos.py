"""Named pipes between us and a bot in a container."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

_NAMES = {"in": 0o604, "out": 0o602, "err": 0o602}
"""A bot opens only its own end: it could else keep us from seeing an end, or answer itself."""


class Fifos:
    """A folder with three pipes, our ends open; neither they nor the bot's will block to open."""

    def __init__(self, folder: Path) -> None:
        """Makes them.

        Args:
            folder: theirs alone, in one that holds such folders only and is closed to other users.

        Raises:
            OSError: that cannot be done.
        """
        self.folder = folder
        self.ends: tuple[int, ...] = ()
        # /proc tells all users where a container's folders lie; the daemon finds them all the same
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o711)
        try:
            folder.chmod(0o711)
            for name, mode in _NAMES.items():
                os.mkfifo(folder / name)
                (folder / name).chmod(mode)
            # A pipe is opened for writing at once only while it has a reader: we are one till then.
            both = os.open(folder / "in", os.O_RDWR | os.O_CLOEXEC)
            try:
                self._open("in", os.O_WRONLY)
            finally:
                os.close(both)
            self._open("out", os.O_RDONLY)
            self._open("err", os.O_RDONLY)
        except OSError:
            self.close()
            raise

    def _open(self, name: str, how: int) -> None:
        end = os.open(self.folder / name, how | os.O_NONBLOCK | os.O_CLOEXEC)
        self.ends = (*self.ends, end)

    def shut(self) -> None:
        """Let no bot open a pipe again: it has its ends, and each more is one that a write wakes.

        Raises:
            OSError: that cannot be done.
        """
        for name in _NAMES:
            (self.folder / name).chmod(0)

    def close(self) -> None:
        """Closes our ends, and takes the folder away."""
        for end in self.ends:
            with suppress(OSError):
                os.close(end)
        self.remove()

    def remove(self) -> None:
        """Takes the folder away; the ends belong to others now."""
        shutil.rmtree(self.folder, ignore_errors=True)
