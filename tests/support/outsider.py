"""Ratings as an outsider would compute them: docs/results.md, 3 line by line, in plain loops."""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Floats = NDArray[np.float64]


class Block(NamedTuple):
    """A block: its deck, the match part, who held each side, and each side's score."""

    deck: int
    life: int
    sides: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]


class Rated(NamedTuple):
    """What comes out, in natural units: strengths, half-widths, and t values of differences."""

    strengths: Floats
    halves: Floats
    apart: Floats
    free: float


def rated(blocks: list[Block], bots: int) -> Rated:
    """Rate bots that are all linked, at tables of one size."""
    k = len(blocks[0].sides)
    w = 2 / k
    pairs = [
        (block, _vector(block, one, other, bots), _share(block.scores[one], block.scores[other]))
        for block in blocks
        for one, other in combinations(range(k), 2)
    ]
    s, phi, tau2 = np.zeros(bots), 1.0, 1.0
    for _ in range(2000):
        s, information = _strengths(pairs, w, phi / tau2, s)
        covariance = np.asarray(np.linalg.inv(information), np.float64)
        covariance -= covariance.mean(axis=0)
        covariance -= covariance.mean(axis=1, keepdims=True)
        new_tau2 = (4 + float((s**2).sum() + phi * np.trace(covariance))) / (2 + bots - 1)
        new_phi, own, free = _dispersion(blocks, pairs, s, covariance)
        still = abs(new_phi / phi - 1) + abs(new_tau2 / tau2 - 1)
        phi, tau2 = new_phi, new_tau2
        if still < 1e-9:
            break
    wide = np.sqrt(own)
    covariance = covariance * np.outer(wide, wide)
    errors = np.sqrt(np.diag(covariance))
    both = errors[:, None] ** 2 + errors**2 - 2 * covariance
    apart = (s[:, None] - s) / np.sqrt(np.where(both > 1e-15, both, np.inf))
    return Rated(s, float(stdtrit(free, 0.975)) * errors, apart, free)


def _vector(block: Block, one: int, other: int, bots: int) -> Floats:
    x = np.zeros(bots)
    for sign, side in ((1, block.sides[one]), (-1, block.sides[other])):
        for bot in side:
            x[bot] += sign
    return x


def _share(one: float, other: float) -> float:
    return (1 + (one > other) - (one < other)) / 2


Pairs = list[tuple[Block, Floats, float]]


def _strengths(pairs: Pairs, w: float, prior: float, s: Floats) -> tuple[Floats, Floats]:
    for _ in range(500):
        slope, information = -prior * s, prior * np.eye(len(s))
        for _, x, y in pairs:
            p = 1 / (1 + math.exp(-float(x @ s)))
            slope = slope + w * (y - p) * x
            information = information + w * p * (1 - p) * np.outer(x, x)
        step = np.linalg.solve(information, slope)
        s = s + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    return s, information


def _dispersion(
    blocks: list[Block], pairs: Pairs, s: Floats, covariance: Floats
) -> tuple[float, Floats, float]:
    k, bots = len(blocks[0].sides), len(s)
    w = 2 / k
    lives = sorted({block.life for block in blocks})
    rest: dict[tuple[int, int], float] = {}
    usual: dict[tuple[int, int], float] = {}
    on_deck: dict[tuple[int, int], list[float]] = {}
    leverage = dict.fromkeys(lives, 0.0)
    length = {life: sum(block.life == life for block in blocks) for life in lives}
    level = sum(y == 0.5 for _, _, y in pairs) / len(pairs)
    of_block: dict[tuple[int, int], float] = {}
    for block, x, y in pairs:
        p = 1 / (1 + math.exp(-float(x @ s)))
        leverage[block.life] += w * p * (1 - p) * float(x @ covariance @ x) / (k - 1)
        for bot in np.flatnonzero(x).tolist():
            key = (block.life, bot)
            rest[key] = rest.get(key, 0.0) + w * (y - p) * x[bot]
            usual[key] = usual.get(key, 0.0) + w * p * (1 - p)
            at = (blocks.index(block), bot)
            of_block[at] = of_block.get(at, 0.0) + w * (y - p) * x[bot]
    left = {life: 1 - min(leverage[life], 0.999) for life in lives}
    squares, expected, free = np.zeros(bots), np.zeros(bots), np.zeros(bots)
    alike = 0.0
    for (life, bot), value in rest.items():
        squares[bot] += value**2
        expected[bot] += usual[life, bot] * left[life]
        free[bot] += left[life]
        alike += usual[life, bot] * length[life]
    decks = {block.deck for block in blocks}
    products, most = np.zeros(bots), math.inf
    if len(decks) < len(blocks):
        for (number, bot), value in of_block.items():
            on_deck.setdefault((blocks[number].deck, bot), []).append(value)
        for (_, bot), found in on_deck.items():
            products[bot] += sum(found) ** 2 - sum(one**2 for one in found)
        products *= len(decks) / max(len(decks) - 1, 1)
        most = (len(decks) - 1) * (bots - 1)
    total = float(expected.sum())
    phi = (float(squares.sum()) + max(float(products.sum()), 0) + alike / len(lives)) / (
        total * (1 + 1 / len(lives))
    )
    phi = max(phi, w * (1 + (k - 2) / 3) * max(1 - level, 0.001))
    own = (4 * phi + free * (squares + products) / expected) / (4 + free)
    weights = np.array([sum(usual[at] for at in usual if at[0] == life) for life in lives])
    equal = float(weights.sum() ** 2 / (weights**2).sum())
    return phi, np.maximum(phi, own), min(equal * total / float(weights.sum()), most)


