"""The games against a second model of them, written from the rules alone."""

import random

import pytest

from referee.cards import Card
from referee.course import Course, CoursePlan
from referee.games import find
from referee.scoring import DEAL_SCORINGS, tally
from support import model
from support.strategies import OPTION_SETS

DEALS_EACH = 40

CASES = [
    pytest.param(game, options, id=f"{game} {options}")
    for game, sets in OPTION_SETS.items()
    for options in sets
]


@pytest.mark.parametrize(("game_id", "options"), CASES)
def test_random_deals_agree(game_id: str, options: dict[str, str]) -> None:
    """Winners, points, game points and deal values are the model's, deal after deal."""
    game = find(game_id).rules_of(options)[0].game
    dice = random.Random(f"{game_id} {options}")
    assert set(game.pack) == model.pack(game_id, options)
    for _ in range(DEALS_EACH):
        deck = dice.sample(game.pack, len(game.pack))
        dealer = dice.randrange(game.seats)
        acts: list[tuple[int, str]] = []

        def choose(seat: int, hand: list[str], acts: list[tuple[int, str]] = acts) -> str:
            acts.append((seat, dice.choice(hand)))
            return acts[-1][1]

        expected = model.play_deal(game_id, options, [str(one) for one in deck], dealer, choose)
        state, _ = game.deal(deck, dealer)
        for seat, action in acts:
            assert game.to_move(state) == seat
            state, _ = game.apply(state, Card(action))
        account, brought = game.account(state), game.tally(state)
        leads = [side[0] for side in account.sides]
        by_side = model.side_points(game_id, expected.points)

        assert game.to_move(state) is None
        assert expected.winners == [trick.winner for trick in account.tricks]
        assert expected.tricks == [list(trick.cards) for trick in account.tricks]
        assert expected.points == list(account.points)
        assert model.deal_scores(game_id, options, by_side) == [brought.scores[s] for s in leads]
        assert model.deal_values(by_side) == [brought.values[s] for s in leads]


ENDINGS = [
    ("biscambiggia-2", {}),
    ("biscambiggia-3", {}),
    ("biscambiggia-4", {}),
    ("biscambiggia-6", {"match": "deals:10"}),
    ("biscambiggia-2", {"void_keeps_dealer": "true", "match": "first-to:4"}),
    ("briscola-2", {"match": "best-of:5"}),
    ("briscola-2", {"deal_scoring": "pennycook"}),
    ("briscola-2", {"match": "points:3"}),
    ("briscola-3", {}),
    ("briscola-3", {"deal_scoring": "three_hand_40"}),
    ("briscola-3", {"deal_scoring": "three_hand_40", "target": "3", "void_keeps_dealer": "true"}),
    ("briscola-3", {"deal_scoring": "three_hand_40", "match": "deals:5"}),
    ("briscola-4", {"deal_scoring": "cumulative"}),
    ("briscola-6", {"deal_scoring": "cumulative", "target": "151"}),
]


def _points(sides: int, dice: random.Random) -> list[int]:
    """Card points by side, ties and sweeps more often than cards would give them."""
    if dice.random() < 0.3:
        return [120 // sides] * sides
    if dice.random() < 0.1:
        return dice.sample([120] + [0] * (sides - 1), sides)
    cuts = sorted(dice.randrange(121) for _ in range(sides - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, 120], strict=True)]


@pytest.mark.parametrize(("game_id", "options"), ENDINGS)
def test_random_matches_agree(game_id: str, options: dict[str, str]) -> None:
    """When a match is over, for whom, why, and who deals meanwhile is the model's answer."""
    rules, _ = find(game_id).rules_of(options)
    dice = random.Random(f"{game_id} {options}")
    for _ in range(150):
        seats = tuple(range(rules.game.seats))
        first = dice.choice(seats)
        course = Course(
            CoursePlan(rules=rules, seating=seats, decks=None, dealer=first, on_fault=None)
        )
        expected = model.Match(game_id, options)
        while not expected.over:
            assert course.over is None
            assert expected.dealer(first) == course.dealer
            assert expected.remaining == list(course.places)
            points = _points(len(course.game.partners), dice)
            scoring = "pennycook" if course.pair else options.get("deal_scoring", "one")
            expected.add(points)
            course.close(tally(tuple(points), course.game.partners, DEAL_SCORINGS[scoring]), ())
        over = course.over

        assert over is not None
        assert expected.winner == (over.winner and list(over.winner))
        assert expected.reason == str(over.reason)
