"""The vectors in tests/vectors, and that no variant is without them.

A file holds, for one variant:

deals: `play` is "first", for the first legal action time and again, or a list of actions, after
which the first legal action is played; with `stop` the deal is left there. `steps` say what holds
`at` so many actions: all that is `legal`, or its `number`, what it `includes`, what is `illegal`,
who is `to_move`, and what is in the `view` of a seat. `expect` says what holds at the end; points
are by seat, scores and values by side, or by seat where there are as many of them as seats.
matches: what each deal brings, as card points by side (`deals`), or as scores and points by seat
(`tallies`); and what then is true of the match.
perft: how many sequences of 1, 2, 3 ... legal actions there are `after` some actions; where all of
them are followed to their `ends`, how many deals that makes, and what they bring in sum.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.errors import RefereeError
from referee.games import catalogue, find
from referee.match.leg_state import LegState
from referee.match.table import IllegalAction, Table
from referee.rules.cards import PROFILES, Card, Suit, card, strengths, worths
from referee.rules.contract import Capot, Contract, Pay, Payment, pay
from referee.rules.deal_scoring import SCORINGS, DealOutcome, tally
from referee.rules.game import DealAccount, Game, Tally
from referee.rules.tricks import beaters, winner
from referee.rules.variants import Variant
from support.drive import leg_plan

FOLDER = Path(__file__).parents[1] / "vectors"
AT_THE_END = {"turn_up", "winners", "points", "scores", "values"}
"""What is said of every deal that is played to its end."""

AFTER_AN_AUCTION = AT_THE_END | {"sides", "auction", "caller", "pledge", "called", "counted"}


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text())


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(game, case, id=f"{game}: {case['description']}")
        for game in catalogue()
        if (FOLDER / f"{game}.json").exists()  # else the test below says so
        for case in load(game).get(kind, ())
    ]


def listed(told: Any, between: str) -> list[str]:
    """A list, or a text with something between its items."""
    return [one for one in told.split(between) if one] if isinstance(told, str) else list(told)


def deck_of(case: Any) -> list[Card]:
    return [card(code) for code in listed(case["deck"], " ")]


@pytest.mark.parametrize("game", catalogue())
def test_every_variant_has_vectors(game: str) -> None:
    """A variant without its file of deals, matches and counts fails here."""
    assert (FOLDER / f"{game}.json").exists(), f"write tests/vectors/{game}.json"
    found = load(game)
    assert set(found) == {"game", "deals", "matches", "perft"}
    assert found["game"] == game
    for kind in ("deals", "matches", "perft"):
        names = [case["description"] for case in found[kind]]
        assert names
        assert len(set(names)) == len(names), "two cases have the same description"


@pytest.mark.parametrize("game", catalogue())
def test_every_number_of_seats_and_every_choice_has_a_vector(game: str) -> None:
    """Whatever can be chosen is chosen in some deal or match of the variant's file."""
    found, variant = load(game), find(game)
    chosen = [case["options"] for kind in ("deals", "matches") for case in found[kind]]
    for option in variant.options:
        values = [options.get(option.name, option.default) for options in chosen]
        for value in option.values:
            pattern = re.escape(value).replace("N", "[0-9]+")
            seen = any(re.fullmatch(pattern, one or "") for one in values)
            assert seen or not can_be(variant, option.name, value), f"{option.name}={value}"


def can_be(variant: Variant, name: str, value: str) -> bool:
    """Whether an option can be this at some table, where no other option stands against it."""
    for seats in variant.seats:
        table = {"seats": str(seats)} if len(variant.seats) > 1 else {}
        with suppress(RefereeError):
            return bool(variant.rules_of({**table, name: value.replace("N", "100")}))
    return False


