"""What can be said of a bot's process, and what it is to blame for: evidence and verdicts."""

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

import trio

from protocol.errors import RemoteFault, RemoteProtocolError
from protocol.messages import Answer, Ready
from referee.match.verdict import (
    Blame,
    Evidence,
    FaultCode,
    Freeze,
    Mishap,
    Receipt,
    Verdict,
    starved,
)
from referee.play.off_turn import OffTurn
from referee.play.pipe_calls import PipeCalls
from referee.play.standstill import Standstill
from referee.sandbox import BotProcess
from referee.sandbox.core_time import UNKNOWN, CoreUse
from referee.sandbox.priority import come_as_others_do
from referee.text import printable

STDERR_KEPT: Final = 16 * 1024
STDERR_MOST: Final = 16 * 1024 * 1024
"""What is kept of each end of it, and how much a process may write at most, in bytes."""

Heard = tuple[Answer | Ready, Receipt]

_LINE_KEPT: Final = 2000

_CODES: Final = {
    RemoteFault.MALFORMED: FaultCode.MALFORMED,
    RemoteFault.PROTOCOL: FaultCode.PROTOCOL,
    RemoteFault.OUTPUT: FaultCode.OUTPUT,
}


class Stderr:
    """What a bot writes for its author: the first and the last 16 KiB of it."""

    def __init__(self, listen: Callable[[bytes], None] | None = None) -> None:
        """Nothing was written yet; `listen` is told of all that will be."""
        self.listen = listen
        self.head = b""
        self.tail = b""
        self.total = 0
        self.flooded = trio.Event()
        """Set when it was more than a process may write."""

    def feed(self, data: bytes) -> None:
        """Takes in what was written."""
        self.total += len(data)
        if self.listen is not None and data:
            self.listen(data)
        if self.total > STDERR_MOST:
            self.flooded.set()
        room = STDERR_KEPT - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room if room > 0 else 0 :])[-STDERR_KEPT:]

    def text(self) -> str:
        """Return what was kept, and how much was left out between."""
        left_out = self.total - len(self.head) - len(self.tail)
        between = f"\n... {left_out} bytes left out ...\n".encode() if left_out else b""
        return (self.head + between + self.tail).decode(errors="backslashreplace")


