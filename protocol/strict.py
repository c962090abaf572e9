"""JSON read strictly: one object of bounded depth, size and numbers, or a fault.

The standard decoder accepts NaN, doubled keys, UTF-16, a byte order mark, lone surrogates and
integers of any length. Each would come back to hurt us later, so each is refused here.
"""

import json
import re
from typing import Any, NoReturn

from protocol.errors import Mistake, RemoteFault, RemoteProtocolError
from protocol.limits import DEPTH, INTEGER

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?')  # possessive: linear, whatever is left unclosed
_BRACKET = re.compile(r"[\[\]{}]")
_LONGEST_NUMBER = 40

Object = dict[str, Any]  # any JSON value at all: that is what arrives before it is checked


def _malformed(detail: str, mistake: Mistake | None = None) -> NoReturn:
    raise RemoteProtocolError(RemoteFault.MALFORMED, detail, mistake)


def _no_constant(name: str) -> NoReturn:
    _malformed(f"{name} is not JSON")


def _bounded_int(text: str) -> int:
    if len(text) > _LONGEST_NUMBER or abs(number := int(text)) > INTEGER:
        _malformed("an integer beyond 2^53")
    return number


def _bounded_float(text: str) -> float:
    if len(text) > _LONGEST_NUMBER or abs(number := float(text)) > INTEGER:
        _malformed("a number beyond 2^53, or with too many digits")
    return number


def _no_doubles(pairs: list[tuple[str, Any]]) -> Object:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        _malformed(f"the key {doubled[:40]!r} stands twice")
    return found


_decode = json.JSONDecoder(
    object_pairs_hook=_no_doubles,
    parse_int=_bounded_int,
    parse_float=_bounded_float,
    parse_constant=_no_constant,
).decode


def _check_depth(text: str) -> None:
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEPTH:
            _malformed(f"brackets nested deeper than {DEPTH}")


def parse_object(line: bytes) -> Object:
    """Reads one line as one JSON object.

    Raises:
        RemoteProtocolError: `malformed`, saying what is wrong; nothing else is ever raised.
    """
    try:
        text = line.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        _malformed(f"not UTF-8 at byte {error.start}", Mistake.ENCODING)
    if text.startswith("\ufeff"):
        _malformed("it begins with a byte order mark", Mistake.ENCODING)
    if not text.strip(" \t\r"):
        _malformed("an empty line")
    _check_depth(text)
    try:
        found = _decode(text)
    except ValueError as error:
        _malformed(f"not JSON: {error}")
    if not isinstance(found, dict):
        _malformed("not a JSON object")
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        _malformed("half of a surrogate pair")
    return found
