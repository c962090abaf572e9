"""Commands in forks of one process: each as if it were alone, and none is left behind."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from ladder.web.trial import Submits
from ladder.web.trial_process import TrialOrder
from referee.errors import USAGE, HostError

pytestmark = pytest.mark.slow

PATIENCE_S = 60


@pytest.fixture
async def submits(tmp_path: Path) -> AsyncIterator[Submits]:
    found = Submits(str(tmp_path / "ladder"))
    yield found
    await found.end()


def order(folder: Path, *words: str) -> TrialOrder:
    folder.mkdir()
    return TrialOrder([*words], str(folder), f"{folder}.out", f"{folder}.err")


def is_there(path: str) -> bool:
    return Path(path).exists()


def text_of(path: str) -> str:
    return Path(path).read_text()


def begun_by(submits: Submits) -> list[int]:
    """What the process of commands has started, and itself."""
    assert submits._process is not None
    pid = submits._process.pid
    return [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()), pid]


async def test_each_command_has_its_own_folder_output_and_exit_code(
    submits: Submits, tmp_path: Path
) -> None:
    """One that ends with an error leaves nothing for the next, and all are forks of one process."""
    wrong = order(tmp_path / "wrong", "submit", "./there")
    right = order(tmp_path / "right", "games")
    assert await submits.run(wrong) == USAGE
    first = begun_by(submits)
    assert await submits.run(right) == 0
    assert begun_by(submits) == first
    said = text_of(wrong.err)
    assert said.startswith("referee: bot './there': there is no such file")
    assert said.count("\n") == 1
    assert "briscola-2" in text_of(right.out)
    assert text_of(wrong.out) == text_of(right.err) == ""


async def test_a_command_for_which_nothing_waits_any_more_is_ended(
    submits: Submits, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As when a trial takes too long, or its site ends, however that ends."""
    bots = ("sample:first", "sample:first", "--sandbox", "bare")
    long = order(tmp_path / "long", "match", *bots, "--deals", "1000000", "--record", "it")
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(submits.run, long)
            while not is_there(f"{long.folder}/it"):  # noqa: ASYNC110  # by another process
                await trio.sleep(0.01)
            pids = begun_by(submits)
            nursery.cancel_scope.cancel()
    assert len(pids) == 2
    assert [pid for pid in pids if is_there(f"/proc/{pid}")] == []
    assert text_of(long.err).endswith("referee: interrupted\n"), "it was told to end, not killed"
    assert capfd.readouterr().err == ""
    assert await submits.run(order(tmp_path / "next", "games")) == 0


async def test_what_the_machine_does_not_let_us_is_one_line(
    submits: Submits, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = replace(order(tmp_path / "there", "games"), folder=str(tmp_path / "gone"))
    assert await submits.run(gone) == 1
    why = f"referee: the trial of a bot: {gone.folder}: No such file or directory\n"
    assert capfd.readouterr().err == why
    assert await submits.run(order(tmp_path / "next", "games")) == 0


async def test_a_process_that_was_killed_is_said_and_another_begins(
    submits: Submits, tmp_path: Path
) -> None:
    assert await submits.run(order(tmp_path / "one", "games")) == 0
    (pid,) = begun_by(submits)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(HostError, match="was ended"):
        await submits.run(order(tmp_path / "two", "games"))
    assert await submits.run(order(tmp_path / "three", "games")) == 0
