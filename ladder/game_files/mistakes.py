"""What is wrong with the file of an event or of pools, in the words of who wrote it.

msgspec says exactly what it found, but in words of its own, and names a key as `$.game[0].id`.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Final

from ladder.terms import FormatName, LuckUse, Partners
from referee.match.seating import Seating
from referee.match.verdict import Freeze, OnFault
from referee.sandbox.names import SandboxName

_CHOICES: Final[dict[str, type[StrEnum]]] = {
    "format": FormatName,
    "freeze": Freeze,
    "luck": LuckUse,
    "on_fault": OnFault,
    "partners": Partners,
    "sandbox": SandboxName,
    "seating": Seating,
}
_RECORDS: Final = 'it can be "all", "facts", or a number of matches, from 1'
Keys = Mapping[str, tuple[str, ...]]
"""The keys of a file: those at the top by "", those of a table by its name."""

_PLACE: Final = re.compile(r" - at `\$\.?([^`]*)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`")
_MISSING: Final = re.compile(r"Object missing required field `(.*)`")
_TYPES: Final = {
    "str": "a text in quotes",
    "int": "a whole number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def in_words(error: str, keys: Keys) -> str:
    """The message of an error of msgspec, for who wrote the file."""
    found = _PLACE.search(error)
    path = found[1] if found else ""
    what = _PLACE.sub("", error)
    table, key = _table_of(path, keys), path.rpartition(".")[2]
    if (unknown := _UNKNOWN.fullmatch(what)) is not None:
        return f"{_place(path)}{_unknown(unknown[1], table, keys)}"
    if (missing := _MISSING.fullmatch(what)) is not None:
        name = missing[1]
        if name in ("game", "bot"):
            return f"there is no [[{name}]]"
        return f"{_place(path)}the key {name!r} is missing"
    if what.startswith("Expected `array` of length") and path in ("game", "bot"):
        return "at least two [[bot]] are needed" if path == "bot" else "there is no [[game]]"
    if what.startswith("Invalid enum value") and key in _CHOICES:
        return f"{_place(path)}it can be {', '.join(_CHOICES[key])}"
    return f"{_place(path)}{_RECORDS if path == 'records' else _typed(what)}"


def _table_of(path: str, keys: Keys) -> str:
    top = re.split(r"[.\[]", path)[0]
    return top if "[" in path or top in keys else ""


def _place(path: str) -> str:
    """A path as people count: `game[1].pace` is the pace of game 2."""
    counted = re.sub(r"\[(\d+)\]", lambda at: f" {int(at[1]) + 1}", path)
    return f"{counted.replace('.', ': ')}: " if path else ""


def _unknown(name: str, table: str, keys: Keys) -> str:
    text = f"there is no key {name!r}"
    close = get_close_matches(name, keys[table], n=1)
    if close:
        return f"{text}; did you mean {close[0]!r}?"
    if table and name in keys[""]:
        return f"{text} here: it stands at the top, for all games and bots"
    return f"{text}; there are {', '.join(keys[table])}"


def _typed(what: str) -> str:
    """`Expected X, got Y` with the types of TOML, and bounds in words."""
    bound = re.fullmatch(r"Expected `.*?`( of length)? ([<>])= (\d+)", what)
    if bound is not None:
        unit = " characters" if bound[1] else ""
        return f"at {'most' if bound[2] == '<' else 'least'} {bound[3]}{unit}"
    found = re.fullmatch(r"Expected `(.*)`, got `(.*)`", what)
    if found is None:
        return what
    wanted = [_TYPES.get(name, name) for name in found[1].split(" | ") if name != "null"]
    return f"it must be {' or '.join(wanted)}, not {_TYPES.get(found[2], found[2])}"
