"""The names of bots and authors as a ladder takes them. Pure."""

import re
from typing import Final

from referee.errors import RefereeError

LONGEST: Final = 32
_ALLOWED: Final = "[A-Za-z0-9_.-]"
NAME: Final = f"{_ALLOWED}{{1,{LONGEST}}}"
"""What all of a name looks like, as a regular expression."""

GUEST: Final = "guest-"
"""How names of guests at a site's tables begin, who have no token; no author's name does."""

_NAME: Final = re.compile(NAME)
_NUMBER: Final = re.compile("#[0-9]{1,18}")


def number_in(text: str) -> int | None:
    """Return the number of an entrant or a pool as people type it, `#12`; None if it is none."""
    return int(text[1:]) if _NUMBER.fullmatch(text) else None


def name_of(text: str, what: str) -> str:
    """A name that was chosen, if it can be one.

    Args:
        text: the name.
        what: whose it is, for the message: "bot", "author".

    Raises:
        RefereeError: it is empty or too long, or holds something else than letters, digits, _ . -
    """
    if _NAME.fullmatch(text) is None:
        shown = text if len(text) <= 2 * LONGEST else f"{text[: 2 * LONGEST]}..."
        raise RefereeError(
            f"{what} name {shown!r}: 1 to {LONGEST} of the characters A-Z a-z 0-9 _ . - make a name"
        )
    return text


def author_name(text: str) -> str:
    """A name that an author chose, if it can be one.

    Raises:
        RefereeError: as `name_of`, or it begins as those of guests do.
    """
    if name_of(text, "author").startswith(GUEST):
        raise RefereeError(f"author name {text!r}: names that begin with {GUEST} are of guests")
    return text


def fitted(text: str) -> str:
    """A text made to fit: what no name may hold is dropped; "" where nothing is left."""
    return "".join(re.findall(_ALLOWED, text))[:LONGEST]
