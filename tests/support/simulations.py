"""Events and comparisons of bots whose strengths are known, since they are dice.

For the tests, and with larger numbers for `tests/soak.py`.
"""

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ladder.stats.confidence_sequence import Conclusion, Decider
from ladder.stats.estimates import ELO, Estimate
from ladder.stats.observations import Observed, against, lineups
from ladder.stats.ratings import rate
from ladder.stats.sprt import Sprt, SprtPlan, SprtResult
from referee.games import find

Floats = NDArray[np.float64]
Blocks = Callable[[np.random.Generator, int], Floats]

BOUND: Final = 120.0
"""The deal value of two-handed briscola goes from -120 to 120."""


def dice(*words: object) -> np.random.Generator:
    """Dice of their own for whatever is named."""
    seed = hashlib.sha256(repr(words).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big")))


@cache
def random_blocks(count: int) -> Floats:
    """Block means of briscola between two bots that play at random, each deck from both seats."""
    roll = random.Random("random bots")
    game = find("briscola-2").rules_of({})[0].game
    found = []
    for _ in range(count):
        deck = list(game.pack)
        roll.shuffle(deck)
        worth = 0
        for seat in (0, 1):
            state, _ = game.deal(deck, 0)
            while game.to_move(state) is not None:
                game.apply(state, roll.choice(game.legal(state)))
            worth += game.tally(state).values[seat]
        found.append(worth / 2)
    return np.array(found)


def _real(roll: np.random.Generator, count: int) -> Floats:
    """Blocks as they were, either way round: neither bot is better."""
    found = roll.choice(random_blocks(400), count) * roll.choice([-1.0, 1.0], count)
    return np.asarray(found, np.float64)


NULLS: Final[Mapping[str, Blocks]] = {
    "the bound, or less it": lambda roll, count: roll.choice([-BOUND, BOUND], count),
    "rarely the bound": lambda roll, count: np.where(roll.random(count) * 13 < 1, BOUND, -10.0),
    "normal, in halves": lambda roll, count: np.clip(
        np.round(2 * roll.normal(0, 18, count)) / 2, -BOUND, BOUND
    ),
    "mostly nought": lambda roll, count: np.where(
        roll.random(count) < 0.9, 0.0, roll.choice([-40.0, 20.0, 20.0], count)
    ),
    "heavy tails": lambda roll, count: np.clip(8 * roll.standard_t(2, count), -BOUND, BOUND),
    "random bots at briscola": _real,
}
"""Distributions of block means between equal bots: all have the mean 0."""


def false_decisions(comparisons: int, blocks: int = 2000) -> dict[str, float]:
    """In what share of comparisons of equal bots one of them is called better.

    Each looks after every block. At most 5 % may, whatever the blocks are like.

    Args:
        comparisons: how many, for each of `NULLS`.
        blocks: how many each lasts at most.
    """
    found = {}
    for name, draw in NULLS.items():
        wrong = 0
        for number in range(comparisons):
            decider = Decider(BOUND)
            wrong += decider.look(draw(dice(name, number), blocks)) is not Conclusion.UNDECIDED
        found[name] = wrong / comparisons
    return found


def false_equalities(comparisons: int, within: float, blocks: int = 2000) -> dict[str, float]:
    """In what share of comparisons the worst is said of bots that differ by just `within`.

    That is that there is no difference beyond it, or that the worse one is better.
    """
    found = {}
    for name, draw in NULLS.items():
        wrong = 0
        for number in range(comparisons):
            decider = Decider(BOUND + within, within)
            decision = decider.look(draw(dice(name, number), blocks) + within)
            wrong += decision in {Conclusion.NO_DIFFERENCE, Conclusion.B}
        found[name] = wrong / comparisons
    return found


def blocks_until_decided(mean: float, spread: float, comparisons: int) -> Floats:
    """How many blocks comparisons take, where one bot is better by `mean`."""
    found = []
    for number in range(comparisons):
        roll = dice("how long", mean, spread, number)
        values = np.round(2 * roll.normal(mean, spread, 50_000)) / 2
        decider = Decider(BOUND)
        for at in range(0, len(values), 1000):
            if decider.look(np.clip(values[at : at + 1000], -BOUND, BOUND)) is Conclusion.A:
                break
        found.append(decider.blocks)
    return np.array(found, np.float64)


def sprt_errors(plan: SprtPlan, tests: int, spread: float = 18.0) -> tuple[float, float]:
    """How often `elo1` is accepted where `elo0` holds, and the other way round; normalized Elo."""
    shares = []
    for elo, wrong in ((plan.elo0, SprtResult.H1), (plan.elo1, SprtResult.H0)):
        mean = elo * np.log(10) / 800 * np.sqrt(2) * spread
        count = 0
        for number in range(tests):
            test, roll = Sprt(plan, BOUND, 2), dice("sprt", elo, number)
            while test.verdict is SprtResult.OPEN:
                for value in np.round(2 * roll.normal(mean, spread, 200)) / 2:
                    test.add(float(np.clip(value, -BOUND, BOUND)))
            count += test.verdict is wrong
        shares.append(count / tests)
    return shares[0], shares[1]


def coverage(events: int, *, bots: int = 6, blocks: int = 40, seats: int = 2) -> float:
    """In what share 95 % intervals of ratings hold the true strengths.

    Every line-up meets in every block. How well a bot does in a block is its strength and a
    variate of Gumbel, its own for each deck and the same at all tables: orders are then exactly
    those of the model, and results in a block depend on each other.

    Args:
        events: how many events of round robins.
        bots: how many bots each has.
        blocks: how many blocks each pairing plays, each by new processes.
        seats: how many bots sit at a table.
    """
    tables = _lineups(bots, seats)
    held = 0
    for event in range(events):
        roll = dice("coverage", event, bots, blocks, seats)
        truth = roll.normal(0, 1, bots)
        truth -= truth.mean()
        done = truth + roll.gumbel(size=(blocks, bots))
        scores = done[:, tables].argsort(axis=2).argsort(axis=2).reshape(-1, seats)
        at = np.arange(len(scores))
        seen = _observed(np.tile(tables, (blocks, 1)), at // len(tables), at, scores)
        held += _held(rate([seen], bots).strengths, truth * ELO)
    return held / (events * bots)


def new_bot_coverage(lives: int, fields: int, *, blocks: int = 1, seats: int = 2) -> float:
    """In what share the 95 % interval of a new bot of a ladder holds its true strength.

    Its field are 20 bots that have played 40 match parts each.

    Args:
        lives: how many match parts the new bot has played.
        fields: how many ladders.
        blocks: how many blocks a part has.
        seats: how many bots sit at a table.
    """
    bots, held = 21, 0
    for number in range(fields):
        roll = dice("new bot", number, lives, blocks, seats)
        truth = roll.normal(0, 1, bots)
        truth -= truth.mean()
        others = [roll.permutation(bots - 1)[:seats] for _ in range(40 * (bots - 1) // seats)]
        own = [[bots - 1, *roll.permutation(bots - 1)[: seats - 1]] for _ in range(lives)]
        tables = np.repeat(np.array([*others, *own]), blocks, axis=0)
        done = truth[tables] + roll.gumbel(size=tables.shape)
        scores = done.argsort(axis=1).argsort(axis=1)
        at = np.arange(len(scores))
        found = rate([_observed(tables, at, at // blocks, scores)], bots).strengths[-1]
        held += _held([found], truth[-1:] * ELO)
    return held / fields


def _held(ratings: Sequence[Estimate | None], truth: Floats) -> int:
    """How many intervals hold the truth."""
    return sum(
        one is not None
        and one.low is not None
        and one.high is not None
        and one.low <= true <= one.high
        for one, true in zip(ratings, truth, strict=True)
    )


def _observed(
    bots: NDArray[np.int64],
    block: NDArray[np.int64],
    life: NDArray[np.int64],
    scores: NDArray[np.int64],
) -> Observed:
    """Blocks at tables where each bot scores for itself; a deal each."""
    opposed, two_sided = against(bots.shape[1], ())
    return Observed(
        bots=bots,
        lineup=lineups(bots, int(bots.max()) + 1),
        block=block,
        life=life,
        begun=np.zeros(len(bots), np.int64),
        deals=np.ones(len(bots), np.int64),
        values=scores,
        luck=np.zeros_like(scores),
        lucky=np.zeros(len(bots), np.bool_),
        at_fault=np.zeros(bots.shape, np.bool_),
        met=np.zeros((len(bots), 2, bots.shape[1]), np.int64),
        known=np.zeros(len(bots), np.bool_),
        opposed=opposed,
        two_sided=two_sided,
    )


def _lineups(bots: int, seats: int) -> NDArray[np.int64]:
    """Who meets: everybody everybody, or in larger tables as many line-ups as there are bots."""
    if seats == 2:
        return np.array([(one, other) for one in range(bots) for other in range(one)])
    return np.array([[(first + step) % bots for step in range(seats)] for first in range(bots)])
