"""A match beside the site, some of whose seats are elsewhere: people, or a bot far away."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import ExitStack, aclosing, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NoReturn

import msgspec
import trio

from ladder.web.table_process import TableOrder, TableReport, socket_of
from protocol.limits import LINE_TO_BOT
from referee.errors import HostError, innermost

Serve = Callable[[trio.SocketStream], Awaitable[None]]
"""Answers for the seat, as a bot does, until its process ends."""

_LONGEST_HEARING_S: Final = 15.0
"""After a match, for seats to have heard how it ended; a thought about its last deal takes less."""

_LONGEST_WHY: Final = 2000
_reports: Final = msgspec.json.Decoder(TableReport)


async def play_beside(
    order: TableOrder,
    serve: Mapping[int, Serve],
    hear: Callable[[TableReport], None],
    keep: Callable[[Path], Awaitable[None]],
) -> str:
    """Play a match to its end, in a process of its own.

    Args:
        order: what is played; where it is asked and recorded is up to us.
        serve: what answers for each of the seats that are elsewhere.
        hear: is told how it goes.
        keep: is shown the record, before it is removed.

    Returns:
        What went wrong, for the organiser; "" if nothing.

    Raises:
        HostError: the machine does not let us.
    """
    try:
        with TemporaryDirectory(prefix="referee-table-") as folder:
            at = {"socket": f"{folder}/seat", "record": f"{folder}/record"}
            here = msgspec.structs.replace(order, **at)
            with ExitStack() as sockets:
                async with trio.open_nursery() as connections, trio.open_nursery() as doors:
                    for seat, one in serve.items():
                        listener = trio.socket.socket(trio.socket.AF_UNIX)
                        sockets.enter_context(listener)
                        await listener.bind(socket_of(here, seat))
                        listener.listen(1)
                        doors.start_soon(sit, listener, one, connections)
                    wrong = await _process(here, hear, doors)
                    await keep(Path(here.record))
                    hearing_s = 0 if wrong else _LONGEST_HEARING_S
                    connections.cancel_scope.deadline = trio.current_time() + hearing_s
                    doors.cancel_scope.cancel()
    except (OSError, ExceptionGroup) as error:
        why = innermost(error)
        if isinstance(why, OSError | HostError):
            raise HostError(f"a table: {why}") from error
        raise
    return wrong


async def _process(
    order: TableOrder, hear: Callable[[TableReport], None], nursery: trio.Nursery
) -> str:
    """Run the match's process to its end."""
    said = Path(order.socket).with_name("stderr")
    with said.open("wb") as stderr:
        running = partial(
            trio.run_process,
            [sys.executable, "-m", "ladder.web.table_process"],
            stdin=msgspec.json.encode(order) + b"\n",
            stdout=subprocess.PIPE,
            stderr=stderr,
            check=False,
            start_new_session=True,
        )
        process: trio.Process = await nursery.start(running)
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    async with aclosing(lines_of(process.stdout)) as lines:
        async for line in lines:
            hear(_reports.decode(line))
    if not await process.wait():
        return ""
    return said.read_text(errors="replace")[-_LONGEST_WHY:]


async def sit(
    listener: trio.socket.SocketType, serve: Serve, connections: trio.Nursery
) -> NoReturn:
    """Have the seat answered for wherever a process of it asks.

    One that comes while another is there takes its place: that was ended, as in a void deal.

    Args:
        listener: where it asks.
        serve: what answers.
        connections: where it does, until it has heard all.
    """
    before = trio.CancelScope()
    while True:
        connection, _ = await listener.accept()
        before.cancel()
        before = trio.CancelScope()
        connections.start_soon(_served, connection, serve, before)


async def _served(
    connection: trio.socket.SocketType, serve: Serve, scope: trio.CancelScope
) -> None:
    with connection, scope, suppress(trio.BrokenResourceError):
        await serve(trio.SocketStream(connection))


async def lines_of(stream: trio.abc.ReceiveStream) -> AsyncGenerator[bytes, None]:
    """Yield the lines of a stream, without their ends; one that is too long is its last."""
    unread = b""
    async for data in stream:
        *lines, unread = (unread + data).split(b"\n")
        for line in lines:
            yield line
        if len(unread) > LINE_TO_BOT:
            return
