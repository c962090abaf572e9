"""All that is said between the referee and bots, written down line by line for their authors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.text import printable

Tee = Callable[[int, str, bytes], None]
"""Takes what is said: the place, ">" to the bot, "<" from it or "!" on its stderr, the bytes."""

_TAB: Final = "\t"


@contextmanager
def written(path: Path | None) -> Iterator[Tee | None]:
    """Yield what takes all that is said and writes it to a file; None where there is no path.

    Raises:
        RefereeError: it cannot be written.
    """
    if path is None:
        yield None
        return
    with _told(path):
        file = path.open("w", encoding="utf-8")

    def tee(place: int, mark: str, data: bytes) -> None:
        text = data.removesuffix(b"\n").decode(errors="backslashreplace")
        with _told(path):
            for line in text.split("\n") if data else ():
                file.write(f"{place} {mark} {printable(line, keep=_TAB)}\n")

    try:
        yield tee
    finally:
        with _told(path):
            file.close()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what the kernel says of the file that is written."""
    try:
        yield
    except OSError as error:
        raise RefereeError(f"--tee {str(path)!r}: {error.strerror}") from error
