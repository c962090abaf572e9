"""JSON Schemas of the messages, generated from the types that the referee itself uses.

`make schemas` rewrites the files beside this module; a test says when they are stale.
"""

import json
from collections.abc import Mapping
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
    """Return the text of every schema of a message, by file name."""
    return {
        f"{name}.json": schema_text(f"{name}, protocol 1", message)
        for name, message in _MESSAGES.items()
    }


def schema_text(title: str, kind: type) -> str:
    """Return the schema of a struct, as it stands in a file."""
    schema = msgspec.json.schema(kind)
    if kind is Answer:  # `extra` is where we keep unknown fields, not a field of the wire
        del schema["$defs"]["Answer"]["properties"]["extra"]
    return json.dumps({"title": title, **schema}, indent=2) + "\n"


def output_schemas(kinds: Mapping[str, type]) -> dict[str, str]:
    """Return the text of the schemas of what commands print with `--json`, by file name.

    Args:
        kinds: the struct that a command prints, by the command's words.
    """
    return {
        f"{'-'.join(words.replace('--', '').split())}.json": schema_text(
            f"referee {words} --json", kind
        )
        for words, kind in kinds.items()
    }


def write(folder: Path, texts: Mapping[str, str]) -> None:
    """Write schemas where they are checked in.

    Args:
        folder: the folder.
        texts: by file name.
    """
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    write(FOLDER, schemas())