class Meeting(NamedTuple):
    """A block of two or more bots: its deck, the match part, who sat where, and `meetings`.

    `step` is the one of the round in which the part was begun, `table` a number for who sat there,
    `values` are a deal.
    """

    deck: int
    life: int
    bots: tuple[int, ...]
    first: tuple[int, ...]
    later: tuple[int, ...]
    clean: bool
    step: int
    table: int
    values: tuple[float, ...]


class Named(NamedTuple):
    """A bot by docs/results.md, 4: its difference, half its interval, and whether it is named."""

    difference: float
    half: float
    named: bool


def second_meetings(blocks: list[Meeting]) -> dict[int, Named]:
    """By bot, from all blocks in the order of the schedule."""
    rows: dict[int, list[tuple[int, int, float]]] = {}
    firsts: dict[int, list[tuple[int, int, float]]] = {}
    met: dict[tuple[int, int], int] = {}
    for at, block in sorted(enumerate(blocks), key=lambda one: one[1].step):
        for bot in block.bots:
            met.setdefault((bot, block.deck), at)
    for at, block in enumerate(blocks):
        if block.clean:
            for bot, first, later in zip(block.bots, block.first, block.later, strict=True):
                d = later / (len(block.bots) - 1) - first
                rows.setdefault(bot, []).append((block.deck, block.life, d))
                if met[bot, block.deck] == at:
                    firsts.setdefault(bot, []).append((block.deck, block.life, d))
    shared = len({block.deck for block in blocks}) < len(blocks)
    risk = 0.01 / len(rows) / (3 if shared else 1)
    found = {}
    for bot, every in rows.items():
        mean, error, clusters = _mean(every, decks=shared)
        named = _above(mean, error, clusters, risk)
        if shared:
            named |= _above(*_mean(firsts.get(bot, []), decks=False), risk)
            named |= _above(*_later_tables(bot, blocks, met), risk)
        found[bot] = Named(mean, float(stdtrit(clusters - 1, 0.975)) * error, named)
    return found


def _later_tables(
    bot: int, blocks: list[Meeting], met: dict[tuple[int, int], int]
) -> tuple[float, float, int]:
    """The same of what later tables of a deck brought more than the first."""
    own = [
        (at, block, block.values[block.bots.index(bot)])
        for at, block in enumerate(blocks)
        if block.clean and bot in block.bots
    ]
    at_table: dict[int, list[float]] = {}
    for _, block, value in own:
        at_table.setdefault(block.table, []).append(value)
    mean = {table: math.fsum(values) / len(values) for table, values in at_table.items()}
    first: dict[int, tuple[int, float]] = {}
    later: dict[int, list[float]] = {}
    for at, block, value in own:
        rest = value - mean[block.table]
        if met[bot, block.deck] == at:
            first[block.deck] = (block.life, rest)
        else:
            later.setdefault(block.deck, []).append(rest)
    rows = [
        (deck, life, math.fsum(later[deck]) / len(later[deck]) - rest)
        for deck, (life, rest) in first.items()
        if deck in later
    ]
    difference, error, clusters = _mean(rows, decks=False)
    free = clusters - len(mean)
    if free < 1:
        return 0, 0, 0
    return difference, error * math.sqrt((clusters - 1) / free), free + 1


def _mean(rows: list[tuple[int, int, float]], *, decks: bool) -> tuple[float, float, int]:
    """The mean, its standard error, and the smaller number of clusters."""
    if not rows:
        return 0, 0, 0
    mean = math.fsum(d for _, _, d in rows) / len(rows)

    def variance(cluster: list[int]) -> tuple[float, int]:
        sums = dict.fromkeys(cluster, 0.0)
        for at, (_, _, d) in zip(cluster, rows, strict=True):
            sums[at] += d - mean
        count = len(sums)
        return sum(one**2 for one in sums.values()) * count / max(count - 1, 1), count

    of_lives, count = variance([life for _, life, _ in rows])
    if decks:
        of_decks, fewer = variance([deck for deck, _, _ in rows])
        single, _ = variance(list(range(len(rows))))
        of_lives = max(of_lives, of_decks, of_lives + of_decks - single)
        count = min(count, fewer)
    return mean, math.sqrt(of_lives) / len(rows), count


def _above(mean: float, error: float, clusters: int, risk: float) -> bool:
    likely = 0.5**clusters > risk
    return not likely and mean > float(stdtrit(clusters - 1, 1 - risk)) * error and mean > 0
