"""Bots to hand in, and pools to try them in."""

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from ladder.facts import Pool
from ladder.plan import LuckUse
from referee.config import MatchConfig, make_plan
from referee.games import find
from referee.seating import Seating
from referee.verdict import Freeze

C_BOT = Path(__file__).parent.parent.parent / "sample_bots" / "first-c"


def pool(game: str = "briscola-2", options: tuple[str, ...] = (), **more: object) -> Pool:
    """A pool of a game, as quick as can be."""
    rules = find(game).rules_of(dict(one.split("=") for one in options))[0].game
    asked = MatchConfig(game=game, options=options, bots=rules.seats)
    usual = Pool(
        pool=1,
        name=game,
        game=game,
        options=options,
        rules=make_plan(asked).name,
        seats=rules.seats,
        partners=rules.partners,
        places=rules.seats,
        seating=Seating.ROTATE,
        seatings=rules.seats,
        time="start=10s,move=2s",
        pace=0,
        blocks=1,
        on_fault=None,
        freeze=Freeze.AUTO,
        luck=LuckUse.OFF,
        luck_values="",
        bench=0,
        at_ms=0,
    )
    return replace(usual, **more)


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