class Witness:
    """Who has seen what a process did.

    Attributes:
        place: where the process sits.
        said: what it was told last.
        heard: what came of its answer so far.
        lag_us: by how much we were woken too late during the last act.
        worked_us: the processor time that this thread has used in it while it waited for the bot.
        is_counted: whether all that it used during the last act was counted, as far as was seen.
        off_turn: what it does between its acts.
        standstill: whether we ourselves stood still during the last act.
        held_us: how long calls on its pipes took us during the last act, none of which waits. The
            kernel locks a pipe while either end is in it, and a bot that writes what is not in
            memory yet stays in it for as long as that takes: such time is the bot's, no host's.
        calls: those of its match that a bot can make long, during which others are looked at.
    """

    def __init__(self, place: int, process: BotProcess, freeze: Freeze = Freeze.NEVER) -> None:
        """Begins with a process that was just started, and when it is to be stopped."""
        self.place = place
        self.process = process
        self.off_turn = OffTurn(process, freeze)
        self.is_counted = True
        self.standstill = Standstill()
        self.stderr = Stderr()
        self.said = b""
        self.heard = b""
        self.lag_us = self.worked_us = 0
        self.held_us = 0
        self.calls = PipeCalls()

    def hears(self, data: bytes) -> None:
        """Keeps what came, as far as it is of use."""
        self.heard = (self.heard + data)[-_LINE_KEPT:]

    def read(self, descriptor: int, size: int) -> bytes:
        """Read from one of its pipes.

        Raises:
            OSError: as `os.read` does; BlockingIOError where nothing has come.
        """
        with self._call():
            return os.read(descriptor, size)

    def write(self, data: bytes) -> int:
        """Write to its stdin, and return how many bytes it has taken.

        Raises:
            OSError: as `os.write` does; BlockingIOError where it takes none.
        """
        with self._call():
            return os.write(self.process.stdin, data)

    @contextmanager
    def _call(self) -> Iterator[None]:
        """Count how long a call on its pipes takes, while others are looked at."""
        begin = time.perf_counter_ns()
        try:
            with self.calls.during(self):
                yield
        finally:
            self.held_us += (time.perf_counter_ns() - begin) // 1000

    def look(self) -> None:
        """Look whether all that the bot uses is counted; if once it is not, its act is its own."""
        self.is_counted = self.is_counted and self.process.counts_all()

    def receipt(self, sent: int, first: int, complete: int, cpu: int) -> Receipt:
        """The receipt of an act that is over; `cpu` is what the process had used before it."""
        return Receipt(sent, first, complete, self.off_turn.begin() - cpu)

    def off_turn_verdict(self) -> Verdict:
        """The verdict on a bot that was ended for what it did while another was to move."""
        return Verdict(self.place, FaultCode.LATE, self.off_turn.charge, self.evidence())

    def protocol_verdict(self, error: RemoteProtocolError, receipt: Receipt | None) -> Verdict:
        """The verdict on bytes that break the protocol."""
        detail = error.detail
        if error.fault is not RemoteFault.OUTPUT:
            line = printable(error.line[:80].decode(errors="backslashreplace"))
            detail = f"{detail}; the bot wrote: {line}"
        self.heard = error.line or self.heard
        return Verdict(
            self.place, _CODES[error.fault], detail, self.evidence(receipt), error.mistake
        )

    def flood_verdict(self, receipt: Receipt | None) -> Verdict:
        """The verdict on too much on stderr."""
        detail = f"more than {STDERR_MOST} bytes on stderr"
        return Verdict(self.place, FaultCode.OUTPUT, detail, self.evidence(receipt))

    @asynccontextmanager
    async def draining(self) -> AsyncIterator[trio.Nursery]:
        """Read stderr for as long as the block lasts: only while the bot itself is to do something.

        The kernel locks a pipe while the bot's end is in it (see `held_us`), so to read at another
        bot's turn would let this one keep the referee from hearing the other. What is written then
        waits in the pipe, and so does a bot that writes more than a pipe holds.

        Yields:
            What ends with the block.
        """
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain)
            yield nursery
            nursery.cancel_scope.cancel()

    async def _drain(self) -> None:
        """Read stderr until it is closed or flooded.

        Each byte wakes us: did we come first, a bot could keep itself from running by writing.
        """
        while not self.stderr.flooded.is_set():
            await trio.lowlevel.wait_readable(self.process.stderr)
            try:
                data = self.read(self.process.stderr, 65536)
            except BlockingIOError:  # the bot itself may have read it, where it can open its pipe
                continue
            if not data:
                return
            self.stderr.feed(data)
            come_as_others_do()

    def _drain_now(self) -> None:
        """Reads what is in stderr already, for evidence."""
        with suppress(OSError):
            for _ in range(16):
                data = self.read(self.process.stderr, 65536)
                self.stderr.feed(data)
                if not data:
                    return

    def evidence(self, receipt: Receipt | None = None) -> Evidence:
        """What there is to see of this process now."""
        self._drain_now()
        with self.calls.during(self):  # a daemon may have to be asked
            status = self.process.status()
        return Evidence(
            to_bot=self.said[-_LINE_KEPT:].decode(),
            from_bot=self.heard[:_LINE_KEPT].decode(errors="backslashreplace"),
            stderr_head=self.stderr.head.decode(errors="backslashreplace"),
            stderr_tail=self.stderr.tail.decode(errors="backslashreplace"),
            exit=status,
            receipt=receipt,
        )

    def memory_verdict(self, receipt: Receipt | None = None) -> Verdict | None:
        """The verdict on too much memory, if it wanted that."""
        if not self.process.out_of_memory():
            return None
        detail = "it wanted more memory than a bot may have here"
        return Verdict(self.place, FaultCode.MEMORY, detail, self.evidence(receipt))

    def off_turn_bots(self) -> Sequence[OffTurn]:
        """Return the bots that are not to move, as far as they are known."""
        return ()

    def others_us(self) -> int:
        """Return the processor time that other bots have used meanwhile, as far as it is known."""
        return 0

    def ours_us(self) -> int:
        """Return what was used for no bot meanwhile, as far as it is known."""
        return 0

    def core_use(self) -> CoreUse:
        """Return what the core has done meanwhile, as far as it is known."""
        return UNKNOWN

    def free_us(self) -> int:
        """Return what other bots have used of that while they might work off turn."""
        return 0

    def excuse(self, receipt: Receipt, allowance_us: int) -> Mishap | None:
        """What to say of lateness when neither the bot nor we could run; None: it is the bot's.

        What other bots have used meanwhile is their doing, and what we have was for a bot, perhaps
        for this one: the deadline was put off by both.
        """
        past_us = receipt.complete - allowance_us
        self.lag_us = max(self.lag_us, past_us - self.held_us - self.worked_us)
        self.look()
        lag_us = max(self.lag_us - self.others_us() - self.ours_us(), 0)
        if not self.is_counted or not starved(allowance_us, lag_us, receipt.cpu):
            return None
        detail = f"the host stood still for {self.lag_us // 1000} ms while the bot was to move"
        return Mishap(Blame.HOST, detail, self.evidence(receipt))
