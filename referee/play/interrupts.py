"""Signals that ask us to stop, as the cancelling of a scope."""

import math
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import trio

from referee.errors import INTERRUPTED
from referee.signals import SIGNALS, heard

ONE_WISH_S: Final = 0.5
"""Signals within this time are one wish: to stop in good order takes less."""


@asynccontextmanager
async def interruptible(*scopes: trio.CancelScope) -> AsyncIterator[None]:
    """Cancels the scopes when a signal asks us to stop, until the block is left.

    A second Ctrl-C, since it takes too long, ends us at once: a janitor clears up.
    """

    async def watch(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with trio.open_signal_receiver(*SIGNALS) as signals:
            task_status.started()
            first = math.inf
            async for number in signals:
                heard.append(number)
                for scope in scopes:
                    scope.cancel()
                now = trio.current_time()
                if number == signal.SIGINT and now > first + ONE_WISH_S:
                    os._exit(INTERRUPTED)
                first = min(first, now)

    async with trio.open_nursery() as nursery:
        await nursery.start(watch)
        try:
            yield
        finally:
            await _hear_what_has_come()
            nursery.cancel_scope.cancel()


async def _hear_what_has_come() -> None:
    """Have signals heard that came while we were busy: trio fails over one that comes too late."""
    with trio.CancelScope(shield=True):
        come = trio.Event()
        trio.lowlevel.current_trio_token().run_sync_soon(come.set)
        await come.wait()
        await trio.lowlevel.checkpoint()
