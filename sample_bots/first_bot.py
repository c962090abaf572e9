#!/usr/bin/env python3
"""Plays the first legal action. The shortest bot there is: copy it and change `choose`."""

import json
import sys


def choose(legal: list[str], view: dict[str, object]) -> str:
    """Returns one of `legal`; `view` is all that this seat knows."""
    return legal[0]


def say(message: dict[str, object]) -> None:
    """Writes one line, and flushes it: the referee waits for it."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready", "protocol": 1, "name": "first", "version": "1"})
    elif message["type"] == "act":
        say({"id": message["id"], "action": choose(message["legal"], message["view"])})
    elif message["type"] == "end":
        break