@pytest.mark.parametrize(("game_id", "case"), cases("deals"))
def test_deal(game_id: str, case: Any) -> None:
    """A deal of the vectors allows what it should on its way, and ends as it should."""
    game = find(game_id).rules_of(case["options"])[0].game
    table = Table(game, deck_of(case), case["dealer"])
    play(table, case)
    facts = facts_of(table)
    facts["first_tricks"] = facts["first_tricks"][: len(case["expect"].get("first_tricks", ()))]
    expect = {key: written_out(key, told, facts["sides"]) for key, told in case["expect"].items()}

    assert table.to_move is None or case.get("stop")
    assert {key: facts[key] for key in expect} == expect
    if not case.get("stop"):
        assert set(expect) >= (AFTER_AN_AUCTION if facts["auction"] else AT_THE_END)


def play(table: Table, case: Any) -> None:
    """Plays the case's actions, with a look at each of its steps."""
    actions = [] if case["play"] == "first" else listed(case["play"], ", ")
    steps = case.get("steps", [])
    for at in count():
        for step in steps:
            if step["at"] == at:
                look(table, step)
        if table.to_move is None or (at >= len(actions) and case.get("stop")):
            break
        table.play(actions[at] if at < len(actions) else table.legal[0])
    assert len(table.acts) >= max([len(actions), *(step["at"] for step in steps)])


def look(table: Table, step: Any) -> None:
    """Compares what may be done, and what a seat knows, with a step of a deal."""
    legal = list(table.legal)
    assert legal == step.get("legal", legal)
    assert len(legal) == step.get("number", len(legal))
    assert set(step.get("includes", ())) <= set(legal)
    assert table.to_move == step.get("to_move", table.to_move)
    for action in step.get("illegal", ()):
        with pytest.raises(IllegalAction):
            table.play(action)
    if "view" in step:
        view = plain(table.view(step["view"]["seat"])[0])
        assert {key: view.get(key) for key in step["view"]} == step["view"]


def plain(value: Any) -> dict[str, Any]:
    """A value as it comes out of JSON."""
    return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])


def facts_of(table: Table) -> dict[str, Any]:
    """Everything that `expect` can name."""
    account = table.account()
    facts = {
        name: getattr(account, name)
        for name in ("turn_up", "trump", "sides", "points", "auction", "caller", "pledge", "called")
    }
    facts["winners"] = [trick.winner for trick in account.tricks]
    facts["first_tricks"] = [trick.cards for trick in account.tricks]
    if table.to_move is None:
        brought = table.tally()
        if sum(trick.points for trick in account.tricks) >= 120:  # else a black hand has ended it
            assert brought.points == taken(account)
        facts |= {name: getattr(brought, name) for name in ("scores", "values", "counted")}
    return plain(facts)


def taken(account: DealAccount) -> tuple[int, ...]:
    """What the side of each seat has taken."""
    side_of = {seat: side for side in account.sides for seat in side}
    return tuple(sum(account.points[one] for one in side_of[seat]) for seat in sorted(side_of))


def written_out(key: str, value: Any, sides: list[list[int]]) -> Any:
    """Winners as a list; scores and values by seat, where everybody has what the side has."""
    seats = sum(map(len, sides))
    if key == "winners":
        return list(map(int, value))
    if key not in {"scores", "values"} or len(value) == seats:
        return value
    assert len(value) == len(sides)
    side_of = {seat: side for side, members in enumerate(sides) for seat in members}
    return [value[side_of[seat]] for seat in range(seats)]


@pytest.mark.parametrize(("game_id", "case"), cases("matches"))
def test_match(game_id: str, case: Any) -> None:
    """A match of the vectors is over when it should be, for whom, and why."""
    rules, _ = find(game_id).rules_of(case["options"])
    course = LegState(leg_plan(rules))
    for brought in brought_by(course, case):
        assert course.over is None
        course.close(brought, ())
    over = course.over
    facts = {
        "over": over is not None,
        "winner": over and over.winner and list(over.winner),
        "reason": str(over.reason) if over else None,
        "next_dealer": course.dealer,
        "remaining": list(course.places),
        "totals": list(course.standing.scores),
        "times": course.worth.times,
        "plus": course.worth.plus,
    }

    assert {key: facts[key] for key in case["expect"]} == case["expect"]
    assert set(case["expect"]) >= {"over", "winner", "reason", "next_dealer", "remaining"}


