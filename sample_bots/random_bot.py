#!/usr/bin/env python3
"""Plays any legal action, with dice seeded by the referee: the same key gives the same game."""

import json
import random
import sys

dice = random.Random()


def say(message: dict[str, object]) -> None:
    """Writes one line, and flushes it: the referee waits for it."""
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        dice.seed(message["seed"])
        say({"type": "ready", "protocol": 1, "name": "random", "version": "1"})
    elif message["type"] == "act":
        say({"id": message["id"], "action": dice.choice(message["legal"])})
    elif message["type"] == "end":
        break
