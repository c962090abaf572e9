"""Deals as PettingZoo's environments."""

import random

import msgspec
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import referee.training
from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.table import IllegalAction, Table
from referee.training.aec import DealEnv, env

AS_ITS_OWN_CARD_GAMES = (
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)
"""What PettingZoo's test says of a dict with an action mask, but for games that it has by name."""

pytestmark = [pytest.mark.filterwarnings(text) for text in AS_ITS_OWN_CARD_GAMES]


@pytest.mark.parametrize("game_id", catalogue())
def test_pettingzoo_finds_nothing_wrong(
    game_id: str, capsys: pytest.CaptureFixture[str], many_cases: bool
) -> None:
    """Its tests of the interface and of seeds pass for every game."""
    cycles = 1000 if many_cases else 60
    api_test(env(game_id, render_mode="ansi"), num_cycles=cycles)
    seed_test(lambda: env(game_id), num_cycles=cycles)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game_id", ["briscola-2", "briscola-4", "auction-biscambiggia"])
def test_every_seat_gets_the_deal_value_at_the_end(game_id: str) -> None:
    """And nothing before; what is seen on the way is exactly what a bot would be told."""
    deal, dice = env(game_id), random.Random(1)
    deal.reset(seed=7)
    twin = Table(deal.rules, deal.deck, deal.table.dealer)
    while twin.to_move is not None:
        agent = deal.agent_selection
        assert agent == f"seat_{twin.to_move}"
        assert deal.legal() == twin.legal
        view, _ = twin.view(twin.to_move)
        assert deal.view(agent) == msgspec.json.decode(msgspec.json.encode(view))
        _, reward, terminated, truncated, _ = deal.last(observe=False)
        assert (reward, terminated, truncated) == (0, False, False)
        action = dice.choice(twin.legal)
        twin.play(action)
        deal.step(deal.encoding.number[action])
    assert deal.rewards == {f"seat_{seat}": value for seat, value in enumerate(twin.tally().values)}
    assert all(deal.terminations.values())


def test_a_seed_is_a_stream_of_deals() -> None:
    """The same seed brings the same decks in the same order; without one the next deck comes."""
    first, second, other = env(), env(), env()
    for number, seed in enumerate((5, None, None)):
        first.reset(seed=seed)
        second.reset(seed=seed)
        other.reset(seed=6 if number == 0 else None)
        assert first.deck == second.deck != other.deck


def test_streams_without_a_seed_are_all_different() -> None:
    """Nothing was played before that comes again."""
    decks = set()
    for _ in range(5):
        deal = env()
        deal.reset()
        decks.add(deal.deck)
    assert len(decks) == 5


def test_a_deck_and_a_dealer_can_be_given() -> None:
    """As text or as a list; what makes no sense is an error that says why."""
    deal = env()
    deal.reset(seed=1)
    deck = list(deal.deck)
    for given in (deck, " ".join(deck)):
        deal.reset(options={"deck": given, "dealer": 1})
        assert deal.deck == tuple(deck)
        assert deal.table.dealer == 1
    with pytest.raises(RefereeError, match="dealer 2: a seat from 0 to 1"):
        deal.reset(options={"dealer": 2})
    with pytest.raises(RefereeError, match="AH"):
        deal.reset(options={"deck": "AH AH"})


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    """It raises, and the seat is still to move."""
    deal = env()
    deal.reset(seed=1)
    agent, legal = deal.agent_selection, deal.legal()
    wrong = next(n for n, action in enumerate(deal.encoding.actions) if action not in legal)
    with pytest.raises(IllegalAction):
        deal.step(wrong)
    assert (deal.agent_selection, deal.legal()) == (agent, legal)


def test_only_the_seat_to_move_has_a_mask() -> None:
    """The others' masks are empty."""
    deal = env("briscola-4")
    deal.reset(seed=1)
    for agent in deal.agents:
        mask = deal.observe(agent)["action_mask"]
        assert mask.any() == (agent == deal.agent_selection)
        assert mask.dtype == np.int8


def test_a_deal_can_be_read() -> None:
    """In mode ansi the hand, the table and the legal actions of the seat to move are text."""
    deal = env(render_mode="ansi")
    deal.reset(seed=1)
    shown = deal.render()
    assert shown is not None
    assert "hand" in shown
    assert "legal" in shown
    assert env().render_mode is None


def test_games_have_ids_in_pettingzoos_registry() -> None:
    """`pettingzoo.make` knows each game of the catalogue, with options."""
    for game_id in catalogue():
        made = pettingzoo.make("aec", f"{referee.training.NAMESPACE}/{game_id}-v0")
        assert isinstance(made, DealEnv)
    made = pettingzoo.make("aec", "briscola_referee/briscola-2-v0", options={"rank_profile": "pt7"})
    assert made.encoding.options["rank_profile"] == "pt7"


def test_no_such_game_is_an_error_that_names_it() -> None:
    """As the commands say it."""
    with pytest.raises(RefereeError, match="no game 'poker'"):
        env("poker")
