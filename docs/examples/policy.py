"""The decision of a trained bot, in plain Python: the same file in training and in the bot.

Each legal card is described by a few numbers, and the card with the highest weighted sum is played.
"""

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Encoding = Any  # in training of the referee, in a bot of the file beside it

NAMES = (
    "lead a trump",
    "lead: points",
    "lead: height",
    "win with a trump",
    "win with a plain card",
    "win: points in the trick",
    "lose: points in the trick",
    "follow: height",
    "spend a trump: points",
)
"""What the numbers of `describe` say of a card."""

POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
RANKS = "24567JQK3A"


def describe(observation: Sequence[int], action: int, encoding: Encoding) -> list[float]:
    """Return the numbers of a card that could be played."""
    card = encoding.actions[action]
    if len(card) != 2:  # an exchange, before the own card: free, and never worse
        return [1.0] + [0.0] * (len(NAMES) - 1)
    trump = "HDCS"[list(observation[encoding.field("trump")]).index(1)]
    table = observation[encoding.field("table")]
    lies = [encoding.cards[at % len(encoding.cards)] for at, there in enumerate(table) if there]
    points, height = POINTS.get(card[0], 0) / 11, RANKS.index(card[0]) / 9
    is_trump = float(card[1] == trump)
    if not lies:
        return [is_trump, points, height, 0, 0, 0, 0, 0, is_trump * points]
    led = lies[0]
    wins = is_trump > (led[1] == trump)
    if card[1] == led[1]:
        wins = RANKS.index(card[0]) > RANKS.index(led[0])
    both = points + POINTS.get(led[0], 0) / 11
    return [
        0,
        0,
        0,
        float(wins and is_trump),
        float(wins and not is_trump),
        wins * both,
        (not wins) * both,
        height,
        is_trump * points,
    ]


def chances(weights: Sequence[float], rows: Sequence[Sequence[float]]) -> list[float]:
    """Return how likely each card is to be played in training."""
    sums = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows]
    shares = [math.exp(one - max(sums)) for one in sums]
    return [share / sum(shares) for share in shares]


def policy_of(folder: Path, encoding: Encoding) -> Callable[..., int]:
    """Return the policy of a bot's folder: from an observation and a mask to an action's number."""
    weights = list(json.loads((folder / "weights.json").read_text()).values())

    def policy(observation: Sequence[int], action_mask: Sequence[int]) -> int:
        legal = [action for action, allowed in enumerate(action_mask) if allowed]
        rows = [describe(observation, action, encoding) for action in legal]
        likely = chances(weights, rows)
        return legal[likely.index(max(likely))]

    return policy
