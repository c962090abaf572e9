"""Signals that ask us to stop, as the cancelling of a scope."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NoReturn

import trio

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@asynccontextmanager
async def interruptible(scope: trio.CancelScope) -> AsyncIterator[None]:
    """Cancels `scope` when a signal asks us to stop, however many do, until the block is left."""

    async def watch(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with trio.open_signal_receiver(*SIGNALS) as signals:
            task_status.started()
            async for _ in signals:
                scope.cancel()

    async with trio.open_nursery() as nursery:
        await nursery.start(watch)
        yield
        nursery.cancel_scope.cancel()


def treat_all_alike() -> None:
    """Lets every such signal raise KeyboardInterrupt where no scope waits for it."""

    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, interrupt)
