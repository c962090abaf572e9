"""Laws that every game obeys under all its options, whoever added it."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import catalogue, find
from referee.match.leg import Ask, DealResult
from referee.match.verdict import OnFault, Verdict
from referee.rules.cards import Card
from referee.rules.game import best_value
from referee.rules.views import apply_events
from support.drive import CRASH, one_deal, play
from support.leaks import in_view, leak, modelled, named, played, random_acts, told, unseen
from support.strategies import Chance, deals, likely, option_sets


@given(deals())
def test_points_are_conserved_and_a_deal_ends_within_its_most_acts(chance: Chance) -> None:
    """Whatever is played, all card points are somewhere at the end, and the end comes."""
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    acts = 0
    while game.to_move(state) is not None:
        game.apply(state, likely(game.legal(state), dice))
        acts += 1
    account, tally = game.account(state), game.tally(state)
    packs = len(game.pack) // 60 + 1
    cards = sum(trick.points for trick in account.tricks)
    whole = sum(len(trick.cards) for trick in account.tricks) >= len(game.pack) - 1

    assert acts <= game.max_acts
    assert cards == 120 * packs or not whole
    assert sum(account.points) - cards in range(0, 101, 20)
    assert sorted(seat for side in account.sides for seat in side) == list(range(game.seats))
    if game.partners == account.sides:
        assert sum(tally.values[side[0]] for side in account.sides) == 0
        assert all(len({tally.values[seat] for seat in side}) == 1 for side in account.sides)
    elif chance.game_id != "sueca-italiana":  # whose defenders win without the caller losing it
        assert sum(tally.values) == 0  # what a stand-in took follows from the others


@given(deals())
def test_there_is_always_a_legal_action_and_every_legal_action_applies(chance: Chance) -> None:
    """Until the end the seat to move has at least one of the game's actions, none twice.

    What is done in a branch of the deal changes no other.
    """
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    actions = game.actions
    assert len(set(actions)) == len(actions)
    while game.to_move(state) is not None:
        legal = game.legal(state)
        assert legal
        assert len(set(legal)) == len(legal)
        assert game.default(state) in legal
        assert set(legal) <= set(actions)
        before = msgspec.json.encode(state)
        for action in legal:
            game.apply(game.copy(state), action)
            assert msgspec.json.encode(state) == before
        game.apply(state, likely(legal, dice))


@given(deals())
def test_what_is_played_by_default_announces_nothing(chance: Chance) -> None:
    """For a seat at fault the referee passes or plays a card, and calls only where it must."""
    game, dice = chance.game, random.Random(chance.dice)
    state, _ = game.deal(chance.deck, chance.dealer)
    while game.to_move(state) is not None:
        default, legal = game.default(state), game.legal(state)
        cards = [action for action in legal if len(action) == 2]
        passing = [action for action in legal if action == "pass"]
        assert default in (passing or cards or legal)
        assert default == legal[0]  # what `sample:first` plays
        game.apply(state, likely(legal, dice))


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
        game.apply(state, likely(game.legal(state), dice))


@given(deals())
def test_the_same_deck_and_actions_give_the_same_bytes(chance: Chance) -> None:
    """Nothing but the deck and the actions decides what anybody is told."""
    game = chance.game
    runs = []
    for _ in range(2):
        dice = random.Random(chance.dice)
        leg = one_deal(game, chance.deck, chance.dealer)
        runs.append(play(leg, lambda _, legal, dice=dice: likely(legal, dice)))  # type: ignore[misc]  # a bound default

    assert runs[0] == runs[1]


@given(deals(), st.data())
def test_the_view_is_what_the_events_add_up_to(chance: Chance, data: st.DataObject) -> None:
    """A seat's view has the hand, trick, points, phase and announcements that the model has."""
    game, dice, deal = chance.game, random.Random(chance.dice), modelled(chance)
    seat = data.draw(st.integers(0, game.seats - 1))
    state, shown = game.deal(chance.deck, chance.dealer)
    view = game.opening(seat, chance.dealer)
    apply_events(view, shown[seat])
    while game.to_move(state) is not None:
        assert list(view.hand) == deal.hand_names(seat)
        assert list(view.points) == deal.points
        assert list(map(list, view.tricks)) == deal.tricks
        assert list(view.leaders) == deal.leaders
        assert view.talon == len(deal.talon)
        assert view.trump == deal.trump
        assert list(view.auction) == deal.auction
        assert list(view.called) == deal.called
        assert view.phase == deal.phase
        if deal.phase == "play":
            assert view.leader == deal.leader
            assert len(view.trick) == len(deal.trick)
        action = likely(game.legal(state), dice)
        deal.play(action)
        shown = game.apply(state, action)
        apply_events(view, shown[seat])


@given(deals())
def test_no_seat_is_told_what_it_must_not_know(chance: Chance) -> None:
    """Rearranging the cards that a seat has not seen changes no byte that it is sent."""
    assert leak(chance, seed=chance.dice) is None


