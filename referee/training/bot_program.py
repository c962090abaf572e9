"""The program of a bot that was trained: reads acts, shows them to its policy, and answers.

`write_bot` copies it, with encoding.py, into the bot's folder; it needs nothing else of ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from encoding import Encoding, read_view  # type: ignore[import-not-found]  # beside it there
from policy import policy_of

Json = dict[str, Any]  # values of JSON

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Answer the referee until it says that this is the end, or its lines end."""
    encoding = Encoding(json.loads((HERE / "encoding.json").read_text()))
    policy = policy_of(HERE, encoding)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            if message["game"] != encoding.game:
                print(f"trained for {encoding.game}: plays anything legal", file=sys.stderr)
            say({"type": "ready", "protocol": 1, "name": HERE.name})
        elif message["type"] == "act":
            say({"id": message["id"], "action": choose(encoding, policy, message)})
        elif message["type"] == "end":
            break


def choose(encoding: Encoding, policy: Callable[..., int], message: Json) -> str:
    """Return what the policy says; the first legal action in a game that it was not trained for."""
    legal = message["legal"]
    if len(legal) == 1 or not set(legal) <= set(encoding.number):
        return str(legal[0])
    try:
        observation = encoding.observe(read_view(message["view"]))
    except (KeyError, IndexError, ValueError):  # cards or seats of another game
        return str(legal[0])
    action: str = encoding.actions[policy(observation, encoding.mask(legal))]
    return action


def say(message: dict[str, object]) -> None:
    """Write one line, and flush it."""
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
