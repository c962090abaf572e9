"""Random play of briscola-2: our rules beside bare lists of ints, in one run.

    python tests/bench_rules.py [DEALS]

Ours is `legal` and `apply`, as the table calls them, events for both seats included. The bare ones
know no cards but numbers, show nobody anything and forget every state: `object` has the same two
calls as we have and refuses what is not in the hand, `loop` is one function. They have no deuce
exchange: where all must play the same deals, ours leaves it out too.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from referee.games import find
from referee.rules.cards import Card
from referee.rules.game import Game

ROUNDS = 7


def game_of(**options: str) -> Game[Any]:
    """The game that is timed, with these options."""
    return find("briscola-2").rules_of(options)[0].game


def random_deal(deck: Sequence[Card], game: Game[Any], dice: random.Random) -> tuple[int, Any]:
    """Plays one deal at random by the rules that matches are played by.

    Returns:
        How many acts it had, and the last state.
    """
    acts, legal, apply, to_move, choice = 0, game.legal, game.apply, game.to_move, dice.choice
    state, _ = game.deal(tuple(deck), 0)
    while to_move(state) is not None:
        apply(state, choice(legal(state)))
        acts += 1
    return acts, state


DICE = random.Random(1)
WITH_EXCHANGE = game_of()
GAME = game_of(exchange_two="off")
NUMBER = {card: number for number, card in enumerate(GAME.pack)}
RANK = [card[0] for card in GAME.pack]
SUIT = ["HDCS".index(card[1]) for card in GAME.pack]
STRENGTH = ["2456 7JQK3A".replace(" ", "").index(rank) for rank in RANK]
WORTH = [{"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}.get(rank, 0) for rank in RANK]


def ours(deck: tuple[str, ...], game: Game[Any] = GAME) -> tuple[int, list[int]]:
    """One deal by the rules that matches are played by."""
    acts, state = random_deal(deck, game, DICE)  # type: ignore[arg-type]  # they are cards
    return acts, list(game.account(state).points)


def ours_with_exchange(deck: tuple[str, ...]) -> tuple[int, list[int]]:
    """The same by the usual rules of briscola."""
    return ours(deck, WITH_EXCHANGE)


class Bare:
    """A deal as lists of ints; an action changes it."""

    __slots__ = ("drawn", "hands", "leader", "points", "talon", "trick", "trump", "turn")

    def __init__(self, deck: list[int]) -> None:
        self.hands = [deck[1:6:2], deck[0:6:2]]
        self.trump = SUIT[deck[6]]
        self.talon = [*deck[7:], deck[6]]
        self.drawn = 0
        self.leader = self.turn = 1
        self.trick: list[int] = []
        self.points = [0, 0]

    def legal(self) -> list[int]:
        return self.hands[self.turn]

    def apply(self, card: int) -> None:
        hand = self.hands[self.turn]
        if card not in hand:
            raise ValueError
        hand.remove(card)
        self.trick.append(card)
        if len(self.trick) < 2:
            self.turn = 1 - self.turn
            return
        first, second = self.trick
        won = second_wins(first, second, self.trump)
        winner = 1 - self.leader if won else self.leader
        self.points[winner] += WORTH[first] + WORTH[second]
        if self.drawn < len(self.talon):
            self.hands[winner].append(self.talon[self.drawn])
            self.hands[1 - winner].append(self.talon[self.drawn + 1])
            self.drawn += 2
        self.leader = self.turn = winner
        self.trick = []


def second_wins(first: int, second: int, trump: int) -> bool:
    """Whether the second card of a trick takes it."""
    if SUIT[first] == SUIT[second]:
        return STRENGTH[second] > STRENGTH[first]
    return SUIT[second] == trump


def bare_object(deck: tuple[str, ...]) -> tuple[int, list[int]]:
    """One deal by calls of `legal` and `apply` over ints."""
    deal, acts = Bare([NUMBER[card] for card in deck]), 0  # type: ignore[index]  # they are cards
    while hand := deal.legal():
        deal.apply(DICE.choice(hand))
        acts += 1
    return acts, deal.points


def bare_loop(deck: tuple[str, ...]) -> tuple[int, list[int]]:
    """One deal in one function over ints."""
    cards = [NUMBER[card] for card in deck]  # type: ignore[index]  # they are cards
    hands, trump = [cards[1:6:2], cards[0:6:2]], SUIT[cards[6]]
    talon, drawn, leader, acts, points = [*cards[7:], cards[6]], 0, 1, 0, [0, 0]
    while hands[leader]:
        first = DICE.choice(hands[leader])
        hands[leader].remove(first)
        second = DICE.choice(hands[1 - leader])
        hands[1 - leader].remove(second)
        if second_wins(first, second, trump):
            leader = 1 - leader
        points[leader] += WORTH[first] + WORTH[second]
        if drawn < len(talon):
            hands[leader].append(talon[drawn])
            hands[1 - leader].append(talon[drawn + 1])
            drawn += 2
        acts += 2
    return acts, points


PLAYERS: dict[str, Callable[[tuple[str, ...]], tuple[int, list[int]]]] = {
    "ours": ours,
    "ours, exchange": ours_with_exchange,
    "bare object": bare_object,
    "bare loop": bare_loop,
}


def main(deals: int) -> None:
    """Prints actions a second, the median of interleaved rounds, and ours as a share."""
    decks = [tuple(DICE.sample(GAME.pack, 40)) for _ in range(deals)]
    rates: dict[str, list[float]] = {name: [] for name in PLAYERS}
    for deck in decks:
        results = []
        for deal in (ours, bare_object, bare_loop):
            DICE.seed(7)
            results.append(deal(deck))
        assert results[0] == results[1] == results[2], "they do not play the same game"
    for _ in range(ROUNDS):
        for name, play in PLAYERS.items():
            begun, acts = time.perf_counter(), 0
            for deck in decks:
                acts += play(deck)[0]
            rates[name].append(acts / (time.perf_counter() - begun))
    for name, found in rates.items():
        share = median(rates["ours"]) / median(found)
        print(f"{name:14} {median(found):>12,.0f} actions/s   ours is {share:.2f} of it")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
