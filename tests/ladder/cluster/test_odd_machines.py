"""Real machines whose clocks are wrong, or that are slow: what is played there is the same."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.kill_cluster import Processes, machine_name, running
from support.odd_clocks import at_rate, shifted
from support.reports import dawdler, thinker, told, without_times
from support.sandboxes import need

_HOUR_S = 3600
BUSY = 9
"""So many others want the core of the slow machine: a tenth of it is left."""


def comparison(bot: Path, *more: str) -> tuple[tuple[str, ...], str]:
    """A comparison, as words and as what it comes to on this machine."""
    words = ("compare", str(bot), "sample:greedy", "--key", "k", *more)
    here, _ = told(*words, "--sandbox", "bwrap")
    return words, without_times(here)


def has_played(cluster: Processes, at: int, bot: Path) -> bool:
    """Whether a bot has come to a machine, as it does with its first match."""
    return any(cluster.files(machine_name(at)).rglob(bot.name))


@pytest.mark.thorough
def test_machines_with_wrong_clocks_come_to_the_same(tmp_path: Path) -> None:
    """Those whose clocks go at another rate are named; one that does not join says why."""
    need("bwrap")
    before = {
        machine_name(1): at_rate(tmp_path, 10.0),
        machine_name(2): at_rate(tmp_path, 0.1),
        machine_name(3): shifted(tmp_path, -12 * _HOUR_S),
        machine_name(4): shifted(tmp_path, 8000 * _HOUR_S),
        machine_name(5): shifted(tmp_path, -48 * _HOUR_S),
    }
    bot = dawdler(tmp_path, 0.03)
    words, here = comparison(bot, "--until", "30", "--time", "start=100s")
    with running(tmp_path / "cluster", 6, before=lambda name: before.get(name, ())) as cluster:
        cluster.wait_for(*map(machine_name, range(5)))
        there, said = told(*words, environment=cluster.environment)
        assert without_times(there) == here
        assert all(has_played(cluster, at, bot) for at in range(5))
        left_out = dict(re.findall(r"machine (\S+) is left out: (.*)", said))
        assert left_out.keys() == {"m1", "m2"}
        longer, clock = "its matches take longer than it took to play them", "its clock, by which"
        assert left_out["m1"].startswith((longer, clock))  # whichever is seen first
        assert left_out["m2"].startswith(clock)
        assert cluster.machines[5].wait(10) == 3
        assert "certificate is not yet valid" in cluster.said(machine_name(5))


@contextmanager
def busy(core: int) -> Iterator[None]:
    """Keeps a core busy until the block is left, with programs in sessions of their own.

    Linux shares a core out by session first, where it does.
    """
    spin = ("setpriv", "--pdeathsig", "KILL", *on_core(core), "sh", "-c", "while :; do :; done")
    spinning = [subprocess.Popen(spin, start_new_session=True) for _ in range(BUSY)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def on_core(core: int) -> tuple[str, ...]:
    """What stands before a command that is to have one core."""
    return ("taskset", "-c", str(core))


@pytest.mark.thorough
def test_a_machine_that_has_a_tenth_of_its_core_comes_to_the_same(tmp_path: Path) -> None:
    """It was as quick as the others when it joined, so it has its share of the matches.

    It is taken neither for one that hangs nor for one that lies.
    """
    need("bwrap", "setpriv", "taskset")
    cores = sorted(os.sched_getaffinity(0))
    slow = machine_name(2)

    def before(name: str) -> tuple[str, ...]:
        return on_core(cores[-1] if name == slow else cores[0])

    bot = thinker(tmp_path, 0.005)
    words, here = comparison(bot, "--until", "5", "--match-blocks", "1")
    with running(tmp_path / "cluster", before=before) as cluster:
        cluster.wait_for(*map(machine_name, range(3)))
        with busy(cores[-1]):
            there, said = told(*words, environment=cluster.environment)
        assert without_times(there) == here
        assert has_played(cluster, 2, bot)
        assert "left out" not in said
