"""The games against a second model of them, written from the rules alone."""

import random

import pytest

from referee.games import catalogue, find
from referee.match.leg_state import LegState
from referee.rules.game import Tally
from referee.rules.variants import MatchRules
from support import model
from support.drive import leg_plan
from support.strategies import any_options, likely


def _for_model(options: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in options.items() if name != "seats"}


@pytest.mark.parametrize("game_id", catalogue())
def test_random_deals_agree(game_id: str, many_cases: bool) -> None:
    """Under any options: whose turn it is, all that is legal in its order, and every result."""
    dice = random.Random(game_id)
    for _ in range(1000 if many_cases else 60):
        options = any_options(game_id, dice)
        game = find(game_id).rules_of(options)[0].game
        deck = dice.sample(game.pack, len(game.pack))
        dealer = dice.randrange(game.seats)
        expected = model.Deal(game_id, _for_model(options), game.seats, list(deck), dealer)
        state, _ = game.deal(deck, dealer)
        acts: list[str] = []
        while (seat := game.to_move(state)) is not None:
            legal = game.legal(state)
            assert seat == expected.to_move, (options, acts)
            assert list(legal) == expected.legal(), (options, acts)
            acts.append(likely(legal, dice))
            expected.play(acts[-1])
            game.apply(state, acts[-1])
        account, brought = game.account(state), game.tally(state)

        assert expected.to_move is None
        assert {
            "trump": account.trump,
            "turn_up": account.turn_up,
            "leaders": [trick.leader for trick in account.tricks],
            "winners": [trick.winner for trick in account.tricks],
            "tricks": [list(trick.cards) for trick in account.tricks],
            "trick points": [trick.points for trick in account.tricks],
            "points": list(account.points),
            "sides": [list(side) for side in account.sides],
            "auction": list(account.auction),
            "caller": account.caller,
            "called": list(account.called),
            "pledge": account.pledge or 0,
            "scores": list(brought.scores),
            "values": list(brought.values),
            "counted": brought.counted,
        } == {
            "trump": expected.trump,
            "turn_up": expected.turn_up,
            "leaders": expected.leaders,
            "winners": expected.winners,
            "tricks": expected.tricks,
            "trick points": expected.trick_points,
            "points": expected.points,
            "sides": expected.sides,
            "auction": expected.auction,
            "caller": expected.caller,
            "called": expected.called,
            "pledge": expected.pledge,
            "scores": expected.scores(),
            "values": expected.values(),
            "counted": expected.counted,
        }, (options, acts)


ENDINGS: list[tuple[str, dict[str, str]]] = [
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
    ("briscola-scoperta", {"seats": "3", "deal_scoring": "three_hand_40"}),
    ("briscola-scoperta", {"seats": "4"}),
    ("briscolone", {}),
    ("briscolone", {"deal_scoring": "one"}),
    ("briskula-4", {}),
    ("briskula-dupla", {}),
    ("brisca-6", {"deal_scoring": "pennycook"}),
    ("bisca-tres", {"seats": "2"}),
    ("bisca-sete", {"seats": "3", "bisca_scale": "91_120"}),
    ("bisca-nove", {"seats": "6", "teams": "pairs", "bisca_scale": "82_all"}),
    ("bisca-nove", {"seats": "8", "match": "deals:7"}),
    ("mariagio", {}),
    ("mariagio", {"target": "500"}),
    ("sueca", {}),
    ("sueca", {"sueca_tie_bonus": "next_plus_one", "target": "10"}),
    ("sueca", {"sueca_tie_bonus": "next_plus_one", "void_keeps_dealer": "true"}),
    ("auction-biscambiggia", {}),
    ("auction-biscambiggia", {"opener_must_bid": "false", "match": "deals:10"}),
    ("briscola-chiamata-rank", {}),
    ("briscola-chiamata-points", {"all_pass": "redeal_next_double"}),
    ("briscola-chiamata-mixed", {"match": "deals:5", "void_keeps_dealer": "true"}),
    ("sueca-italiana", {"target": "5"}),
]


def _scores(game_id: str, seats: int, sides: int, dice: random.Random) -> list[int]:
    """Game points by side as the game could bring them, ties and voids more often."""
    if seats == 5:
        caller, times = dice.randrange(5), dice.choice([0, 1, 1, -1, -1, 2, -2])
        partner = dice.choice([other for other in range(5) if other != caller])
        if game_id == "sueca-italiana":
            lost = -min(times, 0)
            return [times if seat in (caller, partner) else lost for seat in range(5)]
        return [times * {caller: 2, partner: 1}.get(seat, -1) for seat in range(5)]
    won = dice.randrange(sides + 1)
    return [dice.choice([1, 1, 1, 2, 4]) if side == won else 0 for side in range(sides)]


def _points(sides: int, dice: random.Random) -> list[int]:
    """Card points by side, ties and sweeps more often than cards would give them."""
    if dice.random() < 0.3:
        return [120 // sides] * sides
    if dice.random() < 0.1:
        return dice.sample([120] + [0] * (sides - 1), sides)
    cuts = sorted(dice.randrange(121) for _ in range(sides - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, 120], strict=True)]


def _deal(game_id: str, rules: MatchRules, course: LegState, dice: random.Random) -> Tally:
    """A deal that the cards could bring, made up."""
    sides = course.game.partners
    points = _points(len(sides), dice)
    scores = _scores(game_id, rules.game.seats, len(sides), dice)
    scoring = "pennycook" if course.pair else rules.options.get("deal_scoring", "")
    if scoring == "cumulative" or game_id == "mariagio":
        scores = points
    elif scoring == "one":
        scores = [int(mine > 120 // len(points) and mine == max(points)) for mine in points]
        scores = scores if sum(scores) == 1 else [0] * len(scores)
    elif scoring == "pennycook":
        scores = [3 if mine == 120 else 2 if mine > 90 else int(mine > 60) for mine in points]
    elif scoring == "three_hand_40":
        over = sum(mine > 40 for mine in points)
        scores = [0 if mine <= 40 else 3 if mine == 120 else 3 - over for mine in points]
    of = {seat: side for side, seats in enumerate(sides) for seat in seats}
    by_seat = range(len(of))
    return Tally(
        tuple(points[of[seat]] for seat in by_seat),
        tuple(scores[of[seat]] for seat in by_seat),
        tuple(0 for _ in by_seat),
        counted=len(of) != 5 or any(scores) or dice.random() < 0.5,
    )


@pytest.mark.parametrize(("game_id", "options"), ENDINGS)
def test_random_matches_agree(game_id: str, options: dict[str, str]) -> None:
    """When a match is over, for whom, why, who deals, and what the next deal is worth."""
    rules, _ = find(game_id).rules_of(options)
    dice = random.Random(f"{game_id} {options}")
    for _ in range(100):
        seats = tuple(range(rules.game.seats))
        first = dice.choice(seats)
        course = LegState(leg_plan(rules, dealer=first))
        expected = model.Match(game_id, _for_model(options), rules.game.seats)
        while not expected.over:
            assert course.over is None
            assert expected.dealer(first) == course.dealer
            assert expected.remaining == list(course.places)
            assert (expected.times, expected.plus) == (course.worth.times, course.worth.plus)
            brought = course.close(_deal(game_id, rules, course, dice), ())
            expected.add(list(brought.scores), list(brought.points), brought.counted)
        over = course.over

        assert over is not None
        assert expected.winner == (over.winner and list(over.winner))
        assert expected.reason == str(over.reason)
