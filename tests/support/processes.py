"""Processes in tests: the command as it is installed, our open files, waiting for others."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

REFEREE: Final = Path(sys.executable).parent / "referee"
"""What people type, of this environment."""

_PATIENCE_S: Final = 20.0


def open_files() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))


async def until(holds: Callable[[], object], within_s: float = _PATIENCE_S) -> None:
    """Waits for what others do: there is no event, and no clock of ours to move."""
    with trio.fail_after(within_s):
        while not holds():  # noqa: ASYNC110  # there is no event
            await trio.sleep(0.01)


def wait_until(holds: Callable[[], object], within_s: float = _PATIENCE_S) -> None:
    """The same without trio."""
    over = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < over, f"waited {within_s} s for nothing"
        time.sleep(0.02)
