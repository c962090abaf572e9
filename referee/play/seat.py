"""One bot at the table: writes a question to its process, waits for the answer, keeps the time.

Whatever the bot does comes back as a value. Inside a deal the wait is a synchronous poll, so that
an answer that comes at once costs no scheduling; only after a millisecond does trio take over.
"""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final

import trio

from protocol.connection import Connection
from protocol.errors import RemoteFault, RemoteProtocolError
from protocol.messages import Answer
from referee.errors import SandboxError
from referee.match.leg import Ask
from referee.match.verdict import Blame, FaultCode, Freeze, Mishap, Verdict
from referee.play.evidence import STDERR_MOST, Heard, Witness
from referee.play.exchange import READ_MOST, Exchange, exchange
from referee.play.last_seen import LastSeen
from referee.play.off_turn import OffTurn
from referee.play.off_turn_table import OffTurnTable
from referee.play.settling import Settling
from referee.play.standstill import STOOD_STILL_US, OwnWait
from referee.play.waiting import Wait
from referee.sandbox import BotProcess
from referee.sandbox.core_time import UNKNOWN, CoreUse
from referee.sandbox.freezer_file import FreezerFile
from referee.sandbox.priority import coming_first
from referee.signals import continued

SYNC_WAIT_MS: Final = 1
"""How long a synchronous poll may hold up everything else; the least that poll(2) can count."""

PREEMPTED_US: Final = 3000
"""An exchange takes so long only where others have our processor, or a pipe is locked."""

GRACE_S: Final = 1.0
"""How long a process may take to leave after `end`."""

_MOST_AT_END_US: Final = int(2 * GRACE_S * 1e6)
"""What a process may use meanwhile on its one core; with more it was where no kill ends it."""

LAST_WORD_S: Final = 0.25
"""How long a process may take to read why it was faulted, and leave."""


