"""Steps a second of our environments, beside card games that others have in Python, in one run.

    python tests/bench_training.py [SECONDS]

All seats play at random. `raw` is without observations: the loop, the rules and the legal actions.
Those of PettingZoo want `pip install rlcard`, that of OpenSpiel open_spiel; what is not installed
is left out. A step of Leduc hold'em or Kuhn poker is a bet; of ours, a card.
"""

import random
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from statistics import median
from typing import Any

import numpy as np
import pyspiel

from referee.training.aec import DealEnv
from referee.training.batch import DealBatch
from referee.training.spiel import load

ROUNDS = 3
DICE = random.Random(1)
ROLLS = np.random.default_rng(1)


def ours_raw(seconds: float) -> int:
    """Our deals, by the names of actions."""
    env, steps = DealEnv("briscola-2"), 0
    number, end = env.encoding.number, time.perf_counter() + seconds
    while time.perf_counter() < end:
        env.reset()
        for _ in env.agent_iter():
            _, _, over, _, _ = env.last(observe=False)
            if over:
                env.step(None)
            else:
                env.step(number[DICE.choice(env.legal())])
                steps += 1
    return steps


def ours_batch(seconds: float) -> int:
    """Our deals, 64 side by side, with observations and masks."""
    batch, steps = DealBatch("briscola-2", count=64, seed=1), 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        chosen = (ROLLS.random(batch.masks.shape) * batch.masks).argmax(axis=1)
        batch.step(chosen)
        steps += len(chosen)
    return steps


def of_pettingzoo(make: Callable[[], Any], seconds: float, *, observe: bool = True) -> int:
    """Any environment of PettingZoo's kind, with observations and masks."""
    env, steps = make(), 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        env.reset()
        for agent in env.agent_iter():
            seen, _, over, cut, _ = env.last(observe=observe)
            if over or cut:
                env.step(None)
                continue
            env.step(env.action_space(agent).sample(np.asarray(seen["action_mask"], np.int8)))
            steps += 1
    return steps


def of_openspiel(game: Any, seconds: float) -> int:
    """Any game of OpenSpiel, without observations."""
    steps, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(DICE.choice([number for number, _ in state.chance_outcomes()]))
            else:
                state.apply_action(DICE.choice(state.legal_actions()))
                steps += 1
    return steps


def runs() -> dict[str, Callable[[float], int]]:
    """What is timed, by name."""
    found: dict[str, Callable[[float], int]] = {
        "ours, raw": ours_raw,
        "ours, PettingZoo": lambda seconds: of_pettingzoo(lambda: DealEnv("briscola-2"), seconds),
        "ours, batch of 64": ours_batch,
        "ours, OpenSpiel": lambda seconds: of_openspiel(load("briscola-2"), seconds),
    }
    for module, name in (
        ("pettingzoo.classic.leduc_holdem_v4", "Leduc hold'em (rlcard)"),
        ("pettingzoo.classic.texas_holdem_v4", "Texas hold'em (rlcard)"),
        ("pettingzoo.classic.hanabi_v5", "hanabi"),
    ):
        try:
            make = import_module(module).env
            make().reset()
        except Exception as error:  # whatever it lacks
            print(f"{name}: left out: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        found[f"PettingZoo: {name}"] = lambda seconds, make=make: of_pettingzoo(make, seconds)  # type: ignore[misc]  # a bound default
    import_module("open_spiel.python.games")
    for name in ("python_kuhn_poker", "python_liars_poker"):
        if name in pyspiel.registered_names():
            game = pyspiel.load_game(name)
            found[f"OpenSpiel: {name}"] = lambda seconds, game=game: of_openspiel(game, seconds)  # type: ignore[misc]  # likewise
    return found


def main(seconds: float = 1.0) -> None:
    """Time all of them in turns, and print the medians."""
    warnings.simplefilter("ignore")
    found = runs()
    timed: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, run in found.items():
            begin = time.process_time()
            steps = run(seconds)
            timed.setdefault(name, []).append(steps / (time.process_time() - begin))
    for name, rates in timed.items():
        print(f"{name:<36} {median(rates):>10,.0f} steps/s of processor time")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
