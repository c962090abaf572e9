"""JSON Schemas of the messages, generated from the types that the referee itself uses.

`python -c "from protocol.schema import write; write()"` (make schemas) rewrites the files beside
this module; a test says when they are stale.
"""

import json
from pathlib import Path
from typing import Final

import msgspec

from protocol.messages import Act, Answer, Deal, DealEnd, End, Fault, Hello, Ready

FOLDER: Final = Path(__file__).parent / "schemas"
_MESSAGES: Final = {
    "hello": Hello,
    "deal": Deal,
    "act": Act,
    "deal_end": DealEnd,
    "fault": Fault,
    "end": End,
    "ready": Ready,
    "answer": Answer,
}


def schemas() -> dict[str, str]:
    """The text of every schema, by file name."""
    return {f"{name}.json": _text(name, message) for name, message in _MESSAGES.items()}


def _text(name: str, message: type) -> str:
    schema = msgspec.json.schema(message)
    if name == "answer":  # `extra` is where we keep unknown fields, not a field of the wire
        del schema["$defs"]["Answer"]["properties"]["extra"]
    return json.dumps({"title": f"{name}, protocol 1", **schema}, indent=2) + "\n"


def write() -> None:
    """Writes the schemas where they are checked in."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text)