class Seat(Witness):
    """A running bot process, and the conversation with it."""

    def __init__(
        self,
        place: int,
        process: BotProcess,
        freeze: Freeze = Freeze.NEVER,
        seats: "Collection[Seat]" = (),
    ) -> None:
        """Takes over a process that was just started.

        Args:
            place: where it sits.
            process: the bot's.
            freeze: when it is to be stopped.
            seats: all that play, itself included if need be; a bot that works while another is to
                move is stopped, as its own `freeze` says.
        """
        super().__init__(place, process, freeze)
        self._seats = seats
        self._ended = False
        self._leaving_us = 0
        """Processor time that it used between its farewell and when that was long enough."""
        self._continued = 0
        self._wait: Wait | Settling | None = None
        self.last_seen: LastSeen | None = None
        """Since when it counts what other threads of ours use, where that is counted."""
        self.own_wait: OwnWait | None = None
        """How long we ourselves wait for a processor, where that is counted."""

    async def ask(self, ask: Ask) -> Heard | Verdict | Mishap:
        """Writes a question and waits for its answer, all within its allowance."""
        return self.ask_at_once(ask) or await self.finish()

    def ask_at_once(self, ask: Ask) -> Heard | Verdict | Mishap | None:
        """Writes a question; the answer if it comes before anybody else needs to run.

        None: `finish` waits for it.
        """
        off_turn, process = self.off_turn, self.process
        if self.stderr.total > STDERR_MOST:
            return self.flood_verdict(None)
        cpu = off_turn.end(time.perf_counter_ns())
        if off_turn.charge:
            return self.off_turn_verdict()
        self.begin_act()
        freezer = off_turn.freezer()
        made = self.exchange(ask.line, ask.id, ask.legal, freezer)
        if freezer.is_there() and (made[-1] is None or not freezer.freeze):
            process.goes_on()
        return self.judge(ask, made, cpu)

    def exchange(
        self, line: bytes, id_: str, legal: tuple[str, ...], freezer: FreezerFile
    ) -> Exchange:
        """Write a line and await its answer for a moment; see `referee.play.exchange`."""
        process, calls = self.process, self.calls
        calls.call = (self,)
        try:
            return exchange(
                process.stdin,
                process.stdout,
                process.stderr,
                line,
                id_,
                legal,
                SYNC_WAIT_MS,
                *freezer,
            )
        finally:  # as `PipeCalls.during` does it, in an act that takes 16 microseconds
            calls.call = None
            if calls.acts:
                calls.wait()

    def judge(self, ask: Ask, made: Exchange, cpu: int) -> Heard | Verdict | Mishap | None:
        """What came of a question so far.

        Args:
            ask: the question.
            made: what came of writing it and of waiting for a moment.
            cpu: the processor time that the bot had used before.
        """
        found: Heard | Verdict | Mishap | None
        found = self._heard(ask, made, cpu)
        if found is not None and continued[0] != self._continued:
            found = self._unless_stopped(found)
        if found is not None and self.off_turn.freezes:
            self.off_turn.stop()
            if isinstance(found, tuple) and self._works_on():
                since_us = (time.perf_counter_ns() - made[0]) // 1000 - found[1].complete
                self._wait = Settling(self, found, ask.allowance_us, since_us)
                return None
        return found

    def begin_act(self) -> None:
        """Forget what was seen of the machine in the act before."""
        self.lag_us = self.held_us = self.worked_us = 0
        self.is_counted = True
        self._continued = continued[0]

    async def finish(self) -> Heard | Verdict | Mishap:
        """Waits for the answer that did not come at once, or until the bot stands still after it.

        All within the act's allowance.
        """
        wait = self._wait
        assert wait is not None  # noqa: S101  # a driver out of order is our bug
        with coming_first():  # the bot may think on until it is stopped, and others beside it
            found: Heard | Verdict | Mishap = await wait.finish()
            if continued[0] != self._continued:
                found = self._unless_stopped(found)
            self.off_turn.stop()
            if isinstance(wait, Wait) and isinstance(found, tuple) and self._works_on():
                found = await Settling(self, found, wait.allowance_us).finish()
        self._wait = None
        if self.own_wait is not None:
            self.own_wait.begin()  # what we waited for in this act is of no later one
        return found

    def _works_on(self) -> bool:
        """Whether it goes on though it has answered and was stopped."""
        return self.off_turn.freezes and not self.off_turn.comes_to_a_stop()

    def others_us(self) -> int:
        """Return the processor time that other bots have used in the act under way."""
        return sum(other.took_us() for other in self.off_turn_bots())

    def ours_us(self) -> int:
        """Return the processor time that was used for no bot in the act under way."""
        return 0 if self.last_seen is None else self.last_seen.ours_us()

    def core_use(self) -> CoreUse:
        """Return what the core has done in the act under way."""
        return UNKNOWN if self.last_seen is None else self.last_seen.core_use()

    def free_us(self) -> int:
        """Return what of that they used while they might work."""
        return sum(other.took_freely_us() for other in self.off_turn_bots())

    def off_turn_bots(self) -> list[OffTurn]:
        """Return the others, which are not to move."""
        return [seat.off_turn for seat in self._seats if seat is not self]

    def _unless_stopped(self, found: Heard | Verdict | Mishap) -> Heard | Verdict | Mishap:
        """What came of an act during which we were stopped: how long it took is not known."""
        if isinstance(found, Verdict) and found.code is not FaultCode.LATE:
            return found
        detail = "the referee was stopped while the bot was to move"
        return Mishap(Blame.HOST, detail, self.evidence())

    def _heard(self, ask: Ask, made: Exchange, cpu: int) -> Heard | Verdict | None:
        """What the bot has said, or how it has broken the protocol; None: a wait begins."""
        begin, written, self.heard, sent, self.held_us, came, talk, action = made
        self.said = ask.line
        if talk:
            self.stderr.feed(talk)
        took_us = came - self.held_us
        if max(came, self.held_us) >= PREEMPTED_US and self.own_wait is not None:
            sent, came = self._without(self.own_wait.us(), sent, came, cpu)
        if came >= min(ask.allowance_us, STOOD_STILL_US):
            for other in self.off_turn_bots():
                other.check()
            # what others took of it is not its time, nor that in which none of us ran
            not_its_us = max(self.standstill.end_of_poll(took_us), self.others_us())
            came -= self._idle_us(not_its_us, came, cpu)
            sent = min(sent, came)
        if action is not None and ask.connection.passes(self.heard):
            return Answer(ask.id, action), self.receipt(sent, came, came, cpu)
        if self.heard:
            try:
                message = ask.connection.hear(self.heard)
            except RemoteProtocolError as error:
                return self.protocol_verdict(error, self.receipt(sent, came, came, cpu))
            if message is not None:
                return message, self.receipt(sent, came, came, cpu)
        table, unsent = OffTurnTable(self.off_turn_bots()), ask.line[written:]
        self._wait = Wait(self, ask, table, begin=begin, cpu=cpu, unsent=unsent)
        return None

    def _without(self, waited_us: int, sent: int, came: int, cpu: int) -> tuple[int, int]:
        """When the line was written and answered, without our own wait for a processor.

        It is others who had that then, but for what the bot itself has used.
        """
        self.held_us = max(self.held_us - waited_us, 0)
        if came:
            came -= self._idle_us(waited_us, came, cpu)
            sent = min(sent, came)
        return sent, came

    def _idle_us(self, us: int, spent_us: int, cpu: int) -> int:
        """Return how much of it the bot did not run, in an act that took so long; not all."""
        return min(us, max(spent_us - (self.process.cpu_us() - cpu) - 1, 0))

    async def say_fault(self, line: bytes) -> None:
        """Tell a bot at fault why, let it leave, and end it: its next life may come at once."""
        self._thaw_if_possible()
        self._write_what_fits(line)
        self.process.close_stdin()
        try:
            with trio.move_on_after(LAST_WORD_S):
                async with self.draining():
                    await trio.lowlevel.wait_readable(self.process.exited_fd)
            await self.end_aside()
        finally:
            self.end()  # where the match is interrupted meanwhile

    async def end_aside(self) -> None:
        """End it as `end` does, by another thread.

        That takes up to ten seconds, with what a bot can leave to the kernel: meanwhile the
        conductor looks at the bots that live.
        """
        if self._closes():
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._let_go)

    async def say_end(self, line: bytes, connection: Connection) -> None:
        """Say farewell, and wait until the bot has left; `judge_end` follows.

        It is not ended here: to end another can take long, in which this one would work on.
        """
        self._thaw_if_possible()
        begun_us = self.process.cpu_us()
        self._write_what_fits(line)
        self.process.close_stdin()
        self.heard = connection.unread()
        with trio.move_on_after(GRACE_S):
            async with self.draining():
                await self._hear_the_rest()
                await trio.lowlevel.wait_readable(self.process.exited_fd)
        self._leaving_us = self.process.cpu_us() - begun_us

    def judge_end(self) -> Verdict | None:
        """Kill a bot that was to leave, and return what was wrong till then.

        What it holds is let go by `end`, when all bots of the match have ended: while one lives it
        could keep in memory what another has read.
        """
        verdict = None
        if self.heard:
            error = RemoteProtocolError(RemoteFault.PROTOCOL, "a line that nobody asked for")
            error.line = self.heard
            verdict = self.protocol_verdict(error, None)
        verdict = self.memory_verdict() or verdict
        used_us = self._leaving_us - self.process.cpu_us()
        self.process.kill()
        used_us += self.process.cpu_us()
        if used_us > _MOST_AT_END_US:
            self.off_turn.charge = f"it used {used_us // 1000} ms of the processor to leave"
        if self.off_turn.charge:
            verdict = self.off_turn_verdict()
        return verdict

    def end(self) -> None:
        """End the process, whatever it does, and let go of it. Idempotent."""
        if self._closes():
            self._let_go()

    def _closes(self) -> bool:
        """Whether it is to be ended now, and not yet."""
        if self._ended:
            return False
        self._ended = True
        trio.lowlevel.notify_closing(self.process.stderr)  # an orphan may hold it open
        return True

    def _let_go(self) -> None:
        self.process.kill()
        self.process.release()

    def _thaw_if_possible(self) -> None:
        """Let it go on to leave; where a daemon does not, it is ended without."""
        with suppress(SandboxError):
            self.process.thaw()

    def _write_what_fits(self, line: bytes) -> None:
        self.said = line
        with suppress(
            OSError
        ):  # it does not read, or is gone: it has been told as well as it can be
            self.write(line)

    async def _hear_the_rest(self) -> None:
        while len(self.heard) < READ_MOST:
            await trio.lowlevel.wait_readable(self.process.stdout)
            try:
                data = os.read(self.process.stdout, READ_MOST)
            except BlockingIOError:  # the bot itself may have read it, where it can open its pipe
                continue
            if not data:
                return
            self.heard += data