def brought_by(course: LegState, case: Any) -> Iterator[Tally]:
    """What the deals bring, one after the other."""
    for points in case.get("deals", ()):
        scoring = "pennycook" if course.pair else case["options"].get("deal_scoring", "one")
        outcome = DealOutcome(tuple(points), (0,) * len(points))
        yield tally(outcome, course.game.partners, SCORINGS[scoring])
    for told in case.get("tallies", ()):
        scores, points = tuple(told["scores"]), tuple(told["points"])
        brought = Tally(points, scores, (0,) * len(scores), told.get("counted", True))
        for _ in range(told.get("repeat", 1)):
            yield brought


@pytest.mark.parametrize(("game_id", "case"), cases("perft"))
def test_perft(game_id: str, case: Any) -> None:
    """From a moment of a deal there are as many sequences of legal actions as counted."""
    game = find(game_id).rules_of(case["options"])[0].game
    state, _ = game.deal(deck_of(case), case["dealer"])
    for action in listed(case["after"], ", "):
        assert action in game.legal(state)
        game.apply(state, action)
    layer, counts, ends = [state], [], []
    for depth, _ in enumerate(case["counts"], start=1):
        ends += [state for state in layer if game.to_move(state) is None]
        moves = [(state, game.legal(state)) for state in layer if game.to_move(state) is not None]
        counts.append(sum(len(legal) for _, legal in moves))
        if depth < len(case["counts"]):
            layer = [branch(game, state, one) for state, legal in moves for one in legal]

    assert counts == case["counts"]
    if "ends" in case:
        assert sums(game, ends) == case["ends"]


def branch(game: Game[Any], state: Any, action: str) -> Any:
    """The state after an action, while the one before stays."""
    after = game.copy(state)
    game.apply(after, action)
    return after


def sums(game: Game[Any], ends: list[Any]) -> dict[str, Any]:
    """How many deals have ended, and what they bring together, by seat."""
    found: dict[str, Any] = {"number": len(ends)}
    for name, told in (("points", game.account), ("scores", game.tally), ("values", game.tally)):
        rows = [getattr(told(state), name) for state in ends]
        found[name] = [sum(column) for column in zip(*rows, strict=True)]
    return found


@pytest.mark.parametrize("case", load("tricks")["tricks"], ids=str)
def test_trick(case: Any) -> None:
    """A trick of RULES 19.2 goes to the right card and holds the right points."""
    profile = PROFILES[case["profile"]]
    cards = [card(code) for code in case["cards"]]
    trump = None if case["trump"] is None else Suit(case["trump"])
    last_wins = case.get("equal_cards") == "last_wins"
    worth = worths(profile)

    assert winner(cards, beaters(strengths(profile), last_wins=last_wins)[trump]) == case["winner"]
    assert sum(worth[one] for one in cards) == case["points"]


@pytest.mark.parametrize("case", load("scorings")["scorings"], ids=str)
def test_scoring(case: Any) -> None:
    """What the sides have taken gives the right game points."""
    points = tuple(case["points"])
    tricks = tuple(case.get("tricks", (0,) * len(points)))
    packs = max(1, sum(points) // 120)
    outcome = DealOutcome(points, tricks, case.get("first"), case.get("black_hand"), packs)

    assert SCORINGS[case["scoring"]](outcome) == tuple(case["scores"])


@pytest.mark.parametrize("case", load("scorings")["pay"], ids=str)
def test_pay(case: Any) -> None:
    """What the caller's side has taken gives the right game points to every seat."""
    payment = Payment(
        pay=Pay(case["pay"]),
        capot=Capot(case.get("capot", "none")),
        multipliers=case.get("multipliers", "off"),
        draw_at_60=case.get("draw_at_60", False),
    )
    contract = Contract(case["caller"], case["pledge"], partners=tuple(case["partners"]))
    (own, others), (won, lost) = case["taken"], case.get("tricks", (4, 4))
    found = pay(payment, contract, 5, taken=(own, others), tricks=(won, lost))

    assert found == tuple(case["scores"])
