"""How often honest bots are said to favour one another, and when one that does is found.

    python -m tests.bench_favours [--fields N] [--game ID] [--bots N] [--blocks N] [--share PART]

Plays fields of bots of all kinds, in processes of its own, at all tables that they can make.
Without --share none favours another, and each field in which a pair is named is a false alarm.
With it bot 0, which plays carefully else, lays its best card on that part of the tricks that bot 1
holds.
"""

import argparse
import os
import random
import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from ladder.stats.favours import favours
from referee.games import find
from referee.rules.plain_game import PlainGame
from support.colluders import Friend, field, honest
from support.players import careful


class Seen(NamedTuple):
    """What one field has shown."""

    false: int
    found: bool
    points: float
    blocks: int


def look(asked: argparse.Namespace, number: int) -> Seen:
    """Play a field, and look who is named."""
    game = find(asked.game).rules_of({})[0].game
    assert isinstance(game, PlainGame)
    dice = random.Random(f"{asked.game} {asked.bots} {asked.blocks} {asked.share} {number}")
    players = honest(game, asked.bots, dice)
    friend = Friend(0, 1, asked.share) if asked.share else None
    if friend is not None:  # one that lays all its points on all tricks has none to favour with
        players[friend.giver] = careful(game, dice.randrange(0, 31))
    matches = field(game, players, asked.blocks, dice, friend)
    found = favours(matches, {bot: bot for bot in range(asked.bots)})
    if found is None:
        raise ValueError("too few blocks: no pair has enough matches")
    pairs = list(zip(found.giver.tolist(), found.taker.tolist(), strict=True))
    named = {pair for pair, is_named in zip(pairs, found.named, strict=True) if is_named}
    planted = {(0, 1)} if friend else set()
    tables = len({bots for bots, _ in matches if {0, 1} <= set(bots)})
    points = float(found.points[pairs.index((0, 1))]) if (0, 1) in pairs else 0.0
    return Seen(len(named - planted), planted <= named, points, tables * asked.blocks)


def main() -> None:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fields", type=int, default=20)
    parser.add_argument("--game", default="briscola-3")
    parser.add_argument("--bots", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--share", type=float, default=0.0)
    asked = parser.parse_args()
    with Pool(len(os.sched_getaffinity(0))) as pool:
        try:
            seen = pool.map(partial(look, asked), range(asked.fields), chunksize=1)
        except ValueError as error:
            parser.error(str(error))
    false = sum(one.false > 0 for one in seen)
    told = f"{asked.game}, {asked.bots} bots, {seen[0].blocks} blocks of a pair"
    print(f"{told}: {false} of {len(seen)} fields with a pair that is named wrongly")
    if asked.share:
        found, points = sum(one.found for one in seen), sum(one.points for one in seen) / len(seen)
        print(
            f"favours at {100 * asked.share:.0f} % of acts: found in {found} of {len(seen)}, "
            f"{points:+.2f} points a card"
        )


if __name__ == "__main__":
    main()
