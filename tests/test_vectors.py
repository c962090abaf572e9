"""The vectors in tests/vectors, and that no variant is without them."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.cards import PROFILES, Suit, card, strengths, worths
from referee.course import Course, CoursePlan
from referee.games import catalogue, find
from referee.rules import Tally
from referee.scoring import DEAL_SCORINGS, tally
from referee.tricks import winner

FOLDER = Path(__file__).parent / "vectors"


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text())


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(game, case, id=f"{game}: {case['description']}")
        for game in catalogue()
        if (FOLDER / f"{game}.json").exists()  # else the test below says so
        for case in load(game)[kind]
    ]


def test_every_variant_has_vectors() -> None:
    """A variant without its file of deals and matches fails here."""
    for game in catalogue():
        assert (FOLDER / f"{game}.json").exists(), f"write tests/vectors/{game}.json"
        found = load(game)
        assert found["game"] == game
        assert found["deals"]
        assert found["matches"]


@pytest.mark.parametrize(("game_id", "case"), cases("deals"))
def test_deal(game_id: str, case: Any) -> None:
    """A deal of the vectors gives its turn-up, winners, points, scores and values."""
    game = find(game_id).rules_of(case["options"])[0].game
    state, _ = game.deal([card(code) for code in case["deck"]], case["dealer"])
    script = iter(()) if case["play"] == "first" else iter(case["play"])
    while game.to_move(state) is not None:
        state, _ = game.apply(state, next(script, game.legal(state)[0]))
    account, brought, expect = game.account(state), game.tally(state), case["expect"]
    leads = [side[0] for side in account.sides]

    assert account.turn_up == expect["turn_up"]
    assert [trick.winner for trick in account.tricks] == expect["winners"]
    assert list(account.points) == expect["points"]
    assert [brought.scores[seat] for seat in leads] == expect["scores"]
    assert [brought.values[seat] for seat in leads] == expect["values"]
    for trick, cards in zip(account.tricks, expect.get("first_tricks", ()), strict=False):
        assert list(trick.cards) == cards


@pytest.mark.parametrize(("game_id", "case"), cases("matches"))
def test_match(game_id: str, case: Any) -> None:
    """A match of the vectors is over when it should be, for whom, and why."""
    rules, _ = find(game_id).rules_of(case["options"])
    course = Course(
        CoursePlan(
            rules=rules,
            seating=tuple(range(rules.game.seats)),
            decks=None,
            dealer=0,
            on_fault=None,
        )
    )
    for points in case["deals"]:
        assert course.over is None
        scoring = "pennycook" if course.pair else case["options"].get("deal_scoring", "one")
        brought: Tally = tally(tuple(points), course.game.partners, DEAL_SCORINGS[scoring])
        course.close(brought, ())
    expect, over = case["expect"], course.over

    assert (over is not None) == expect["over"]
    assert (over and over.winner and list(over.winner)) == expect["winner"]
    assert (str(over.reason) if over else None) == expect["reason"]
    assert course.dealer == expect["next_dealer"]
    assert list(course.places) == expect["remaining"]


@pytest.mark.parametrize(
    "case", load("tricks")["tricks"], ids=lambda case: f"{case['cards']} {case['profile']}"
)
def test_trick(case: Any) -> None:
    """A trick of RULES 19.2 goes to the right card and holds the right points."""
    profile = PROFILES[case["profile"]]
    cards = [card(code) for code in case["cards"]]
    trump = None if case["trump"] is None else Suit(case["trump"])
    worth = worths(profile)

    assert winner(cards, trump, strengths(profile)) == case["winner"]
    assert sum(worth[one] for one in cards) == case["points"]


@pytest.mark.parametrize("case", load("scorings")["scorings"], ids=str)
def test_scoring(case: Any) -> None:
    """Card points of RULES 19.5 give the right game points."""
    assert DEAL_SCORINGS[case["scoring"]](tuple(case["points"])) == tuple(case["scores"])
