"""sample:greedy plays and bids sensibly in every game: within `legal`, better than random."""

import random
from statistics import fmean, stdev

import msgspec
import pytest

from referee.games import catalogue, find
from referee.match.table import Table
from sample_bots import greedy_bot
from support.strategies import any_options

DECKS = 150
SURE = 2.58
"""Standard errors of a two-sided interval of 99 %."""


def deal_value(game_id: str, options: dict[str, str], dice: random.Random, sides: int) -> list[int]:
    """The deal value of greedy, who holds each side in turn of the same deck against random."""
    rules, _ = find(game_id).rules_of(options)
    game, dealer = rules.game, dice.randrange(rules.game.seats)
    deck = dice.sample(game.pack, len(game.pack))
    deal = {"game": game_id, "options": rules.options, "seats": list(range(game.seats))}
    values = []
    for mine in game.partners[:sides]:
        table, bot = Table(game, deck, dealer), greedy_bot.Table(deal)
        while (seat := table.to_move) is not None:
            action = dice.choice(table.legal)
            if seat in mine:
                view = msgspec.json.decode(msgspec.json.encode(table.view(seat)[0]))
                action = greedy_bot.choose(list(table.legal), view, bot)
                assert action in table.legal, (game_id, options)
            table.play(action)
        values.append(table.tally().values[mine[0]])
    return values


@pytest.mark.parametrize("game_id", catalogue())
def test_greedy_stays_within_legal_under_any_options(game_id: str) -> None:
    """No choice of options makes it raise, or answer what is not offered."""
    dice = random.Random(game_id)
    for _ in range(8):
        deal_value(game_id, any_options(game_id, dice), dice, 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game_id", "seats"), [(game, seats) for game in catalogue() for seats in find(game).seats]
)
def test_greedy_is_better_than_random(game_id: str, seats: int) -> None:
    """Its mean deal value is above nought, with the whole of the interval of 99 %."""
    dice = random.Random(f"{game_id} {seats}")
    options = {"seats": str(seats)} if len(find(game_id).seats) > 1 else {}
    means = [fmean(deal_value(game_id, options, dice, 9)) for _ in range(DECKS)]

    assert fmean(means) - SURE * stdev(means) / DECKS**0.5 > 0
