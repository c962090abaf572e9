"""The games as OpenSpiel has games."""

import random

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import ismcts, mcts, outcome_sampling_mccfr

from referee.games import catalogue
from referee.training.spiel import DealGame, DealState, load


def dealt(game: DealGame, dice: random.Random) -> DealState:
    """A state whose deck is complete."""
    state = game.new_initial_state()
    while state.is_chance_node():
        numbers, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(dice.choices(numbers, chances)[0])
    return state


@pytest.mark.parametrize("game_id", catalogue())
def test_openspiels_own_simulation_finds_nothing_wrong(game_id: str, many_cases: bool) -> None:
    """It plays random deals to their end, and looks at all that a state can say on the way."""
    pyspiel.random_sim_test(load(game_id), 10 if many_cases else 1, False, False)


@pytest.mark.parametrize("game_id", catalogue())
def test_a_state_drawn_from_what_a_seat_knows_is_the_same_to_it(game_id: str) -> None:
    """It has been shown the same, may do the same, and the deal goes on to its end."""
    dice, game = random.Random(3), load(game_id)
    state = dealt(game, dice)
    while not state.is_terminal():
        seat = state.current_player()
        if dice.random() < 0.2:
            other = state.resample_from_infostate(seat, dice.random)
            assert other.current_player() == seat
            assert other.legal_actions() == state.legal_actions()
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.observation_tensor(seat) == state.observation_tensor(seat)
        state.apply_action(dice.choice(state.legal_actions()))
    assert state.returns() == [float(v) for v in game.rules.tally(state.progress.state).values]


def test_a_branch_changes_no_other() -> None:
    """What is played in a clone is not played in the state that it came from."""
    dice = random.Random(1)
    state = dealt(load("briscola-2"), dice)
    before = str(state)
    branch = state.clone()
    while not branch.is_terminal():
        branch.apply_action(branch.legal_actions()[0])
    assert str(state) == before
    assert not state.is_terminal()


@pytest.mark.thorough
def test_tree_search_beats_random_play() -> None:
    """Information set Monte Carlo tree search takes more in twenty deals with a few rollouts."""
    game, rolls, dice = load("briscola-2"), np.random.RandomState(1), random.Random(1)
    search = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rolls), 30.0, 40, random_state=rolls
    )
    total = 0.0
    for number in range(20):
        state = dealt(game, dice)
        while not state.is_terminal():
            legal = state.legal_actions()
            mine = state.current_player() == number % 2
            state.apply_action(search.step(state) if mine else dice.choice(legal))
        total += state.returns()[number % 2]
    assert total / 20 > 10


def test_regret_minimisation_runs() -> None:
    """A solver that samples outcomes learns of new information states in each iteration."""
    np.random.seed(1)  # what the solver rolls
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(load("briscola-2"))
    for _ in range(3):
        solver.iteration()
    assert len(solver._infostates) > 100
