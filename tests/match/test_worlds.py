"""Decks that agree with what a seat knows: every one of them, each as likely, and no other."""

import random
from collections import Counter
from itertools import chain, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from referee.games import catalogue, find
from referee.match.chance import BlockKey
from referee.match.spread import spread
from referee.match.worlds import NoWorld, World, Worlds
from referee.rules.cards import Card
from support.leaks import played, random_acts, told, unseen
from support.strategies import Chance, any_options, deals, likely

_DRAWS_EACH = 40
_HIDDEN = 4


@given(deals(), st.data())
def test_a_seat_cannot_tell_a_world_from_the_deal(chance: Chance, data: st.DataObject) -> None:
    """In each of its worlds a seat is sent the same bytes."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    acts = random_acts(chance, chance.game)
    worlds = Worlds(chance.game, chance.deck, chance.dealer, acts, seat)
    before = told(chance.game, chance.deck, chance.dealer, acts)[seat]
    drawn = worlds.draw(BlockKey(str(chance.dice)))
    for _ in range(3):
        world = next(drawn)
        assert sorted(world.deck) == sorted(chance.deck)
        assert told(chance.game, world.deck, chance.dealer, list(world.acts))[seat] == before


@given(deals(), st.data())
def test_what_a_seat_has_not_seen_is_what_the_model_says(
    chance: Chance, data: st.DataObject
) -> None:
    """Worlds differ in no place of the deck that the seat has seen into, and in no fewer."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    acts = random_acts(chance, chance.game)
    deal = played(chance, acts)
    assert deal is not None
    hidden = Worlds(chance.game, chance.deck, chance.dealer, acts, seat).hidden
    if len(set(chance.deck)) == len(chance.deck) and "removed_two" not in chance.options:
        assert hidden == unseen(deal, seat)
    assert len(hidden) >= len(unseen(deal, seat))


def _late(game_id: str, seed: int) -> tuple[Chance, list[str], int] | None:
    """Return a deal of which a seat has not seen a few cards yet; None: it never comes to that."""
    dice = random.Random(seed)
    options = any_options(game_id, dice)
    game = find(game_id).rules_of(options)[0].game
    deck = tuple(dice.sample(game.pack, len(game.pack)))
    chance = Chance(game_id, options, deck, dice.randrange(game.seats), seed)
    state, _ = game.deal(deck, chance.dealer)
    acts: list[str] = []
    while game.to_move(state) is not None:
        seat = dice.randrange(game.seats)
        hidden = Worlds(game, deck, chance.dealer, acts, seat).hidden if len(acts) > 12 else []
        if 2 <= len(hidden) <= _HIDDEN:
            return chance, acts, seat
        acts.append(likely(game.legal(state), dice))
        game.apply(state, acts[-1])
    return None


def _all_worlds(
    chance: Chance, acts: list[str], seat: int, true: tuple[Card, ...], hidden: list[int]
) -> set[World]:
    """Return every deck that the seat cannot tell from the true one.

    That has the card that left the pack by chance at its bottom, as worlds have it.
    """
    before = told(chance.game, chance.deck, chance.dealer, acts)[seat]
    found = set()
    for order in set(permutations(true[place] for place in hidden)):
        deck = list(true)
        for place, card in zip(hidden, order, strict=True):
            deck[place] = card
        try:
            there = told(chance.game, deck, chance.dealer, acts)[seat]
        except AssertionError:  # an act is not legal there
            continue
        if there == before:
            found.add(World(tuple(deck), tuple(acts)))
    return found


@pytest.mark.parametrize("game_id", catalogue())
def test_every_deck_that_agrees_is_as_likely(game_id: str, many_cases: bool) -> None:
    """All of them are drawn, none else, and none more often than chance has it."""
    for seed in range(12 if many_cases else 2):
        late = _late(game_id, seed)
        if late is None:
            continue
        chance, acts, seat = late
        worlds = Worlds(chance.game, chance.deck, chance.dealer, acts, seat)
        expected = _all_worlds(chance, acts, seat, worlds._deck, worlds.hidden)
        drawn = worlds.draw(BlockKey(f"{game_id} {seed}"))
        counts = Counter(next(drawn) for _ in range(_DRAWS_EACH * len(expected)))
        assert set(counts) == expected
        distance = sum((count - _DRAWS_EACH) ** 2 / _DRAWS_EACH for count in counts.values())
        assert len(expected) == 1 or chi2.sf(distance, len(expected) - 1) > 1e-6


def test_suits_that_cannot_lie_somewhere_do_not_and_all_ways_are_as_likely() -> None:
    """Of three places without hearts and two without spades, all allowed ways come as often."""
    cards = [Card(name) for name in ("AH", "2H", "AS", "2S", "AD")]
    groups = {frozenset("H"): (0, 1, 2), frozenset("S"): (3, 4)}
    dice = random.Random(1)
    numbers = iter(lambda: dice.randrange(2**32), None)
    ways = Counter(tuple(chain.from_iterable(spread(groups, cards, numbers))) for _ in range(2400))
    expected = [
        order
        for order in permutations(cards)
        if all(card[1] != "H" for card in order[:3]) and all(card[1] != "S" for card in order[3:])
    ]
    assert set(ways) == set(expected)
    assert max(ways.values()) < 2 * 2400 / len(expected)


def test_cards_that_can_lie_nowhere_are_told() -> None:
    """More hearts than places for them is an error, not a deck."""
    groups = {frozenset("H"): (0,), frozenset("S"): (1,)}
    with pytest.raises(ValueError, match="nowhere"):
        spread(groups, [Card("AH"), Card("2H")], iter(range(100)))


def test_a_deal_that_nothing_agrees_with_has_no_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """After many tries it is said that none was found."""
    game = find("briscola-2").rules_of({})[0].game
    worlds = Worlds(game, game.pack, 0, [], 0)
    monkeypatch.setattr(Worlds, "_agrees", lambda *_: False)
    with pytest.raises(NoWorld, match="2,000 tries"):
        next(worlds.draw(BlockKey("x")))
