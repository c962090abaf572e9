"""Laws that every game obeys, whoever added it."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.events import Drew, Event
from protocol.messages import View
from referee.cards import Card
from referee.games import catalogue
from referee.plain import Layout, PlainGame, State
from referee.rules import Shown
from support.drive import one_deal, play
from support.leaks import hidden_from, leak, random_acts, unseen
from support.strategies import Chance, deals


@given(deals())
def test_points_are_conserved_and_a_deal_ends_within_its_most_acts(chance: Chance) -> None:
    """Whatever is played, all card points are somewhere at the end, and the end comes."""
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    acts = 0
    while game.to_move(state) is not None:
        state, _ = game.apply(state, dice.choice(game.legal(state)))
        acts += 1
    account, tally = game.account(state), game.tally(state)

    assert acts <= game.max_acts
    assert sum(account.points) == 120 == sum(trick.points for trick in account.tricks)
    assert sum(tally.values[side[0]] for side in account.sides) == 0
    assert all(len({tally.values[seat] for seat in side}) == 1 for side in account.sides)


@given(deals())
def test_there_is_always_a_legal_action_and_every_legal_action_applies(chance: Chance) -> None:
    """Until the end the seat to move has at least one action, none twice, and each works."""
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    while game.to_move(state) is not None:
        legal = game.legal(state)
        assert legal
        assert len(set(legal)) == len(legal)
        assert game.default(state) in legal
        state = dice.choice([game.apply(state, action)[0] for action in legal])


@given(deals())
def test_a_state_survives_the_way_to_bytes_and_back(chance: Chance) -> None:
    """State to bytes to state is the identity, at every moment of a deal."""
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    while True:
        again = msgspec.json.decode(msgspec.json.encode(state), type=type(state))
        assert state == again
        if game.to_move(state) is None:
            break
        state, _ = game.apply(state, dice.choice(game.legal(state)))


@given(deals())
def test_the_same_deck_and_actions_give_the_same_bytes(chance: Chance) -> None:
    """Nothing but the deck and the actions decides what anybody is told."""
    game = chance.game
    runs = []
    for _ in range(2):
        dice = random.Random(chance.dice)
        leg = one_deal(game, chance.deck, chance.dealer)
        runs.append(play(leg, lambda _, legal, dice=dice: dice.choice(legal)))  # type: ignore[misc]  # a bound default

    assert runs[0] == runs[1]


@given(deals(), st.data())
def test_the_view_is_what_the_events_add_up_to(chance: Chance, data: st.DataObject) -> None:
    """A seat's hand in its view is the hand that the all-seeing account gives it."""
    game, dice = chance.game, random.Random(chance.dice)
    seat = data.draw(st.integers(0, game.seats - 1))
    state, shown = game.deal(chance.deck, chance.dealer)
    view = game.see(game.opening(seat, chance.dealer), shown[seat])
    while game.to_move(state) is not None:
        places = game.hidden(state)
        secret = tuple(card for card in view.hand if card != view.turn_up)
        assert places[f"hand {seat}"] == secret
        assert game.account(state).points == view.points
        assert len(places["talon"]) + (view.talon > 0) == view.talon
        state, shown = game.apply(state, dice.choice(game.legal(state)))
        view = game.see(view, shown[seat])


@given(deals())
def test_no_seat_is_told_what_it_must_not_know(chance: Chance) -> None:
    """Rearranging the cards that a seat has not seen changes no byte that it is sent."""
    assert leak(chance.game, chance.deck, chance.dealer, chance.dice) is None


@given(deals(), st.data())
def test_what_a_game_calls_hidden_is_what_no_event_has_named(
    chance: Chance, data: st.DataObject
) -> None:
    """The leak law rests on `hidden`; a second opinion comes from the events themselves."""
    game = chance.game
    seat = data.draw(st.integers(0, game.seats - 1))
    acts = random_acts(game, chance.deck, chance.dealer, random.Random(chance.dice))
    args = (game, chance.deck, chance.dealer, acts, seat)

    assert unseen(*args) == hidden_from(*args)


