"""What `referee ladder run` does before it plays."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from ladder.commands import ladder_run, players
from ladder.runner import play
from ladder.runner.progress import RunnerProgress
from ladder.runner.runner import Span
from referee.bots.settings import Settings
from referee.errors import RefereeError, innermost
from referee.sandbox.bare import Bare
from referee.sandbox.names import SandboxName
from support import ladders


async def test_the_machine_is_read_before_bots_of_strangers_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that none of them is the first to read something."""
    done, nothing_more = list[str](), RefereeError("it would play now")

    @asynccontextmanager
    async def opens(*_: object, **__: object) -> AsyncIterator[Bare]:
        done.append("sandbox")
        yield Bare()

    async def reads(*_: object) -> None:
        done.append("read")

    def plays(*_: object) -> None:
        done.append("play")
        raise nothing_more

    for name, step in {"opened_for": opens, "read_first": reads}.items():
        monkeypatch.setattr(play, name, step)
    monkeypatch.setattr(players, "opened_pool", plays)
    progress = Progress(console=Console(quiet=True))
    watch = RunnerProgress(progress.console, progress, progress.add_task("blocks"))
    span, asked = Span(1, once=True), ladder_run.Asked(None, 1, SandboxName.BWRAP, Settings())
    with (
        ladders.made(tmp_path / "it", bots=("first", "random")) as store,
        pytest.raises(ExceptionGroup, check=lambda error: innermost(error) is nothing_more),
    ):
        await ladder_run._conduct(store, watch, span, asked)
    assert done == ["sandbox", "read", "play"]
