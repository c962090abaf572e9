"""Files of strangers, opened: none that could keep a reader waiting without end."""

from io import BufferedReader
from pathlib import Path
from typing import Final

from referee.errors import RefereeError

_OWN_PIPES: Final = ("/dev/fd/", "/dev/stdin", "/proc/")
"""Where the shell names pipes that it has opened itself, such as /dev/stdin."""


def opened(path: Path, what: str) -> BufferedReader:
    """Open a file to read its bytes.

    Args:
        path: the file.
        what: what it is to be, for the error.

    Raises:
        RefereeError: it is a named pipe or a device, which may never give anything.
        OSError: it cannot be opened.
    """
    if not str(path).startswith(_OWN_PIPES):
        if path.is_fifo():
            raise RefereeError(f"{str(path)!r} is no {what}: it is a named pipe")
        if path.is_char_device() or path.is_block_device():
            raise RefereeError(f"{str(path)!r} is no {what}: it is a device")
    return path.open("rb")