@given(deals(), st.data())
def test_crashing_never_gives_more_than_any_legal_continuation(
    chance: Chance, data: st.DataObject
) -> None:
    """At any moment, giving up is worth no more than the worst that playing on could bring."""
    game, dice = chance.game, random.Random(chance.dice)
    seat = data.draw(st.integers(0, game.seats - 1))
    state, _ = game.deal(chance.deck, chance.dealer)
    for act in random_acts(game, chance.deck, chance.dealer, dice):
        state, _ = game.apply(state, act)
    given_up = game.forfeit(state, seat)
    for _ in range(5):
        later = state
        while game.to_move(later) is not None:
            later, _ = game.apply(later, dice.choice(game.legal(later)))
        played = game.tally(later)
        assert given_up.scores[seat] <= played.scores[seat]
        assert given_up.values[seat] <= played.values[seat]
        assert game.stakes.worst_score <= played.scores[seat]
        assert game.stakes.worst_value <= played.values[seat]


class _ShowsDraws(PlainGame):
    """A mutant: everybody sees what everybody draws."""

    def apply(self, state: State, action: str) -> tuple[State, Shown]:
        after, shown = super().apply(state, action)
        drawn = [
            event for events in shown for event in events if isinstance(event, Drew) and event.card
        ]

        def open_up(event: Event) -> Event:
            if isinstance(event, Drew):
                return next(draw for draw in drawn if draw.seat == event.seat)
            return event

        return after, tuple(tuple(map(open_up, events)) for events in shown)


class _ShowsNextCard(PlainGame):
    """A mutant: the trick's points tell, far behind the comma, which card is drawn next."""

    def apply(self, state: State, action: str) -> tuple[State, Shown]:
        after, shown = super().apply(state, action)
        if len(after.talon) < 2:
            return after, shown
        extra = Drew(99, after.talon[0])
        return after, tuple((*events, extra) for events in shown)

    def see(self, view: View, events: Any) -> View:
        return super().see(
            view, [event for event in events if event != Drew(99, getattr(event, "card", None))]
        )


class _TellsOfAces(PlainGame):
    """A mutant: one bit, whether the next seat holds an ace."""

    def apply(self, state: State, action: str) -> tuple[State, Shown]:
        after, shown = super().apply(state, action)
        if not after.hands[0]:
            return after, shown
        aces = [any(card[0] == "A" for card in hand) for hand in after.hands]
        return after, tuple(
            tuple(
                replace(event, by="")
                if hasattr(event, "by") and aces[(seat + 1) % self.seats]
                else event
                for event in events
            )
            for seat, events in enumerate(shown)
        )


class _SortsLegal(PlainGame):
    """A mutant: the order of `legal` depends on the next seat's hand."""

    def legal(self, state: State) -> tuple[Card, ...]:
        own = super().legal(state)
        other = state.hands[(self.to_move(state) or 0) - 1]
        return own if not other or other[0] < own[0] else own[::-1]


class _DealsOpenly(PlainGame):
    """A mutant: with the cards come those of the first seat."""

    def deal(self, deck: Any, dealer: int) -> tuple[State, Shown]:
        state, shown = super().deal(deck, dealer)
        return state, tuple((*shown[0], *events) for events in shown)


@pytest.mark.parametrize(
    "mutant", [_ShowsDraws, _ShowsNextCard, _TellsOfAces, _SortsLegal, _DealsOpenly]
)
def test_the_leak_law_catches_planted_mutants(mutant: type[PlainGame]) -> None:
    """A law that no mutant breaks would prove nothing."""
    game = mutant(Layout(seats=2, profile="it3"))
    dice = random.Random(1)
    decks = [tuple(dice.sample(game.pack, len(game.pack))) for _ in range(60)]

    assert any(leak(game, deck, 0, seed) for seed, deck in enumerate(decks))


def test_every_variant_names_its_caps() -> None:
    """Each game says how many acts a deal and how many deals a match can have at most."""
    for variant in catalogue().values():
        rules, _ = variant.rules_of({})
        assert rules.game.max_acts == len(rules.game.pack)
        assert rules.ending.max_deals == 50
