"""The record of a match of which only id or address is known: packages beside us are asked.

An entry point of the group names a function of the id, as it was typed, and of where to look, if
that was said. It returns the file, or raises a `RefereeError` that says why there is none. One of
the group of addresses names a function of the address.
"""

import re
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from referee.errors import RefereeError, not_installed

PLUG_INS: Final = "briscola_referee.records"
"""The entry-point group."""

URL_PLUG_INS: Final = "briscola_referee.records_by_url"
"""The same of addresses."""

_URL: Final = re.compile(r"(https?):/+(.+)")
"""As a path has it, in which slashes are never doubled."""

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
    if where is None and (url := _URL.fullmatch(text)) is not None:
        return _at(f"{url[1]}://{url[2]}")
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


def _at(url: str) -> Path:
    """Return the record at an address.

    Raises:
        RefereeError: there is none, or nothing is installed that asks for it.
    """
    for plug_in in entry_points(group=URL_PLUG_INS):
        try:
            return Path(plug_in.load()(url))
        except ModuleNotFoundError as error:
            raise not_installed(f"record {url!r}", plug_in.name, error) from error
    raise RefereeError(f"record {url!r}: nothing is installed that fetches it")


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
