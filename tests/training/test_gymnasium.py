"""One seat of a deal as Gymnasium's environment, against functions and real bots."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import referee.training
from referee.errors import RefereeError
from referee.games import catalogue
from referee.training import bot_process
from referee.training.seat_env import SeatEnv

FIRST = "briscola_referee/briscola-2-v0"


def first_legal(_: Any, mask: Any) -> int:
    """The policy that plays the first legal action by number; any, where a deal is over."""
    return int(np.argmax(mask))


def episode(env: Any, seed: int | None = None, **options: Any) -> tuple[float, dict[str, Any], int]:
    """Play a deal with the first legal action by number; return the reward, info and acts."""
    seen, info = env.reset(seed=seed, options=options or None)
    acts, over, reward = 0, False, 0.0
    while not over:
        assert reward == 0
        seen, reward, over, truncated, info = env.step(first_legal(None, seen["action_mask"]))
        assert not truncated
        acts += 1
    return reward, info, acts


@pytest.mark.parametrize("game_id", catalogue())
def test_gymnasium_finds_nothing_wrong(game_id: str) -> None:
    """Its checker passes for every game, through the registry."""
    env = gymnasium.make(f"{referee.training.NAMESPACE}/{game_id}-v0", render_mode="ansi")
    check_env(env.unwrapped)


def test_the_reward_is_the_deal_value_of_the_learners_seat() -> None:
    """It comes with the last card, and the values of all seats with it."""
    env = SeatEnv(opponents=["first"])
    for seed in range(5):
        reward, info, acts = episode(env, seed)
        assert reward == info["values"][info["seat"]]
        assert acts >= 20


def test_a_seed_makes_everything_the_same_again() -> None:
    """Decks, seats, and what random opponents play."""
    runs = [[episode(SeatEnv("briscola-4"), seed) for seed in (1, 2, 3)] for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("seat", [0, 3])
def test_the_learners_seat_can_be_said(seat: int) -> None:
    """For all deals, or for one."""
    env = SeatEnv("briscola-4", seat=seat)
    assert episode(env, 1)[1]["seat"] == seat
    assert episode(env, 1, seat=2)[1]["seat"] == 2


def test_an_action_that_is_not_legal_costs_the_least_of_the_scale() -> None:
    """The deal is over, as after a fault in a match."""
    env = SeatEnv(opponents=["first"])
    seen, _ = env.reset(seed=1)
    wrong = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    _, reward, over, _, info = env.step(wrong)
    assert (reward, over) == (-120.0, True)
    assert info["illegal"] == env.encoding.actions[wrong]
    with pytest.raises(RefereeError, match="reset comes first"):
        env.step(wrong)


def test_a_policy_can_be_the_opponent() -> None:
    """It is shown what its own seat knows; both by the same policy share the points out."""
    asked: list[int] = []

    def policy(observation: Sequence[int], mask: Sequence[int]) -> int:
        asked.append(len(observation))
        return first_legal(observation, mask)

    env = SeatEnv(opponents=[policy], seat=0)
    _, info, acts = episode(env, 3)
    assert sum(info["values"]) == 0
    assert set(asked) == {env.encoding.size}
    assert abs(len(asked) - acts) <= 4


def test_many_at_once_are_made_by_gymnasium() -> None:
    """`make_vec` steps several side by side."""
    envs = gymnasium.make_vec(FIRST, num_envs=3, opponents=["first"])
    seen, _ = envs.reset(seed=1)
    assert seen["observation"].shape == (3, SeatEnv().encoding.size)
    for _ in range(50):
        actions = np.array([first_legal(None, mask) for mask in seen["action_mask"]])
        seen, *_ = envs.step(actions)
    envs.close()


@pytest.mark.slow
def test_a_real_bot_plays_as_its_function_does() -> None:
    """`sample:first` in a process, and the first legal action here, end all deals alike."""
    process = SeatEnv("briscola-3", opponents=["sample:first"], sandbox="bare")
    here = SeatEnv("briscola-3", opponents=["first"])
    try:
        for seed in range(6):
            assert episode(process, seed) == episode(here, seed)
    finally:
        process.close()


@pytest.mark.slow
def test_a_bot_can_be_let_go_and_comes_back() -> None:
    """After `close` no process is left; the next deal starts one; a deal can be broken off."""
    env = SeatEnv(opponents=["sample:greedy"], sandbox="bare")
    env.reset(seed=1)
    env.reset(seed=2)
    before = episode(env, 3)
    env.close()
    env.close()
    assert episode(env, 3) == before
    env.close()


READY = '{"type":"ready","protocol":1,"name":"x"}'


def script(folder: Path, program: str) -> str:
    """A bot of some lines of Python."""
    bot = folder / "bot.py"
    bot.write_text(f"#!{sys.executable}\n{program}\n")
    bot.chmod(0o755)
    return str(bot)


INTERRUPTED = """
import os, signal, sys, threading
from referee.training.seat_env import SeatEnv

