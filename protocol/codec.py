"""One line and one message, in both directions. Knows no order of messages."""

import json
import re
from typing import Final, TypeVar

import msgspec

from protocol.errors import LocalProtocolError, Mistake, RemoteFault, RemoteProtocolError
from protocol.limits import LINE_TO_BOT, NOTE
from protocol.messages import Answer, Ready, ToBot
from protocol.strict import Object, parse_object

_encoder = msgspec.json.Encoder()
_encode = _encoder.encode_lines  # quicker than `encode` and a newline: it begins with more room
_Message = TypeVar("_Message", Ready, Answer)

_KNOWN: Final = ("id", "action", "note", "eval")
_PLAIN_ANSWER: Final = re.compile(
    rb'[ \t\r]*\{[ \t\r]*"id"[ \t\r]*:[ \t\r]*"([0-9a-f]*)"[ \t\r]*,'
    rb'[ \t\r]*"action"[ \t\r]*:[ \t\r]*"([ !#-\[\]-~]*)"[ \t\r]*\}[ \t\r]*\n?'
).fullmatch
"""The form in which nearly every bot answers. What it matches means the same to `parse_object`."""


def _ascii(line: bytes) -> bytes:
    return json.dumps(json.loads(line), ensure_ascii=True, separators=(",", ":")).encode()


def encode(message: ToBot) -> bytes:
    r"""Writes a message as one line, its `\n` included.

    Raises:
        LocalProtocolError: the line would be longer than SPEC promises.
    """
    line = _encode([message])  # not a tuple: msgspec 0.22 leaks its iterator
    if not line.isascii():
        line = _ascii(line) + b"\n"
    if len(line) > LINE_TO_BOT:
        raise LocalProtocolError(f"a line of {len(line) - 1} bytes to a bot")
    return line


def decode_ready(line: bytes) -> Ready:
    """Reads the answer to `hello`.

    Raises:
        RemoteProtocolError: `malformed`, or `protocol` for a message of another type.
    """
    found = parse_object(line)
    if found.get("type") != "ready":
        raise RemoteProtocolError(
            RemoteFault.PROTOCOL, 'the answer to "hello" is {"type":"ready","protocol":1,...}'
        )
    return _convert(found, Ready, Mistake.FIELD)


def plain_answer(line: bytes) -> Answer | None:
    """Reads the answer to `act`, its newline with it or without, if it is nothing but that."""
    plain = _PLAIN_ANSWER(line)
    return None if plain is None else Answer(plain[1].decode(), plain[2].decode())


def decode_answer(line: bytes) -> Answer:
    """Reads the answer to `act`.

    Raises:
        RemoteProtocolError: `malformed`.
    """
    plain = plain_answer(line)
    if plain is not None:
        return plain
    found = parse_object(line)
    known: Object = {key: found.pop(key) for key in _KNOWN if key in found}
    answer = _convert(known, Answer, Mistake.FIELD if "id" in known else Mistake.ID)
    if answer.note is not None and len(answer.note.encode()) > NOTE:
        raise RemoteProtocolError(RemoteFault.MALFORMED, f"a note longer than {NOTE} bytes")
    if not found:
        return answer
    return msgspec.structs.replace(answer, extra=_cut(found))


def _cut(unknown: Object) -> str:
    text = json.dumps(unknown, ensure_ascii=False, separators=(",", ":"))
    return text.encode()[:NOTE].decode(errors="ignore")


def _convert(found: Object, to: type[_Message], mistake: Mistake) -> _Message:
    try:
        return msgspec.convert(found, to)
    except msgspec.ValidationError as error:
        raise RemoteProtocolError(RemoteFault.MALFORMED, str(error), mistake) from error
