"""Bots that live in this process and read the state: quick enough for 100,000 deals.

They look at their own hand and at the table only. Games without an auction.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from referee.match.chance import BlockKey
from referee.match.leg import DealReason, DealResult, DealStart
from referee.rules.auction_game import AuctionGame
from referee.rules.cards import Card, strengths, worths
from referee.rules.deal import DealState
from referee.rules.game import Game
from referee.rules.layout import EqualCards
from referee.rules.plain_game import PlainGame
from referee.rules.tricks import beaters, winner

Player = Callable[[DealState, tuple[str, ...]], str]
"""Chooses one of what is legal."""

KEY = BlockKey("0" * 64)


class Sight:
    """What a player can tell of a card from its layout."""

    def __init__(self, game: PlainGame | AuctionGame) -> None:
        layout, strength = game.layout, strengths(game.layout.profile)
        last_wins = layout.equal_cards is EqualCards.LAST_WINS
        self.seats = game.seats
        self.worth = worths(layout.profile)
        self.side_of = {seat: at for at, side in enumerate(layout.sides) for seat in side}
        self.beaten_by = beaters(strength, last_wins=last_wins)

    def outlook(self, state: DealState, card: Card, keep: int) -> int:
        """The points that come or go as the trick stands then, less what the card is worth kept."""
        cost = keep + self.worth[card] if card[1] == state.trump else 0
        if not state.trick:
            return -2 * self.worth[card] - cost
        cards = (*state.trick, card)
        taker = (state.leader + winner(cards, self.beaten_by[state.trump])) % self.seats
        points = sum(self.worth[one] for one in cards)
        mine = self.side_of[taker] == self.side_of[state.turn]
        return (points if mine else -points) - cost


def _cards(legal: tuple[str, ...]) -> list[Card]:
    return [Card(action) for action in legal if len(action) == 2]


def careful(game: PlainGame, keep: int = 10) -> Player:
    """Takes what comes cheap; a trump costs it `keep`. Announces what it can."""
    sight = Sight(game)

    def choose(state: DealState, legal: tuple[str, ...]) -> str:
        for action in legal:
            if action.startswith(("exchange", "marry", "declare")):
                return action
        return max(_cards(legal), key=lambda card: sight.outlook(state, card, keep))

    return choose


def worst(game: PlainGame) -> Player:
    """Does what `careful` thinks least of."""
    sight = Sight(game)

    def choose(state: DealState, legal: tuple[str, ...]) -> str:
        return min(_cards(legal), key=lambda card: sight.outlook(state, card, 10))

    return choose


def throws_trumps(game: PlainGame) -> Player:
    """Gets rid of trumps first, then of points."""
    worth = worths(game.layout.profile)

    def choose(state: DealState, legal: tuple[str, ...]) -> str:
        return max(_cards(legal), key=lambda card: (card[1] == state.trump, worth[card]))

    return choose


def anything(game: PlainGame) -> Player:
    """Any legal action, announcements included."""
    dice = random.Random(game.seats)
    return lambda _, legal: dice.choice(legal)


PLAYERS: dict[str, Callable[[PlainGame], Player]] = {
    "careful": careful,
    "thrifty": lambda game: careful(game, 11),
    "spender": lambda game: careful(game, 3),
    "worst": worst,
    "throws trumps": throws_trumps,
    "anything": anything,
}


def play_out(
    game: Game[Any],  # every game has a state type of its own
    deck: Sequence[Card],
    dealer: int,
    players: Sequence[Player],
    gives_up: Callable[[DealState], bool] | None = None,
    *,
    bots: tuple[int, ...] = (),
) -> DealResult:
    """Plays a deal that stands alone.

    Args:
        game: its rules.
        deck: top card first.
        dealer: its seat.
        players: by seat.
        gives_up: when the seat to move faults, which ends the deal.
        bots: by seat; empty where each is the bot of its seat.
    """
    state, _ = game.deal(deck, dealer)
    reason, tally, acts = DealReason.PLAYED, None, list[tuple[int, str]]()
    while (seat := game.to_move(state)) is not None:
        if gives_up is not None and gives_up(state):
            reason, tally = DealReason.FAULT, game.forfeit(state, seat)
            break
        acts.append((seat, players[seat](state, game.legal(state))))
        game.apply(state, acts[-1][1])
    values, seats = (tally or game.tally(state)).values, tuple(range(game.seats))
    return DealResult(
        start=DealStart(1, KEY, tuple(deck), dealer, bots or seats, played=True),
        places=bots or seats,
        game=game,
        reason=reason,
        account=game.account(state),
        acts=tuple(acts),
        scores=tuple(values[side[0]] for side in game.partners),
        by_seat=values,
        faults=(),
        sent=(),
        times=(),
    )
