"""What `referee ladder run` does before it plays."""

from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from ladder.commands import ladder_run
from ladder.runner.progress import RunnerProgress
from ladder.runner.runner import Span
from referee.bots.settings import Settings
from referee.errors import RefereeError, innermost
from referee.sandbox.names import SandboxName
from support import ladders


async def test_the_machine_is_read_before_bots_of_strangers_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that none of them is the first to read something."""
    done, nothing_more = list[str](), RefereeError("it would play now")

    async def opens(*_: object) -> tuple[SandboxName, str]:
        done.append("sandbox")
        return SandboxName.BWRAP, "as usual"

    async def reads(*_: object) -> None:
        done.append("read")

    def plays(*_: object) -> None:
        done.append("play")
        raise nothing_more

    for name, step in {"_sandbox": opens, "read_first": reads, "opened_pool": plays}.items():
        monkeypatch.setattr(ladder_run, name, step)
    progress = Progress(console=Console(quiet=True))
    watch = RunnerProgress(progress.console, progress, progress.add_task("blocks"))
    span = Span(1, once=True)
    with (
        ladders.made(tmp_path / "it", bots=("first", "random")) as store,
        pytest.raises(ExceptionGroup, check=lambda error: innermost(error) is nothing_more),
    ):
        await ladder_run._conduct(store, watch, span, 1, SandboxName.BWRAP, Settings())
    assert done == ["sandbox", "read", "play"]