@pytest.mark.parametrize("game_id", catalogue())
def test_no_option_of_any_game_leaks(game_id: str, many_cases: bool) -> None:
    """The same for each seating and each value of each option by itself."""
    for number, options in enumerate(option_sets(game_id)):
        game = find(game_id).rules_of(options)[0].game
        for turn in range(5 if many_cases else 1):
            dice = random.Random(5 * number + turn)
            deck = tuple(dice.sample(game.pack, len(game.pack)))
            dealer = turn % game.seats
            chance = Chance(game_id, options, deck, dealer, dice.randrange(2**32))
            assert leak(chance, seed=turn) is None, options


def test_a_covered_two_that_is_led_shows_no_suit_by_what_is_legal() -> None:
    """Whatever two lies there, the next seat may play any card, though suits must be followed."""
    options = {"follow": "must", "blind_first_trick": "on"}
    game = find("sueca-italiana").rules_of(options)[0].game
    rest = [card for card in game.pack if card not in ("2C", "2S")]
    sent_to_the_next = set()
    for led, held_by_another in (("2C", "2S"), ("2S", "2C")):
        deck = [Card(led), *rest[:29], Card(held_by_another), *rest[29:]]
        acts = ["bid 61", *["pass"] * 4, "blind", led]
        sent_to_the_next.add(told(game, deck, 4, acts)[1])
    assert len(sent_to_the_next) == 1


@given(deals(), st.data())
def test_a_seat_is_told_all_that_it_may_know(chance: Chance, data: st.DataObject) -> None:
    """What the rules let a seat see is just what events have named, and what its view holds."""
    game = chance.game
    seat = data.draw(st.integers(0, game.seats - 1))
    acts = random_acts(chance, game)
    deal = played(chance, acts)
    assert deal is not None
    seen = {deal.names[at] for at in range(len(deal.names))} - {
        deal.names[at] for at in unseen(deal, seat)
    }
    seen |= {deal.names[at] for at in deal.seen[seat]}
    view = game.opening(seat, chance.dealer)
    state, shown = game.deal(chance.deck, chance.dealer)
    apply_events(view, shown[seat])
    for act in acts:
        shown = game.apply(state, act)
        apply_events(view, shown[seat])

    assert named(game, chance, acts, seat) == seen
    assert in_view(view) == seen


@given(deals(), st.data())
def test_crashing_never_gives_more_than_any_legal_continuation(
    chance: Chance, data: st.DataObject
) -> None:
    """At any moment, giving up is worth no more than the worst that playing on could bring."""
    game, dice = chance.game, random.Random(chance.dice)
    seat = data.draw(st.integers(0, game.seats - 1))
    state, _ = game.deal(chance.deck, chance.dealer)
    for act in random_acts(chance, game):
        game.apply(state, act)
    given_up = game.forfeit(state, seat)
    for _ in range(5):
        later = game.copy(state)
        while game.to_move(later) is not None:
            game.apply(later, likely(game.legal(later), dice))
        brought = game.tally(later)
        assert given_up.scores[seat] <= brought.scores[seat]
        assert given_up.values[seat] <= brought.values[seat]
        assert game.stakes.worst_score <= brought.scores[seat]
        assert game.stakes.worst_value <= brought.values[seat] <= best_value(game)


def test_every_variant_names_its_caps() -> None:
    """Each game says how many acts a deal and how many deals a match can have at most."""
    for variant in catalogue().values():
        rules, _ = variant.rules_of({})
        assert len(rules.game.pack) <= rules.game.max_acts <= len(rules.game.pack) + 80
        assert rules.ending.max_deals == 50


@given(deals(), st.data())
def test_a_fault_brings_the_others_what_a_legal_action_would(
    chance: Chance, data: st.DataObject
) -> None:
    """Just what they had if the bot at fault had played the first legal action from there on."""
    seat = data.draw(st.integers(0, chance.game.seats - 1))
    acts = data.draw(st.integers(0, 12))

    def deal(at_fault: str | Verdict) -> DealResult:
        leg = one_deal(chance.game, chance.deck, chance.dealer, OnFault.PLAY_ON)

        def choose(ask: Ask, legal: tuple[str, ...]) -> str | Verdict:
            done = len(leg.deal.table.acts)
            if ask.place == seat and done >= acts:
                return at_fault or legal[0]
            return likely(legal, random.Random(f"{chance.dice} {done}"))

        return play(leg, choose)[0][0]

    faulty, legal = deal(CRASH), deal("")
    worst = chance.game.stakes.worst_value
    assert faulty.acts == legal.acts
    assert faulty.by_cards == legal.by_cards == legal.by_seat
    for other, value in enumerate(legal.by_seat):
        charged = other == seat and faulty.faults
        assert faulty.by_seat[other] == (worst if charged else value)
