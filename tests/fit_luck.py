"""Fits the numbers of `referee.match.luck` by least squares on self-play; run by hand.

    python tests/fit_luck.py [SCALE]

Plays deals of each family with `sample:greedy` at every seat, in this process, and explains their
deal values by what the classes of cards brought: a column is the luck that there would be if only
the cards of that class were worth something, and that one point. Prints the numbers, rounded to
tenths, and what part of the variance they explain in deals that they were not fitted to. It is
deterministic, until the bot or the rules change; SCALE multiplies the deals.
"""

import random
import sys
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from referee.games import find
from referee.match.luck import POINTS, Reckoner, Values, Worth, family_of
from referee.match.table import Table
from referee.rules.plain_game import PlainGame
from sample_bots import greedy_bot

Floats = NDArray[np.float64]

SOURCES: Final[tuple[tuple[str, dict[str, str], int], ...]] = (
    ("briscola-2", {}, 20000),
    ("biscambiggia-2", {}, 10000),
    ("bisca-tres", {}, 10000),
    ("bisca-sete", {}, 10000),
    ("bisca-nove", {}, 10000),
    ("mariagio", {}, 12000),
    ("briscolone", {}, 10000),
    ("briscola-3", {}, 8000),
    ("bisca-sete", {"seats": "3"}, 4000),
    ("briscola-4", {}, 8000),
    ("bisca-tres", {"seats": "4"}, 4000),
    ("bisca-tres", {"seats": "4", "teams": "solo"}, 4000),
    ("briskula-dupla", {}, 4000),
    ("briscola-6", {}, 4000),
    ("bisca-tres", {"seats": "6"}, 3000),
    ("bisca-tres", {"seats": "8"}, 3000),
    ("sueca", {}, 10000),
)
"""Games with their options, and how many deals of each; those of a family count alike."""

_UNIT: Final = 10
"""A point in the unit of the numbers."""


def columns() -> Iterator[Values]:
    """Value functions in which one class is worth a point, and all others are worth nothing.

    There is none for a plain card of nought: only differences count.
    """
    classes = len(POINTS)
    flat = [0] * (4 * classes)
    for at in range(len(flat)):
        if at % (2 * classes) != 2 * classes - 1:
            yield _values([*flat[:at], _UNIT, *flat[at + 1 :]])


def _values(flat: list[int]) -> Values:
    """A value function from its numbers: hand and draw, trumps and plain, by class."""
    parts = [tuple(flat[at : at + len(POINTS)]) for at in range(0, len(flat), len(POINTS))]
    return Values(Worth(parts[0], parts[1]), Worth(parts[2], parts[3]))


def deal_value(
    game: PlainGame, options: dict[str, Any], deck: list[Any], dealer: int
) -> tuple[Table, tuple[int, ...]]:
    """One deal between equal bots, and its values by seat."""
    table = Table(game, deck, dealer)
    bots = greedy_bot.Table(options)
    while (seat := table.to_move) is not None:
        view = msgspec.to_builtins(table.view(seat)[0])
        table.play(greedy_bot.choose(list(table.legal), view, bots))
    return table, table.tally().values


def sample(game_id: str, chosen: dict[str, str], deals: int) -> tuple[str, Floats, Floats]:
    """The family, what each class brought, and the deal values; a row a side, but for the last."""
    rules, _ = find(game_id).rules_of(chosen)
    game = rules.game
    assert isinstance(game, PlainGame)
    family = family_of(game)
    assert family is not None
    told = {"game": game_id, "options": rules.options, "seats": list(range(game.seats))}
    reckoners = [Reckoner(game.layout, values) for values in columns()]
    dice = random.Random(f"{game_id} {chosen}")
    rows, found = [], []
    for deal in range(deals):
        deck, dealer = dice.sample(game.pack, len(game.pack)), deal % game.seats
        table, values = deal_value(game, told, deck, dealer)
        tricks = table.account().tricks
        luck = [reckoner.luck(deck, dealer, tricks) for reckoner in reckoners]
        for side in game.partners[:-1]:
            rows.append([seats[side[0]] / 1000 for seats in luck])
            found.append(values[side[0]])
    return family, np.array(rows), np.array(found, float)


def solve(rows: Floats, values: Floats) -> Floats:
    """Least squares; a class that never comes gets nought."""
    return np.asarray(np.linalg.lstsq(rows, values, rcond=1e-9)[0], np.float64)


def explained(rows: Floats, values: Floats, numbers: Floats) -> float:
    """The part of the variance that is gone when luck is taken out."""
    return float(1 - (values - rows @ numbers).var() / values.var())


def main(scale: float) -> None:
    """Prints the numbers of every family."""
    families: dict[str, list[tuple[Floats, Floats]]] = {}
    for game_id, chosen, deals in SOURCES:
        family, rows, values = sample(game_id, chosen, int(scale * deals))
        half = len(values) // 2
        test = explained(rows[half:], values[half:], solve(rows[:half], values[:half]))
        print(f"{family:16} {game_id} {chosen}: alone {test:.3f}", file=sys.stderr, flush=True)
        spread = values.std() * len(values) ** 0.5
        families.setdefault(family, []).append((rows / spread, values / spread))
    for family, parts in families.items():
        rows = np.concatenate([part[0] for part in parts])
        values = np.concatenate([part[1] for part in parts])
        flat = [round(_UNIT * number) for number in solve(rows, values)]
        half = 2 * len(POINTS) - 1
        numbers = _values([*flat[:half], 0, *flat[half:], 0])
        print(f"    {family!r}: {numbers},")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
