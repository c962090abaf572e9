"""The record of a match of which only the id is known: packages installed beside us are asked.

An entry point of the group names a function of the id, as it was typed, and of where to look, if
that was said. It returns the file, or raises a `RefereeError` that says why there is none.
"""

import re
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from referee.errors import RefereeError, not_installed

PLUG_INS: Final = "briscola_referee.records"
"""The entry-point group."""

_ID: Final = re.compile(r"[0-9]{1,18}|[0-9a-f]{8,64}", re.ASCII)


def record_file(typed: Path, where: str | None) -> Path:
    """The file that a person means: one that is there, or the record of a match.

    Args:
        typed: the file or the id.
        where: where to look for an id; None: it was not said that it is one.

    Raises:
        RefereeError: it is no id, or no package knows a match of it.
    """
    text = str(typed)
    is_id = _ID.fullmatch(text) is not None
    if where is not None and not is_id:
        raise RefereeError(
            f"{text!r} is no id of a match, a number or at least 8 of its hexadecimal digits: "
            "only with an id goes --ladder"
        )
    if not is_id or (where is None and typed.exists()):
        return typed  # whatever is wrong with it, its reader says
    plug_ins = tuple(entry_points(group=PLUG_INS))
    if not plug_ins:
        raise RefereeError(
            f"record {text!r}: there is no such file, and nothing is installed that has matches "
            "by their id"
        )
    return _found(plug_ins, text, where)


def _found(plug_ins: tuple[EntryPoint, ...], text: str, where: str | None) -> Path:
    """What the first says that knows the match, else what the last of them says."""
    *others, last = plug_ins
    for plug_in in others:
        with suppress(RefereeError):
            return _asked(plug_in, text, where)
    return _asked(last, text, where)


def _asked(plug_in: EntryPoint, text: str, where: str | None) -> Path:
    """What it says; the libraries that it takes have its own name."""
    try:
        find = plug_in.load()
    except ModuleNotFoundError as error:
        raise not_installed(f"record {text!r}: a match by its id", plug_in.name, error) from error
    return Path(find(text, where))
