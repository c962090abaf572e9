"""Fills the record of its match as far as it can, with what no program can make small."""

import json
import random
import sys
from string import ascii_letters, digits, punctuation

NOISE = random.SystemRandom()
SIGNS = (ascii_letters + digits + punctuation).replace('"', "").replace("\\", "")


def noise(size: int) -> str:
    return "".join(NOISE.choices(SIGNS, k=size))


def say(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready", "protocol": 1, "name": "bloater", "version": "1"})
    elif message["type"] == "act":
        action = message["legal"][0]
        say({"id": message["id"], "action": action, "note": noise(512), "more": noise(500)})
    elif message["type"] == "end":
        break
