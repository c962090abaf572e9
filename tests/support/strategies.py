"""Hypothesis strategies: games with options, and deals of them."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from referee.cards import PROFILES, Card
from referee.games import catalogue, find
from referee.rules import Game

OPTION_SETS: dict[str, list[dict[str, str]]] = {
    game: [{}, *({"rank_profile": name} for name in PROFILES)] for game in catalogue()
}
for _game in ("briscola-2", "briscola-4", "briscola-6"):
    OPTION_SETS[_game] += [{"deal_scoring": "pennycook"}, {"deal_scoring": "cumulative"}]
for _game in ("briscola-3", "biscambiggia-3"):
    OPTION_SETS[_game] += [{"removed_two": suit} for suit in "HDC"]
OPTION_SETS["briscola-3"].append({"deal_scoring": "three_hand_40"})


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
    """Any deal of any game."""
    game_id = draw(st.sampled_from(games))
    options = draw(st.sampled_from(OPTION_SETS[game_id]))
    game = find(game_id).rules_of(options)[0].game
    return Chance(
        game_id=game_id,
        options=options,
        deck=tuple(draw(st.permutations(game.pack))),
        dealer=draw(st.integers(0, game.seats - 1)),
        dice=draw(st.integers(0, 2**32)),
    )
