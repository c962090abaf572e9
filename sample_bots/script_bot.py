#!/usr/bin/env python3
"""Plays the actions of a file, one a line, in order; the first legal one where that cannot be.

Blank lines and lines that begin with # do not count.
"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    rows = [row.strip() for row in file]
script = iter([row for row in rows if row and not row.startswith("#")])


def say(message: dict[str, object]) -> None:
    """Writes one line, and flushes it: the referee waits for it."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready", "protocol": 1, "name": "script", "version": "1"})
    elif message["type"] == "act":
        wanted = next(script, None)
        legal = message["legal"]
        answer = {"id": message["id"], "action": wanted if wanted in legal else legal[0]}
        if wanted is not None and wanted not in legal:
            answer["note"] = f"the script says {wanted}, which is not legal here"
        say(answer)
    elif message["type"] == "end":
        break
