"""Fields of bots at tables of three and more that play real cards, with a friend of one or without.

All live in this process. Honest ones differ in how they play, as real ones do; who favours a friend
lays its best card on each trick that the friend holds, at a given part of such acts.
"""

import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from ladder.stats.favours import MatchGifts, match_gifts
from referee.match.gifts import Gift, gifts
from referee.rules.cards import Card
from referee.rules.deal import DealState
from referee.rules.plain_game import PlainGame
from referee.rules.tricks import winner
from support.players import Player, Sight, anything, careful, play_out, throws_trumps, worst

PART: Final = 5
"""Blocks of a match: the life of the processes."""


class Friend(Struct, frozen=True):
    """Who favours whom: bots by number, and at which part of the acts that could."""

    giver: int
    taker: int
    share: float


def moody(player: Player, part: float, dice: random.Random) -> Player:
    """Plays anything at a part of its acts."""
    return lambda state, legal: dice.choice(legal) if dice.random() < part else player(state, legal)


def honest(game: PlainGame, bots: int, dice: random.Random) -> list[Player]:
    """So many bots of all kinds, as dice will have it."""
    kinds: list[Callable[[], Player]] = [
        lambda: careful(game, dice.randrange(0, 31)),
        lambda: careful(game, dice.randrange(0, 31)),
        lambda: moody(careful(game, dice.randrange(0, 31)), dice.random() / 2, dice),
        lambda: anything(game),
        lambda: worst(game),
        lambda: throws_trumps(game),
    ]
    return [dice.choice(kinds)() for _ in range(bots)]


def favouring(
    game: PlainGame, player: Player, share: float, dice: random.Random, seat: list[int]
) -> Player:
    """Lays its best card on tricks that the friend at `seat[0]` holds, -1 for no friend there."""
    sight = Sight(game)

    def choose(state: DealState, legal: tuple[str, ...]) -> str:
        if seat[0] >= 0 and state.trick and dice.random() < share:
            beaten_by = sight.beaten_by[state.trump]

            def is_friends(*cards: Card) -> bool:
                taker = winner((*state.trick, *cards), beaten_by)
                return (state.leader + taker) % game.seats == seat[0]

            cards = [Card(one) for one in legal if len(one) == 2]
            if is_friends() and (left := [card for card in cards if is_friends(card)]):
                return max(left, key=lambda card: sight.worth[card])
        return player(state, legal)

    return choose


def field(
    game: PlainGame,
    players: Sequence[Player],
    blocks: int,
    dice: random.Random,
    friend: Friend | None = None,
) -> list[tuple[tuple[int, ...], MatchGifts]]:
    """The matches of all tables that so many bots can make, as `favours` takes them.

    Args:
        game: at whose tables each bot has a seat.
        players: the bots.
        blocks: how many each table plays, in matches of `PART`.
        dice: shuffle.
        friend: who favours whom.
    """
    seat, who = [-1], list(players)
    if friend is not None:
        giver = friend.giver
        who[giver] = favouring(game, players[giver], friend.share, dice, seat)
    deck, found = list(game.pack), []
    for table in combinations(range(len(players)), game.seats):
        for first in range(0, blocks, PART):
            given: list[Gift] = []
            for _ in range(first, min(first + PART, blocks)):
                dice.shuffle(deck)
                for turn in range(game.seats):
                    places = tuple((place + turn) % game.seats for place in range(game.seats))
                    sat = [table[place] for place in places]
                    there = friend is not None and {friend.giver, friend.taker} <= set(table)
                    seat[0] = sat.index(friend.taker) if friend is not None and there else -1
                    given += gifts(play_out(game, deck, 0, [who[bot] for bot in sat], bots=places))
            found.append((table, match_gifts(given)))
    return found
