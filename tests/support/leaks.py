"""The leak law of DESIGN 4, as a function that can be pointed at any game."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from referee.cards import Card
from referee.leg import Ask
from referee.rules import Game
from referee.verdict import OnFault, Verdict
from support.drive import CRASH, one_deal, play


def told(game: Game[Any], deck: Sequence[Card], dealer: int, acts: list[str]) -> list[bytes]:
    """Every byte that each place is sent in a deal that is broken off by a fault after `acts`."""
    script = iter(acts)

    def choose(_: Ask, __: tuple[str, ...]) -> str | Verdict:
        return next(script, CRASH)

    _, sent = play(one_deal(game, deck, dealer, OnFault.END_DEAL), choose)
    return list(sent.values())


def random_acts(
    game: Game[Any], deck: Sequence[Card], dealer: int, dice: random.Random
) -> list[str]:
    """Any beginning of a deal."""
    state, _ = game.deal(deck, dealer)
    acts: list[str] = []
    for _ in range(dice.randrange(game.max_acts + 1)):
        if game.to_move(state) is None:
            break
        acts.append(dice.choice(game.legal(state)))
        state, _ = game.apply(state, acts[-1])
    return acts


def unseen(
    game: Game[Any], deck: Sequence[Card], dealer: int, acts: list[str], seat: int
) -> set[str]:
    """The cards that no event has named to this seat."""
    state, shown = game.deal(deck, dealer)
    named = msgspec.json.encode(shown[seat]).decode()
    for act in acts:
        state, shown = game.apply(state, act)
        named += msgspec.json.encode(shown[seat]).decode()
    return {card for card in deck if f'"{card}"' not in named}


def hidden_from(
    game: Game[Any], deck: Sequence[Card], dealer: int, acts: list[str], seat: int
) -> set[str]:
    """The cards that the game itself says this seat cannot have seen."""
    state, _ = game.deal(deck, dealer)
    for act in acts:
        state, _ = game.apply(state, act)
    places = game.hidden(state)
    return {card for name, cards in places.items() if name != f"hand {seat}" for card in cards}


def leak(game: Game[Any], deck: Sequence[Card], dealer: int, seed: int) -> str | None:
    """Rearranges what a seat has not seen; says what changed for that seat, if anything did."""
    dice = random.Random(seed)
    acts = random_acts(game, deck, dealer, dice)
    seat = dice.randrange(game.seats)
    hidden = [card for card in deck if card in hidden_from(game, deck, dealer, acts, seat)]
    moved = iter(dice.sample(hidden, len(hidden)))
    other = tuple(next(moved) if card in hidden else card for card in deck)
    before = told(game, deck, dealer, acts)[seat]
    after = told(game, other, dealer, acts)[seat]
    if before == after:
        return None
    at = next(at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    return f"seat {seat} after {len(acts)} acts: ...{before[at - 60 : at + 20]!r}"
