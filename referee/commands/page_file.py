"""Pages that commands write: where they may lie, and how they are written."""

from pathlib import Path

from referee.errors import HostError, RefereeError
from referee.whole_file import atomic_write


def check_place(path: Path) -> None:
    """Find out whether a page can be written there, as far as can be told before there is one.

    Raises:
        RefereeError: it cannot.
    """
    if path.is_dir():
        raise RefereeError(f"{str(path)!r} is a folder: name a file")
    if not path.absolute().parent.is_dir():
        raise RefereeError(f"{str(path)!r}: there is no such folder")


def write_page(path: Path, text: str) -> None:
    """Write a page over the one of before, if any; whole or not at all, but into pipes.

    Raises:
        HostError: the disk does not let us.
    """
    target = path.resolve()
    try:
        if target.exists() and not target.is_file():  # a pipe or a device is not replaced
            target.write_text(text, encoding="utf-8")
            return
        with atomic_write(target) as file:
            file.write(text.encode())
    except OSError as error:
        raise HostError(f"page {str(path)!r}: {error.strerror}") from error
