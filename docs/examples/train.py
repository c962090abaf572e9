"""Trains a bot by self-play with numpy alone, and writes it as a folder that plays anywhere.

    python docs/examples/train.py FOLDER [DEALS]

Many deals are played at once, both seats by the same weights. What was followed by more points than
usual is made more likely (REINFORCE). The decision itself stands in `policy.py`, which the bot
takes along; it needs no numpy.
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from policy import NAMES, chances, describe

from referee.training.batch import DealBatch
from referee.training.bot_folder import write_bot
from referee.training.encoding import Encoding

Numbers = NDArray[np.float64]

GAME = "briscola-2"
AT_ONCE = 32
"""Deals that are played side by side."""

RATE = 0.02
FADES = 0.7
"""How much a point counts that comes one own act later."""

POINTS = 20.0
"""Card points that make a return of one."""


class Seat:
    """What one seat of a deal has done, and by how much it led then."""

    def __init__(self) -> None:
        """Begin a deal."""
        self.slopes: list[Numbers] = []
        self.leads: list[float] = []

    def returns(self, value: float) -> list[float]:
        """Return what followed each act: by how many points the lead grew, the sooner the more."""
        leads, total, found = [*self.leads, value], 0.0, []
        for before, after in zip(leads[-2::-1], leads[:0:-1], strict=True):
            total = (after - before) / POINTS + FADES * total
            found.append(total)
        return found[::-1]


def train(deals: int, seed: int = 1) -> tuple[Numbers, Encoding]:
    """Play and learn from so many deals; return the weights, and what a view looked like."""
    dice = np.random.default_rng(seed)
    batch = DealBatch(GAME, count=AT_ONCE, seed=seed)
    points = batch.encoding.field("points")
    weights, usual = np.zeros(len(NAMES)), 0.0
    tables = [[Seat(), Seat()] for _ in range(AT_ONCE)]
    while deals > 0:
        actions = []
        for deal, who in enumerate(batch.seats):
            observation, seat = batch.observations[deal], tables[deal][who]
            legal = np.flatnonzero(batch.masks[deal]).tolist()
            rows = [describe(observation, action, batch.encoding) for action in legal]
            likely = chances(weights.tolist(), rows)
            chosen = dice.choice(len(legal), p=likely)
            actions.append(legal[chosen])
            mine, theirs = observation[points].astype(float)
            seat.leads.append(mine - theirs)
            seat.slopes.append(np.array(rows[chosen]) - np.array(likely) @ np.array(rows))
        for finished in batch.step(actions):
            deals -= 1
            for seat, value in zip(tables[finished.index], finished.values, strict=True):
                gains = np.array(seat.returns(value))
                usual += 0.01 * (gains.mean() - usual)
                weights += RATE * (gains - usual) @ np.array(seat.slopes)
            tables[finished.index] = [Seat(), Seat()]
    return weights, batch.encoding


def main(folder: Path, deals: int = 15_000) -> None:
    """Train, for about a minute by default, and write the bot."""
    weights, encoding = train(deals)
    learned = {name: round(float(weight), 3) for name, weight in zip(NAMES, weights, strict=True)}
    print(json.dumps(learned, indent=1))
    policy = Path(__file__).with_name("policy.py")
    write_bot(folder, encoding, policy, files={"weights.json": json.dumps(learned)})


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
