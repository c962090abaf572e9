"""Bots to hand in."""

from collections.abc import Callable
from pathlib import Path

C_BOT = Path(__file__).parent.parent.parent / "sample_bots" / "first-c"


def python_bot(folder: Path, answer: str, before: str = "") -> Path:
    """A folder with a bot in Python: what it does at the start, and what it does with an act.

    In `answer`, `act` is the message, `first` the usual answer to it, and `number` counts.
    """
    folder.mkdir(parents=True)
    body = f"""import json, os, sys, time
{before}
number = 0
for line in sys.stdin:
    act = json.loads(line)
    if act["type"] == "hello":
        print('{{"type":"ready","protocol":1,"name":"x"}}', flush=True)
    if act["type"] == "act":
        number += 1
        first = json.dumps({{"id": act["id"], "action": act["legal"][0]}})
        {answer}
    if act["type"] == "end":
        break
"""
    (folder / "bot.py").write_text(body)
    (folder / "bot.toml").write_text('name = "x"\ncommand = "python3 -S bot.py"\n')
    return folder


def said_to() -> tuple[list[str], Callable[[str], None]]:
    """A list, and what adds to it."""
    said: list[str] = []
    return said, said.append
