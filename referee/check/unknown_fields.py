"""Lines for a bot with things in them that it cannot know. Pure.

The protocol promises bots that fields and messages may be added to it; greasing shows whether a bot
relies on nobody ever doing so.
"""

import json
from typing import Any

_FIELD = "x_grease"
_VALUE: dict[str, Any] = {
    "id": "not this",
    "legal": ["ZZ"],
    "deep": [[], {"type": "act"}, None, 1, 'a "quote"'],
}


def greased(line: bytes) -> bytes:
    """The same message with unknown fields first, last and inside, after an unknown message."""
    message: dict[str, Any] = json.loads(line)
    for inner in (message, message.get("view"), message.get("time")):
        if isinstance(inner, dict):
            known = dict(inner)
            inner.clear()
            inner[_FIELD] = _VALUE
            inner.update(known)
            inner[_FIELD + "_too"] = "ZZ"
    for event in message.get("events", ()):
        event[_FIELD] = _VALUE
    if "events" in message:
        message["events"].append({"type": _FIELD, "seat": 0})
    unknown = {"type": _FIELD, "id": "not this", "legal": ["ZZ"]}
    return b"".join(_line(one) for one in (unknown, message))


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
