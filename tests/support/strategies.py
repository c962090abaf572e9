"""Options and deals of every game: chosen by hypothesis, or rolled with dice."""

import random
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.games import catalogue, find
from referee.rules.cards import Card
from referee.rules.game import Game

NUMBERS = {"bid_min": ("62", "65", "119"), "bid_max": ("120", "100"), "bid_step": ("1", "5")}
"""What the tests try where an option takes any number."""

_NOT_OF_A_DEAL = ("match", "target", "void_keeps_dealer")


def choices(game_id: str) -> dict[str, tuple[str, ...]]:
    """The options of a game that change its deals, with the values to try."""
    return {
        option.name: NUMBERS.get(option.name, option.values)
        for option in find(game_id).options
        if option.name not in _NOT_OF_A_DEAL
    }


def makes_sense(game_id: str, options: dict[str, str]) -> bool:
    """Whether the game can be played so."""
    try:
        find(game_id).rules_of(options)
    except RefereeError:
        return False
    return True


@cache
def _tables(game_id: str) -> tuple[dict[str, str], ...]:
    seats = find(game_id).seats
    return ({},) if len(seats) == 1 else tuple({"seats": str(count)} for count in seats)


@cache
def option_sets(game_id: str) -> tuple[dict[str, str], ...]:
    """Every number of seats, and with each of them every value of every option by itself."""
    found = []
    for table in _tables(game_id):
        found.append(table)
        for name, values in choices(game_id).items():
            found += [{**table, name: value} for value in values if name != "seats"]
    return tuple(options for options in found if makes_sense(game_id, options))


def any_options(game_id: str, dice: random.Random) -> dict[str, str]:
    """Some of the options together, as dice will have it."""
    while True:
        options = dict(dice.choice(_tables(game_id)))
        for name, values in choices(game_id).items():
            if name != "seats" and dice.random() < 0.3:
                options[name] = dice.choice(values)
        if makes_sense(game_id, options):
            return options


def likely(legal: tuple[str, ...] | list[str], dice: random.Random) -> str:
    """A legal action; what is rare or leads on is chosen more often than its share."""
    rare = [action for action in legal if action.split()[0] in _RARE]
    if rare and dice.random() < 0.4:
        return dice.choice(rare)
    if "pass" in legal and dice.random() < 0.6:
        return "pass"
    pairs = [action for action in legal if action.startswith("call") and len(action) > 7]
    if pairs and dice.random() < 0.5:
        return dice.choice(pairs)
    return dice.choice(legal)


_RARE = ("blind", "suit", "marry", "exchange", "declare")


@dataclass(frozen=True)
class Chance:
    """A deal of some game, and dice for the choices in it."""

    game_id: str
    options: dict[str, str]
    deck: tuple[Card, ...]
    dealer: int
    dice: int

    @property
    def game(self) -> Game[Any]:
        """The rules of the deal."""
        return find(self.game_id).rules_of(self.options)[0].game


@st.composite
def deals(draw: st.DrawFn, games: tuple[str, ...] = tuple(catalogue())) -> Chance:
    """Any deal of any game under any options."""
    game_id = draw(st.sampled_from(games))
    seed = draw(st.integers(0, 2**32))
    options = any_options(game_id, random.Random(seed))
    game = find(game_id).rules_of(options)[0].game
    deck = list(game.pack)
    random.Random(seed).shuffle(deck)
    return Chance(
        game_id=game_id,
        options=options,
        deck=tuple(deck),
        dealer=draw(st.integers(0, game.seats - 1)),
        dice=draw(st.integers(0, 2**32)),
    )
