"""One bot at the table: writes a question to its process, waits for the answer, keeps the time.

Whatever the bot does comes back as a value. Inside a deal the wait is a synchronous poll, so that
an answer that comes at once costs no scheduling; only after a millisecond does trio take over.
"""

import os
import select
import time
from typing import Final

import trio

from protocol.connection import Connection
from protocol.errors import RemoteFault, RemoteProtocolError
from protocol.messages import Answer, Ready
from referee.leg import Ask, late
from referee.sandbox import BotProcess
from referee.sandbox.host import killed_for_memory
from referee.verdict import Family, FaultCode, Freeze, Mishap, Receipt, Verdict
from referee.witness import Witness

SYNC_WAIT_MS: Final = 1
"""How long a synchronous poll may hold up everything else; the least that poll(2) can count."""

GRACE_S: Final = 1.0
"""How long a process may take to leave after `end`."""

LAST_WORD_S: Final = 0.25
"""How long a process may take to read why it was faulted, and leave."""

OFF_TURN_US: Final = 1000
"""How much processor time a bot may use between its acts before it is stopped there."""

_TICK_S: Final = 0.01
_NEVER: Final = 1 << 62
_READ: Final = 4096

Heard = tuple[Answer | Ready, Receipt]


class Seat(Witness):
    """A running bot process, and the conversation with it."""

    def __init__(self, process: BotProcess, freeze: Freeze = Freeze.NEVER) -> None:
        """Takes over a process that was just started."""
        super().__init__(process)
        self._freezes = freeze is Freeze.ALWAYS
        self._watches = freeze is Freeze.AUTO
        self._rested_at = _NEVER
        self._rested_ns = -_NEVER
        self.off_turn_us = 0
        """What it used between two acts, once that is the reason for stopping it there."""
        self._poll = select.poll()
        self._poll.register(process.stdout, select.POLLIN)
        self._ended = False
        self._wait: _Wait | None = None

    async def drain_stderr(self) -> None:
        """Reads stderr until it is closed or flooded.

        A flood is judged at the bot's own turn: to end the process here would cost time of
        whoever is thinking.
        """
        try:
            while not self.stderr.flooded.is_set():
                await trio.lowlevel.wait_readable(self.process.stderr)
                data = os.read(self.process.stderr, 65536)
                if not data:
                    return
                self.stderr.feed(data)
        except (OSError, trio.ClosedResourceError):
            return  # the process was ended meanwhile

    async def ask(self, ask: Ask) -> Heard | Verdict | Mishap:
        """Writes a question and waits for its answer, all within its allowance."""
        return self.ask_at_once(ask) or await self.finish()

    def ask_at_once(self, ask: Ask) -> Heard | Verdict | None:
        """Writes a question; the answer if it comes before anybody else needs to run.

        None: `finish` waits for it.
        """
        if self.stderr.flooded.is_set():
            return self.flood_verdict(None)
        self.lag_us = 0
        if self._freezes:
            self.process.thaw()
        cpu = self._rested_at
        if (
            time.perf_counter_ns() - self._rested_ns > OFF_TURN_US * 1000
        ):  # in less it cannot have used so much
            cpu = self.process.cpu_us()
            if self._watches and cpu - self._rested_at > OFF_TURN_US:
                self.off_turn_us = cpu - self._rested_at
                self._watches, self._freezes = False, True
        found = self._ask(ask, time.perf_counter_ns(), cpu)  # what we did before is our time
        if self._freezes and found is not None:
            self.process.freeze()
        return found

    async def finish(self) -> Heard | Verdict | Mishap:
        """Waits for the answer that did not come at once, within the act's allowance."""
        assert self._wait is not None  # noqa: S101  # a driver out of order is our bug
        found = await self._wait.finish()
        self._wait = None
        if self._freezes:
            self.process.freeze()
        return found

    def receipt(self, sent: int, first: int, complete: int, cpu: int) -> Receipt:
        """The receipt of an act that is over; `cpu` is what the process had used before it."""
        self._rested_at = now = self.process.cpu_us()
        self._rested_ns = time.perf_counter_ns()
        return Receipt(sent, first, complete, now - cpu)

    def _ask(self, ask: Ask, begin: int, cpu: int) -> Heard | Verdict | None:
        process = self.process
        self.said = ask.line
        self.heard = b""
        sent = came = 0
        try:
            written = os.write(process.stdin, ask.line)
        except BlockingIOError:
            written = 0
        except OSError:
            written = len(ask.line)  # it closed its stdin; it may still answer
        try:
            if written == len(ask.line):
                sent = (time.perf_counter_ns() - begin) // 1000
                if self._poll.poll(SYNC_WAIT_MS):
                    data = self.heard = os.read(process.stdout, _READ)
                    came = (time.perf_counter_ns() - begin) // 1000
                    if data:
                        message = ask.connection.hear(data)
                        if message is not None:
                            return message, self.receipt(sent, came, came, cpu)
        except BlockingIOError:
            pass  # poll was mistaken; the wait looks again
        except RemoteProtocolError as error:
            return self.accuse(error, self.receipt(sent, came, came, cpu))
        self._wait = _Wait(self, ask, begin, cpu, ask.line[written:])
        return None

    async def dismiss(self, line: bytes) -> None:
        """Tells a bot at fault why, lets it leave, and ends it."""
        self.process.thaw()
        self._write_what_fits(line)
        self.process.close_stdin()
        with trio.move_on_after(LAST_WORD_S):
            await trio.lowlevel.wait_readable(self.process.exited_fd)
        self.end()

    async def part(self, line: bytes, connection: Connection) -> Verdict | None:
        """Says farewell, waits until the bot has left, ends it; says what was wrong till then."""
        self.process.thaw()
        self._write_what_fits(line)
        self.process.close_stdin()
        self.heard = connection.unread()
        with trio.move_on_after(GRACE_S):
            await self._hear_the_rest()
            await trio.lowlevel.wait_readable(self.process.exited_fd)
        verdict = None
        if self.heard:
            error = RemoteProtocolError(RemoteFault.PROTOCOL, "a line that nobody asked for")
            error.line = self.heard
            verdict = self.accuse(error, None)
        verdict = self.memory_verdict() or verdict
        self.end()
        return verdict

    def end(self) -> None:
        """Ends the process, whatever it does. Idempotent."""
        self.process.kill()
        if not self._ended:
            self._ended = True
            trio.lowlevel.notify_closing(self.process.stderr)  # an orphan may hold it open
            self.process.release()

    def _write_what_fits(self, line: bytes) -> None:
        self.said = line
        try:
            os.write(self.process.stdin, line)
        except OSError:
            return  # it does not read, or is gone: it has been told as well as it can be

    async def _hear_the_rest(self) -> None:
        while len(self.heard) < _READ:
            await trio.lowlevel.wait_readable(self.process.stdout)
            try:
                data = os.read(self.process.stdout, _READ)
            except BlockingIOError:  # the bot itself may have read it, where it can open its pipe
                continue
            if not data:
                return
            self.heard += data


