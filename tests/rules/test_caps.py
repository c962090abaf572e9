"""Matches end, whatever bots choose among what is legal."""

from collections.abc import Callable

import pytest

from referee.games import catalogue, find
from referee.match.leg import Ask, Leg
from support.drive import leg_plan, play
from support.strategies import option_sets

Taste = Callable[[tuple[str, ...]], str]


def passes(legal: tuple[str, ...]) -> str:
    """Pass, and otherwise the first."""
    return "pass" if "pass" in legal else legal[0]


def announces(legal: tuple[str, ...]) -> str:
    """Whatever is no card, as long as there is something: signals before all."""
    words = [action for action in legal if len(action) > 2]
    return words[-1] if words else legal[-1]


def crawls(legal: tuple[str, ...]) -> str:
    """The lowest bid there is, so that auctions last."""
    bids = [action for action in legal if action.startswith(("bid", "force"))]
    return bids[0] if bids else legal[0]


def _chatty(game_id: str) -> dict[str, str]:
    """The most talkative options that a game has."""
    wanted = {"signals": "on", "black_hand": "on", "seats": "4", "exchange_seven": "while_turnup"}
    has = {option.name for option in find(game_id).options}
    return {name: value for name, value in wanted.items() if name in has}


@pytest.mark.parametrize("taste", [passes, announces, crawls])
@pytest.mark.parametrize("game_id", catalogue())
def test_a_match_ends_within_its_most_acts_and_deals(game_id: str, taste: Taste) -> None:
    """Five that always pass, partners that only signal, bidders that crawl: all come to an end."""
    rules, _ = find(game_id).rules_of(_chatty(game_id))
    leg = Leg(leg_plan(rules, game=game_id))

    def choose(_: Ask, legal: tuple[str, ...]) -> str:
        return taste(legal)

    deals, _ = play(leg, choose)
    assert leg.course.over is not None
    assert len(deals) <= rules.ending.max_deals
    assert max(len(deal.acts) for deal in deals) <= rules.game.max_acts


def test_every_option_of_every_game_is_tried_by_the_laws() -> None:
    """`option_sets` leaves no option out, but for those that say when a match is over."""
    for game_id, variant in catalogue().items():
        tried = {name for options in option_sets(game_id) for name in options}
        left = {option.name for option in variant.options} - tried
        assert left <= {"match", "target", "void_keeps_dealer"}, game_id
