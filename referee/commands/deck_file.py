"""Read the decks that a person gives by hand: a file of them, or one in the text itself."""

from pathlib import Path
from typing import Final

from referee.errors import RefereeError

_LONGEST_PATH: Final = 255
_LARGEST: Final = 16 << 20
"""Bytes; 100,000 decks."""


def read_decks(text: str) -> tuple[str, str]:
    """Return decks as text, one a line, and the path of their file or nothing.

    Args:
        text: a path, or a list of cards.

    Raises:
        RefereeError: it is neither, or the file cannot be read.
    """
    one_word = " " not in text.strip()
    if len(text) >= _LONGEST_PATH:
        if one_word:
            raise RefereeError("deck: that is neither a file nor a list of cards")
        return text, ""
    path = Path(text)
    if path.is_file():
        return _content(path), text
    if text and one_word and "," not in text:
        raise RefereeError(f"deck {text!r} is neither a file nor a list of cards")
    return text, ""


def _content(path: Path) -> str:
    """Return a file's text, which is read no further than one of a sensible size."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) <= _LARGEST:
            return data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise RefereeError(f"deck file {str(path)!r}: {error}") from error
    raise RefereeError(f"deck file {str(path)!r}: more than {_LARGEST} bytes")
