"""What taking luck out saves; run by hand.

    python tests/bench_luck.py [DECKS]

For each pair of bots: the variance of a mean deal value over so many deals, as a share of what it
is when every deck is played once: if the first bot plays each deck at every side in turn, if luck
is taken out, and with both. The second bot holds all other sides. They live in this process;
`slips` is `sample:greedy` that plays anything in one act of twenty.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from referee.games import find
from referee.match.luck import family_of, luck_of
from referee.rules.deal import DealState
from referee.rules.plain_game import PlainGame
from sample_bots import greedy_bot
from support.players import PLAYERS, Player, play_out

Floats = NDArray[np.float64]

GAMES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("briscola-2", {}),
    ("biscambiggia-2", {}),
    ("bisca-tres", {"seats": "2"}),
    ("bisca-sete", {"seats": "2"}),
    ("mariagio", {}),
    ("briscolone", {}),
    ("briscola-scoperta", {"seats": "2"}),
    ("briskula-dupla", {}),
    ("briscola-3", {}),
    ("briscola-4", {}),
    ("bisca-tres", {"seats": "4", "teams": "solo"}),
    ("briscola-6", {}),
    ("sueca", {}),
)
MAIN_PAIRS: Final = (
    ("greedy", "slips"),
    ("careful", "thrifty"),
    ("careful", "spender"),
    ("careful", "worst"),
    ("careful", "anything"),
    ("anything", "anything"),
)
OTHER_PAIRS: Final = (("greedy", "slips"), ("greedy", "careful"))


def greedy(game: PlainGame, told: dict[str, Any], slips: random.Random | None = None) -> Player:
    """`sample:greedy` on what its view would hold."""
    bots = greedy_bot.Table(told)

    def choose(state: DealState, legal: tuple[str, ...]) -> str:
        if slips is not None and slips.random() < 0.05:
            return slips.choice(legal)
        view = {
            "phase": "play",
            "seat": state.turn,
            "hand": list(state.hands[state.turn]),
            "trick": list(state.trick),
            "leader": state.leader,
            "trump": state.trump,
            "turn_up": state.turn_up,
            "talon": len(state.talon),
            "tricks": [list(trick.cards) for trick in state.tricks],
            "leaders": [trick.leader for trick in state.tricks],
        }
        return greedy_bot.choose(list(legal), view, bots)

    return choose


def makers(
    game_id: str, chosen: dict[str, str]
) -> tuple[PlainGame, dict[str, Callable[[], Player]]]:
    """The game, and its bots by name."""
    rules, _ = find(game_id).rules_of(chosen)
    game = rules.game
    assert isinstance(game, PlainGame)
    told = {"game": game_id, "options": rules.options, "seats": list(range(game.seats))}
    makers: dict[str, Callable[[], Player]] = {
        name: partial(make, game) for name, make in PLAYERS.items()
    }
    makers["greedy"] = partial(greedy, game, told)
    makers["slips"] = partial(greedy, game, told, random.Random(1))
    return game, makers


def blocks(
    game: PlainGame, one: Player, other: Player, deals: int, dice: random.Random
) -> tuple[Floats, Floats]:
    """Deal values and luck of `one`: a row a deck, a column for each side that it holds in turn."""
    values, luck = np.zeros((2, deals, len(game.partners)))
    for deal in range(deals):
        deck = dice.sample(game.pack, len(game.pack))
        for at, mine in enumerate(game.partners):
            players = [one if seat in mine else other for seat in range(game.seats)]
            played = play_out(game, deck, deal % game.seats, players)
            found = luck_of(played)
            assert found is not None
            values[deal, at] = played.by_seat[mine[0]]
            luck[deal, at] = found[mine[0]] / 1000
    return values, luck


def row(values: Floats, luck: Floats) -> str:
    """Mean, deviation of a deal, the shares, and the standard errors that the luck is off."""
    deals, sides = values.shape
    whole, less, mean_luck = values.var(), values - luck, luck.mean(axis=1)
    shares = [
        sides * values.mean(axis=1).var() / whole,
        less.var() / whole,
        sides * less.mean(axis=1).var() / whole,
    ]
    spread = mean_luck.std() / deals**0.5
    errors = mean_luck.mean() / spread if spread > 1e-9 else 0.0
    text = " ".join(f"{share:9.2f}" for share in shares)
    return f"{values.mean():7.2f} {whole**0.5:6.1f} {text} {errors:7.2f}"


def main(decks: int) -> None:
    """Prints a row a pair."""
    print(
        f"{'':58} {'mean':>7} {'sd':>6} {'duplicate':>9} {'adjusted':>9} {'both':>9} {'z luck':>7}"
    )
    for game_id, chosen in GAMES:
        game, bots = makers(game_id, chosen)
        for pair in MAIN_PAIRS if game_id == "briscola-2" else OTHER_PAIRS:
            name = f"{game_id} {' '.join(chosen.values())} ({family_of(game)}) {' v '.join(pair)}"
            one, other = (bots[bot]() for bot in pair)
            found = blocks(game, one, other, decks, random.Random(name))
            print(f"{name:58} {row(*found)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