env = SeatEnv(opponents=[sys.argv[1]], sandbox="bare")
env.reset(seed=1, options={"seat": 0, "dealer": 0})
"""


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["pass", "raise ValueError('mine')", "env.step(0)"])
def test_no_bot_outlives_a_program_that_does_not_close(ends: str, tmp_path: Path) -> None:
    """Whatever the program does at its end; nor does it hang."""
    pid = tmp_path / "pid"
    bot = script(
        tmp_path,
        f"import os; open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        f"print({READY!r}, flush=True)\nwhile True:\n    import json\n    m = json.loads(input())\n"
        "    if m['type'] == 'act':\n"
        "        a = {'id': m['id'], 'action': m['legal'][0]}; print(json.dumps(a), flush=True)",
    )
    program = INTERRUPTED + ends
    words = [sys.executable, "-c", program, bot]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=20)
    assert ran.returncode == int("raise" in ends), ran.stderr
    assert "Traceback" not in ran.stderr or "mine" in ran.stderr
    assert not Path(f"/proc/{pid.read_text()}").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("import sys; sys.exit(3)", "did not get ready: .*exit status 3"),
        (
            f"print({READY!r}, flush=True)\ninput(); input(); print('nonsense', flush=True)",
            "went wrong",
        ),
    ],
)
def test_a_bot_that_goes_wrong_is_one_line(program: str, line: str, tmp_path: Path) -> None:
    """At its start or in a deal: the line names the bot."""
    bot = script(tmp_path, program)
    env = SeatEnv(opponents=[bot], sandbox="bare")
    with pytest.raises(RefereeError, match=line) as found:
        episode(env, 1)
    assert bot in str(found.value)
    env.close()


@pytest.mark.slow
def test_a_bot_that_says_nothing_is_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Training does not hang for ever."""
    monkeypatch.setattr(bot_process, "ANSWER_S", 0.2)
    bot = script(tmp_path, f"print({READY!r}, flush=True)\nwhile input(): pass")
    env = SeatEnv(opponents=[bot], sandbox="bare")
    with pytest.raises(RefereeError, match="gave no answer in 0 seconds"):
        episode(env, 1)
    env.close()


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"game": "poker"}, "no game 'poker'"),
        ({"options": {"x": "1"}}, "has no option 'x'"),
        ({"game": "briscola-4", "opponents": ["first"] * 2}, "2 opponents: briscola-4 has 3 other"),
        ({"seat": 2}, "seat 2: briscola-2 has seats 0 to 1"),
        ({"opponents": ["sample:nobody"]}, "no sample bot 'nobody'"),
    ],
)
def test_what_makes_no_sense_is_one_line(given: dict[str, Any], line: str) -> None:
    """Before anything starts."""
    with pytest.raises(RefereeError, match=line):
        SeatEnv(**given)
    with pytest.raises(RefereeError, match="seat 7: a seat from 0 to 1"):
        SeatEnv().reset(options={"seat": 7})


def test_a_deal_can_be_read() -> None:
    """In mode ansi, what the learner knows is text."""
    env = SeatEnv(render_mode="ansi")
    assert env.render() is None
    env.reset(seed=1)
    assert "hand" in (env.render() or "")
