"""Feeds many records to their own bots: `python -m tests.debug_records [N [KEY]]`.

N matches of one deal, over all games in turn, by samples that answer the same to the same. No bot
may answer otherwise than it did; with one of its answers turned, it is stopped at just that act.
"""

import sys
import tempfile
from pathlib import Path
from random import Random

import trio

sys.path.insert(0, str(Path(__file__).parent))

from debug.test_session import SLOW, asked_id, fed, fickle, questions

from referee.bots.find import find
from referee.bots.settings import Settings
from referee.debug.stops import UntilDifference
from referee.games import catalogue
from referee.match.lines import ActLine
from referee.sandbox.bare import Bare
from support.matches import match

SAMPLES = ("greedy", "random", "first", "first-c", "first-perl")


async def main(number: int, key: str) -> None:
    """Say how many records and planted changes were as they should be."""
    games, dice = list(catalogue()), Random(key)
    same = found = planted = 0
    with tempfile.TemporaryDirectory() as folder:
        for at in range(number):
            game, path = games[at % len(games)], Path(folder, str(at))
            seats = catalogue()[game].seats[0]
            names = [dice.choice(SAMPLES) for _ in range(seats)]
            bots = [f"sample:{name}" for name in names]
            await match(path, game, *bots, deals=1, time=SLOW, key=f"{key} {at}")
            bot = dice.randrange(seats)
            spec = await Bare().prepare(find(bots[bot], Settings()))
            same += (await fed(path, bot, spec, UntilDifference()))[0].stopped is None
            if at % 10 == 0:
                planted += 1
                found += await is_found(path.with_suffix(".planted"), game, seats, f"{key} {at}")
    print(f"{same} of {number} records without a difference")
    print(f"{found} of {planted} planted changes found at their act")
    sys.exit(same != number or found != planted)


async def is_found(path: Path, game: str, seats: int, key: str) -> bool:
    """Plant a change in one answer of a bot; whether it is stopped at that act."""
    await match(path, game, *[fickle(0.05)] * seats, deals=2, time=SLOW, key=key)
    bot = Random(key).randrange(seats)
    open_ = [one for one in questions(path, bot) if len(one.ask.legal) > 1]
    asked = Random(key).choice([one for one in open_ if isinstance(one.answer, ActLine)])
    result, _ = await fed(path, bot, fickle(0.05, asked.ask.id), UntilDifference())
    return result.stopped is not None and asked_id(result) == asked.ask.id


if __name__ == "__main__":
    words = sys.argv[1:]
    trio.run(main, int(words[0]) if words else 1000, words[1] if words[1:] else "a")