class _Wait:
    """A question whose answer did not come at once, with trio keeping the time."""

    def __init__(self, seat: Seat, ask: Ask, begin: int, cpu: int, unsent: bytes) -> None:
        self._seat = seat
        self._ask = ask
        self._begin = begin
        self._cpu = cpu
        self._unsent = unsent
        self._sent = 0 if unsent else self._elapsed_us()
        self._first = self._elapsed_us() if seat.heard else None
        self._last = 0
        self._closed = False
        self._killed_before = killed_for_memory()

    def _elapsed_us(self) -> int:
        return (time.perf_counter_ns() - self._begin) // 1000

    def _receipt(self, complete: int) -> Receipt:
        first = complete if self._first is None else self._first
        return self._seat.receipt(self._sent, first, complete, self._cpu)

    async def finish(self) -> Heard | Verdict | Mishap:
        """Waits for the answer, the end of the process, or the deadline."""
        seat = self._seat
        left_s = max(self._ask.allowance_us - self._elapsed_us(), 0) / 1e6
        heard: Answer | Ready | RemoteProtocolError | None = None
        with trio.move_on_after(left_s):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write)
                nursery.start_soon(self._watch_lag, self._ask.allowance_us)
                heard = await self._read()
                nursery.cancel_scope.cancel()
        if isinstance(heard, RemoteProtocolError):
            return seat.accuse(heard, self._receipt(self._last))
        if heard is not None:
            return heard, self._receipt(self._last)
        return self._why_silent(self._receipt(self._elapsed_us()))

    def _why_silent(self, receipt: Receipt) -> Verdict | Mishap:
        """What it means that no answer came: the first of these that holds."""
        seat, process = self._seat, self._seat.process
        if seat.stderr.flooded.is_set():
            return seat.flood_verdict(receipt)
        verdict = seat.memory_verdict(receipt)
        if verdict is not None:
            return verdict
        status = process.status()
        if status is not None:
            evidence = seat.evidence(receipt)
            by_host = process.ended_by_host()
            if by_host is None:
                by_host = killed_for_memory() > self._killed_before
            if status == "killed by SIGKILL" and by_host:
                return Mishap(Family.HOST, "the host ran out of memory", evidence)
            return Verdict(FaultCode.CRASHED, f"the process ended: {status}", evidence)
        allowance_us = self._ask.allowance_us
        excuse = seat.excuse(receipt, allowance_us)
        if excuse is not None:
            return excuse
        detail = f"{late(allowance_us).detail}; {self._why_late()}"
        return Verdict(FaultCode.LATE, detail, seat.evidence(receipt))

    async def _watch_lag(self, allowance_us: int) -> None:
        """Adds up by how much we are woken too late."""
        tick_s = max(_TICK_S, allowance_us / 1e8)
        while True:
            due = time.perf_counter_ns() + int(tick_s * 1e9)
            try:
                await trio.sleep(tick_s)
            finally:  # it also counts when it is the deadline that ends the wait
                late_us = (time.perf_counter_ns() - due) // 1000
                self._seat.lag_us += max(late_us, 0)

    def _why_late(self) -> str:
        if self._closed:
            return "it has closed its standard output"
        process = self._seat.process
        if self._first is not None:
            return "part of a line came: does it end with a newline?"
        if process.unread():
            return "it has not read the question"
        if process.waits_for_input():
            return "it has read the question and waits for input: did you flush your answer?"
        return "it was still at work"

    async def _write(self) -> None:
        while self._unsent:
            try:
                await trio.lowlevel.wait_writable(self._seat.process.stdin)
                self._unsent = self._unsent[os.write(self._seat.process.stdin, self._unsent) :]
            except BlockingIOError:
                continue
            except OSError:
                return  # it closed its stdin; it may still answer
            self._sent = self._elapsed_us()

    async def _read(self) -> Answer | Ready | RemoteProtocolError | None:
        """The answer, or what breaks the protocol, or None once the process has ended."""
        try:
            return await self._read_message()
        except RemoteProtocolError as error:  # as a value: a nursery would wrap it in a group
            return error

    async def _read_message(self) -> Answer | Ready | None:
        connection = self._ask.connection
        while True:
            message = connection.next_message()
            if message is not None:
                return message
            ended = await self._readable_or_ended()
            try:
                data = os.read(self._seat.process.stdout, _READ)
            except BlockingIOError:
                if ended:
                    return None
                continue
            if not data:  # closed, which is no crime while the process lives: the clock decides
                self._closed = True
                await trio.lowlevel.wait_readable(self._seat.process.exited_fd)
                return None
            self._last = self._elapsed_us()  # before the line is read: parsing is our time
            if self._first is None:
                self._first = self._last
            self._seat.hears(data)
            connection.receive(data)

    async def _readable_or_ended(self) -> bool:
        """Waits for bytes, for the end of the process or for a flood; False for bytes."""
        process = self._seat.process

        async with trio.open_nursery() as nursery:

            async def first_of(descriptor: int) -> None:
                await trio.lowlevel.wait_readable(descriptor)
                nursery.cancel_scope.cancel()

            async def flood() -> None:
                await self._seat.stderr.flooded.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(first_of, process.stdout)
            nursery.start_soon(first_of, process.exited_fd)
            nursery.start_soon(flood)
        return process.status() is not None or self._seat.stderr.flooded.is_set()
