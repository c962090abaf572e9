"""The leak law of DESIGN 4, as a function that can be pointed at any game.

What a seat must not know comes from the model of the rules in `support.model`, never from the game
that is looked at.
"""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msgspec import to_builtins

from protocol.events import Called, Married
from protocol.messages import View
from referee.match.leg import Ask
from referee.match.verdict import OnFault, Verdict
from referee.rules.cards import Card
from referee.rules.game import Game
from support import model
from support.drive import CRASH, one_deal, play
from support.strategies import Chance, likely

_TRIES = 30


def told(game: Game[Any], deck: Sequence[Card], dealer: int, acts: list[str]) -> list[bytes]:
    """Every byte that each place is sent in a deal that is broken off by a fault after `acts`."""
    script = iter(acts)

    def choose(_: Ask, __: tuple[str, ...]) -> str | Verdict:
        return next(script, CRASH)

    _, sent = play(one_deal(game, deck, dealer, OnFault.END_DEAL), choose)
    return list(sent.values())


def random_acts(chance: Chance, game: Game[Any]) -> list[str]:
    """Any beginning of a deal."""
    dice = random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    acts: list[str] = []
    for _ in range(dice.randrange(game.max_acts + 1)):
        if game.to_move(state) is None:
            break
        acts.append(likely(game.legal(state), dice))
        game.apply(state, acts[-1])
    return acts


def modelled(chance: Chance) -> model.Deal:
    """The same deal in the model, before the first act."""
    options = {name: value for name, value in chance.options.items() if name != "seats"}
    deck = [str(card) for card in chance.deck]
    return model.Deal(chance.game_id, options, chance.game.seats, deck, chance.dealer)


def played(chance: Chance, acts: list[str]) -> model.Deal | None:
    """The same deal in the model after `acts`; None where they are not all legal."""
    deal = modelled(chance)
    for act in acts:
        if act not in deal.legal():
            return None
        deal.play(act)
    return deal


def unseen(deal: model.Deal, seat: int) -> list[int]:
    """The places in the deck whose cards this seat has not been shown."""
    return [at for at in range(len(deal.names)) if at not in deal.seen[seat]]


def rearranged(
    chance: Chance, acts: list[str], seat: int, dice: random.Random
) -> tuple[Chance, list[str]] | None:
    """The deal with the cards that a seat has not seen elsewhere, where the same acts are legal.

    Twos that lie covered change places with other twos only, and the acts that played them follow.
    """
    before = played(chance, acts)
    assert before is not None
    places = unseen(before, seat)
    hidden = {before.names[at] for at in places} if before.blind else set()
    covered = {act for act in acts if act in hidden}
    for _ in range(_TRIES):
        deck = list(chance.deck)
        twos = [at for at in places if covered and deck[at][0] == "2"]
        for group in (twos, [at for at in places if at not in twos]):
            moved = dice.sample(group, len(group))
            for at, source in zip(group, moved, strict=True):
                deck[at] = chance.deck[source]
        names = {str(chance.deck[at]): str(deck[at]) for at in twos}
        there = [names.get(act, act) if act in covered else act for act in acts]
        other = replace(chance, deck=tuple(deck))
        after = played(other, there)
        if after is not None and _looks_the_same(before, after):
            return other, there
    return None


def _looks_the_same(one: model.Deal, other: model.Deal) -> bool:
    """Whether nothing that is public by the rules came about differently."""
    return (one.to_move is None, one.to_move, one.seen, one.turn_up) == (
        other.to_move is None,
        other.to_move,
        other.seen,
        other.turn_up,
    )


def leak(chance: Chance, game: Game[Any] | None = None, seed: int = 0) -> str | None:
    """Rearranges what a seat has not seen; says what changed for that seat, if anything did."""
    game = game or chance.game
    dice = random.Random(seed)
    acts = random_acts(chance, game)
    seat = dice.randrange(game.seats)
    found = rearranged(chance, acts, seat, dice)
    if found is None:
        return None
    other, there = found
    before = told(game, chance.deck, chance.dealer, acts)[seat]
    after = told(game, other.deck, chance.dealer, there)[seat]
    if before == after:
        return None
    at = next(at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    return f"seat {seat} after {len(acts)} acts: ...{before[at - 60 : at + 20]!r}"


def named(game: Game[Any], chance: Chance, acts: list[str], seat: int) -> set[str]:
    """The cards that events have named to this seat as seen; a call is no sight of a card."""
    state, shown = game.deal(chance.deck, chance.dealer)
    events = list(shown[seat])
    for act in acts:
        shown = game.apply(state, act)
        events += shown[seat]
    found: set[str] = set()
    for event in events:
        if isinstance(event, Married):
            found |= {"K" + event.suit, "Q" + event.suit}
        elif not isinstance(event, Called):
            found |= _cards_in(to_builtins(event))
    return found


def in_view(view: View) -> set[str]:
    """The cards that a view says the seat has seen."""
    said = to_builtins(view)
    for key in ("called", "auction", "marriages", "signals"):
        said.pop(key, None)
    return _cards_in(said)


def _cards_in(value: object) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(_cards_in, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(_cards_in, value))
    if isinstance(value, str) and len(value) == 2 and value[1] in "HDCS" and value[0] != " ":
        return {value} if value[0] in "A23456789TJQK" else set()
    return set()
