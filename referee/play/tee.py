"""All that is said between the referee and bots, written down line by line for their authors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.errors import RefereeError

Tee = Callable[[int, str, bytes], None]
"""Takes what is said: the place, ">" to the bot, "<" from it or "!" on its stderr, the bytes."""


@contextmanager
def written(path: Path | None) -> Iterator[Tee | None]:
    """Yield what takes all that is said and writes it to a file; None where there is no path.

    Raises:
        RefereeError: it cannot be written.
    """
    if path is None:
        yield None
        return
    try:
        with path.open("w") as file:

            def tee(place: int, mark: str, data: bytes) -> None:
                for line in data.decode(errors="backslashreplace").splitlines():
                    file.write(f"{place} {mark} {line}\n")

            yield tee
    except OSError as error:
        raise RefereeError(f"--tee {str(path)!r}: {error.strerror}") from error
