"""The rules alone, and the proof of a record: no process but this one."""

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.bench.matches import GAME
from referee.errors import HostError
from referee.games import find
from referee.record.reader import RecordReader
from referee.record.verify import Resimulation
from referee.rules.cards import Card
from referee.rules.game import Game


def game_of(**options: str) -> Game[Any]:
    """The game that is timed, with these options."""
    return find(GAME).rules_of(options)[0].game


def random_deal(deck: Sequence[Card], game: Game[Any], dice: random.Random) -> tuple[int, Any]:
    """Plays one deal at random by the rules that matches are played by.

    Returns:
        How many acts it had, and the last state.
    """
    acts, legal, apply, to_move, choice = 0, game.legal, game.apply, game.to_move, dice.choice
    state, _ = game.deal(tuple(deck), 0)
    while to_move(state) is not None:
        state, _ = apply(state, choice(legal(state)))
        acts += 1
    return acts, state


def acts_a_second(game: Game[Any], deals: int) -> float:
    """How many acts of random play the rules carry out in a second."""
    dice = random.Random(1)  # noqa: S311  # dice for play, not secrets
    decks = [dice.sample(game.pack, len(game.pack)) for _ in range(deals)]
    begin, acts = time.perf_counter(), 0
    for deck in decks:
        acts += random_deal(deck, game, dice)[0]
    return acts / (time.perf_counter() - begin)


def proof(record: Path) -> tuple[float, float]:
    """Verifies a record; returns microseconds an act, and deals a second.

    Raises:
        HostError: it does not hold, though it was just written.
    """
    begin, deals, acts = time.perf_counter(), 0, 0
    with RecordReader(record) as reader:
        found = Resimulation(reader)
        for deal in found.deals():
            deals += 1
            acts += len(deal.acts)
    seconds = time.perf_counter() - begin
    if found.unfinished is not None:
        raise HostError(f"bench: the record of a match that was just played: {found.unfinished}")
    return seconds * 1e6 / acts, deals / seconds
