"""What `--json` prints: structs, of which the schemas are generated, as ASCII. Pure."""

import json

import msgspec


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Return a struct, or several, as JSON; no terminal acts upon it, whatever strangers wrote.

    Args:
        value: made of structs, of sequences and of what JSON has.
        indent: by how much inner lines are indented; None for one line.
    """
    return json.dumps(msgspec.to_builtins(value), indent=indent)
