"""A worker: `python -m referee.workers.worker`, which plays one job after another for its parent.

It hears orders on stdin and reports on stdout (`referee.workers.messages`). It lives until its
stdin ends, and looks for that while it plays; signals are its parent's affair.
"""

import os
import signal
import traceback
from contextlib import AsyncExitStack, suppress
from typing import Protocol

import trio

from referee.bots.settings import read_settings
from referee.errors import HostError, RefereeError, innermost, shortage
from referee.play.affinity import claimed
from referee.sandbox.choose import opened_for
from referee.sandbox.folders import cores_folder
from referee.sandbox.names import SandboxName
from referee.signals import SIGNALS, count_continuations
from referee.workers.jobs import Unready
from referee.workers.line_reader import Lines
from referee.workers.messages import (
    Broken,
    Failed,
    JobPlayed,
    JobRefused,
    Order,
    PlayJob,
    SetUp,
    WorkerReady,
    WorkerReport,
    line_of,
    read_order,
)
from referee.workers.player import Player


class _Orders(Protocol):
    async def receive(self) -> Order: ...


async def _opened(order: Order, stack: AsyncExitStack) -> Player:
    """Sets up what all jobs share.

    Raises:
        RefereeError: it cannot be as it was ordered.
        HostError: the machine does not let us.
    """
    assert isinstance(order, SetUp)  # noqa: S101  # a parent out of order is our bug
    if order.core is not None:
        try:
            os.sched_setaffinity(0, {order.core})
            stack.enter_context(claimed(order.core, cores_folder()))
        except OSError as error:
            raise HostError(f"core {order.core}: {error.strerror}") from error
    settings = read_settings()
    opening = opened_for(SandboxName(order.sandbox), (), settings)
    return Player(await stack.enter_async_context(opening), settings)


def report_of(error: Exception) -> JobRefused | Failed | Broken:
    """What to report of an error."""
    found = innermost(error)
    match found:
        case Unready():
            return JobRefused(_sayable(str(found)), found.bot)
        case RefereeError():
            return JobRefused(_sayable(str(found)))
        case HostError():
            return Failed(_sayable(str(found)), shortage(found) is not None)
    return Broken(_sayable("".join(traceback.format_exception(found))))


def _sayable(text: str) -> str:
    """A text as JSON can hold it: the name of a file may be no text at all."""
    return text.encode(errors="backslashreplace").decode()


async def _work(orders: _Orders, out: trio.lowlevel.FdStream, stack: AsyncExitStack) -> None:
    """Works off orders; returns only when it cannot go on."""

    async def say(report: WorkerReport) -> None:
        await out.send_all(line_of(report))

    try:
        player = await _opened(await orders.receive(), stack)
    except Exception as error:  # whatever it is, the parent waits for a word
        await say(report_of(error))
        return
    report: WorkerReport = WorkerReady(player.where)
    while not isinstance(report, Broken):
        await say(report)
        order = await orders.receive()
        assert isinstance(order, PlayJob)  # noqa: S101  # a parent out of order is our bug
        try:
            report = JobPlayed(await player.play(order.job))
        except Exception as error:  # as above
            report = report_of(error)
    await say(report)


async def _live(inbox: int, outbox: int) -> None:
    """Works until stdin ends, whatever is going on then."""
    send, orders = trio.open_memory_channel[Order](1)
    gone = trio.CancelScope()

    async def listen() -> None:
        lines = Lines(trio.lowlevel.FdStream(inbox))
        while (line := await lines.next()) is not None:
            await send.send(read_order(line))
        gone.cancel()

    out = trio.lowlevel.FdStream(outbox)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        async with AsyncExitStack() as stack:  # it closes the sandbox uncancelled
            with (
                gone,
                suppress(trio.BrokenResourceError),
            ):  # the parent does not hear us: we are done
                await _work(orders, out, stack)
        nursery.cancel_scope.cancel()


def _own_streams() -> tuple[int, int]:
    """Our stdin and stdout for ourselves: others read nothing, and what they say goes to stderr."""
    inbox, outbox = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return inbox, outbox


def main() -> None:
    """Lives until stdin ends."""
    for number in SIGNALS:  # heard and not heeded: what is ignored would be so for bots too
        signal.signal(number, lambda *_: None)
    count_continuations()
    trio.run(_live, *_own_streams())


if __name__ == "__main__":
    main()
