"""Work in processes: in order, and never longer than it is of use."""

import multiprocessing
import operator
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from referee.errors import HostError
from referee.record.processes import Processes

pytestmark = pytest.mark.slow

NEGATE: Callable[[int], int] = operator.neg
END: Callable[[int], None] = os._exit
WAIT: Callable[[float], None] = time.sleep


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_work(workers: int) -> None:
    """However many do it, with few under way."""
    found: list[int] = []
    with Processes(NEGATE, workers) as processes:
        for task in range(50):
            found += processes.add(task)
            assert task - len(found) < 8
        found += processes.rest()

    assert found == [-task for task in range(50)]


def test_few_tasks_start_no_process() -> None:
    """That would take longer than they do."""
    with Processes(NEGATE, 2) as processes:
        found = [*processes.add(1), *processes.add(2), *processes.rest()]
        assert multiprocessing.active_children() == []

    assert found == [-1, -2]


def done(processes: Processes[int, None], tasks: int) -> None:
    """Does so many tasks, or fails at one."""
    for _ in range(tasks):
        list(processes.add(1))


def interrupted(processes: Processes[float, None]) -> None:
    """As if ctrl-C were pressed while work is under way that takes its time."""
    for _ in range(4):
        list(processes.add(100.0))
    raise KeyboardInterrupt


def test_a_process_that_is_killed_is_one_line() -> None:
    """Also where the next task only finds the others ended."""
    with Processes(END, 2) as processes:
        for _ in range(2):
            with pytest.raises(HostError, match="was killed, perhaps for want of memory"):
                done(processes, 100)


def test_who_is_interrupted_waits_for_nothing() -> None:
    """Work that is of no use any more ends at once."""
    begun = time.monotonic()
    with suppress(KeyboardInterrupt), Processes(WAIT, 2) as processes:
        interrupted(processes)

    assert time.monotonic() - begun < 50


NEGATES = """
import operator
from referee.record.processes import Processes
if __name__ == "__main__":
    with Processes(operator.neg, 2) as processes:
        print([*(one for task in range(6) for one in processes.add(task)), *processes.rest()])
"""


def test_no_file_of_the_current_folder_is_run(tmp_path: Path) -> None:
    """Records that strangers handed in are verified where they lie: nothing there is imported."""
    folder = tmp_path / "handed in"
    folder.mkdir()
    for name in sys.stdlib_module_names | {"msgspec", "referee", "sitecustomize", "usercustomize"}:
        (folder / f"{name}.py").write_text(f"open('{name} was run', 'w').close()\n")
    program = tmp_path / "negates.py"
    program.write_text(NEGATES)
    words = [sys.executable, str(program)]  # as the console script is started
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout) == (0, "[0, -1, -2, -3, -4, -5]\n"), ran.stderr
    assert [path.name for path in folder.iterdir() if path.suffix != ".py"] == []


def test_what_is_started_afterwards_finds_its_own_files() -> None:
    """The environment is as it was: a Python bot imports what lies beside it."""
    before = dict(os.environ)
    with Processes(NEGATE, 2) as processes:
        for task in range(6):
            list(processes.add(task))
            assert dict(os.environ) == before
        list(processes.rest())
    assert dict(os.environ) == before
