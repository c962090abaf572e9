"""Waiting for an answer that did not come at once, with trio keeping the time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import trio

from protocol.errors import RemoteProtocolError
from protocol.messages import Answer, Ready
from referee.match.leg import Ask, too_late
from referee.match.verdict import Blame, FaultCode, Mishap, Receipt, Verdict
from referee.play.arrival import Arrival
from referee.play.evidence import Heard, Witness
from referee.play.exchange import READ_MOST
from referee.play.held_up import HeldUp
from referee.play.looks import FIRST_LOOK_NS, Looks
from referee.play.off_turn_table import OffTurnTable
from referee.play.silence import is_crowd, why_late
from referee.sandbox.bare import has_ended
from referee.sandbox.oom import killed_for_memory
from referee.sandbox.priority import come_as_others_do, come_first_again
from referee.sandbox.watchdog import WATCHDOG

_LEAST_HELD_UP_US: Final = 1000
"""Less is not worth a second look."""


class Wait:
    """A question that was written, and has no answer yet."""

    def __init__(
        self,
        witness: Witness,
        ask: Ask,
        table: OffTurnTable,
        *,
        begin: int,
        cpu: int,
        unsent: bytes,
    ) -> None:
        """Take over a question.

        Args:
            witness: sees what the bot does.
            ask: the question.
            table: the other bots.
            begin: when the act began, in nanoseconds.
            cpu: what the bot had used then, in microseconds.
            unsent: what the pipe has not taken yet.
        """
        self._witness = witness
        self._ask = ask
        self._table = table
        self._begin = begin
        self._cpu = cpu
        self._unsent = unsent
        self._sent = 0 if unsent else self._elapsed_us()
        self._first = self._elapsed_us() if witness.heard else None
        self._last = 0
        self._closed = False
        self._arrival = Arrival(witness.process)
        self._put_off_us = 0
        self._held_before_us = witness.held_us
        stood_us = witness.standstill.end_of_poll(self._elapsed_us() - witness.held_us)
        self._looks = Looks(witness, begin, ask.allowance_us, stood_us)
        self._away_us = 0
        self._held_up = HeldUp(witness.process, ask.allowance_us, begin, cpu)
        self._held_up.stand_still(stood_us)
        self._still_us = self._still_before_us = witness.process.held_us()
        """For how long we had held the bot still: by our last look, and when this act began."""
        self._others_before_us: int | None = None
        """What other bots had used when the act began, at least."""
        self._free_before_us = 0
        """What those that may work had used at our first look."""
        self._ours_before_us = 0
        """What other threads of ours had, at least."""
        self._main_begin_ns = self._main_ns = time.thread_time_ns()
        """What this thread had then, and what it has used since in long looks, which `_away`
        counts."""
        self._has_taken = False
        """Whether bytes have come since we last looked for a whole line."""
        self._killed_before = killed_for_memory()

    @property
    def allowance_us(self) -> int:
        """How long the act may take."""
        return self._ask.allowance_us

    def _elapsed_us(self) -> int:
        return (time.perf_counter_ns() - self._begin) // 1000

    def _receipt(self, complete: int, cpu_us: int) -> Receipt:
        """The receipt of an act that took so long, but for what others took of that.

        Args:
            complete: how long, in microseconds; a long question may be taken only after it.
            cpu_us: what the bot had used by then.
        """
        held_up = self._held_up.not_charged_us(complete, cpu_us)
        self._witness.worked_us = (time.thread_time_ns() - self._main_begin_ns) // 1000
        times = (self._sent, complete if self._first is None else self._first, complete)
        sent, first, complete = (max(min(us, complete) - held_up, 0) for us in times)
        return self._witness.receipt(sent, first, complete, self._cpu)

    async def finish(self) -> Heard | Verdict | Mishap:
        """Wait for the answer, the end of the process, or the deadline.

        The deadline is put off by as much as others have kept the bot from running.
        """
        WATCHDOG.glance_by(self._arrival.look)
        try:
            return await self._finish()
        finally:
            WATCHDOG.glance_no_more(self._arrival.look)

    async def _finish(self) -> Heard | Verdict | Mishap:
        heard: Answer | Ready | RemoteProtocolError | None = None
        begin = trio.current_time() - self._elapsed_us() / 1e6
        owed_until = begin
        while True:
            deadline = begin + (self._ask.allowance_us + self._put_off_us) / 1e6
            deadline = max(deadline, owed_until)
            with trio.move_on_at(deadline) as waited:
                async with self._witness.draining() as nursery:
                    nursery.start_soon(self._write)
                    nursery.start_soon(self._watch)
                    heard = await self._read()
            looked_ns = time.thread_time_ns()
            come_first_again()  # what we do now is not counted, and the bot may think on
            ended_us, cpu_us = self._elapsed_us(), self._witness.process.cpu_us()
            if heard is not None or not waited.cancelled_caught:
                break
            try:
                if not self._is_put_off():
                    break
            except RemoteProtocolError as error:
                heard = error
                break
            # what we worked kept it from the core, and where looks take long it would never run
            owed_until = trio.current_time() + (time.thread_time_ns() - looked_ns) / 1e9
        if isinstance(heard, RemoteProtocolError):
            return self._witness.protocol_verdict(heard, self._receipt(self._last, cpu_us))
        if heard is not None:
            self._add_holds()
            self._share()
            self._held_up.answered(self._looks.late_us)
            return heard, self._receipt(self._last, cpu_us)
        return await self._why_silent(self._receipt(ended_us, cpu_us))

    def _look(self) -> None:
        """Look whether what the bot itself has used is known, and so what others took."""
        away_us = self._witness.held_us - self._held_before_us + self._away_us
        due = self._begin + FIRST_LOOK_NS + away_us * 1000
        if self._others_before_us is None:
            # what others used before this act cannot be told from what they used in it until now
            ran_us = self._witness.process.cpu_us() - self._cpu
            in_it_us = max(self._elapsed_us() - ran_us, 0)
            self._others_before_us = max(self._witness.others_us() - in_it_us, 0)
            self._ours_before_us = max(self._witness.ours_us() - in_it_us, 0)
            self._free_before_us = self._witness.free_us()
        self._held_up.begin(due)
        self._witness.look()
        if not self._witness.is_counted:
            self._held_up.give_up()

    def _is_put_off(self) -> bool:
        """Whether the deadline that has come is put off; stops or ends bots that took too much."""
        looked_us = self._elapsed_us()
        self._look()
        self._add_holds()
        self._add_stall()
        self._share()
        before = self._put_off_us
        if self._first is None and self._arrival.is_there() and self._take():
            past_us = self._elapsed_us() - self._ask.allowance_us - self._held_up.us()
            self._held_up.lose_asleep(max(self._looks.late_us, past_us))
            self._put_off_us, self._looks.late_us = self._held_up.us(), 0
            return True
        self._put_off_us = self._held_up.us()
        if not self._held_up.is_too_long():
            is_later = self._put_off_us >= before + _LEAST_HELD_UP_US
            # else its time is over, and only this look has put its end off: so would each other
            has_time = self._ask.allowance_us + self._put_off_us > looked_us
            return (is_later and has_time) or self._rest_free()
        with self._away():
            made_room = self._table.make_room(self._held_up.by_others_us())
        if made_room:
            self._held_up.wait_longer()
            self._put_off_us = self._held_up.us()
        return made_room

    def _rest_free(self) -> bool:
        """Make those rest that may work; if any does, the bot has its time without them."""
        with self._away():
            has_rested = self._table.rest_free()
        if has_rested:
            self._held_up.count_all()
            self._put_off_us = self._held_up.us()
        return has_rested

    def _add_holds(self) -> None:
        """Take into account that we held the bot itself still, to look at it."""
        before, self._still_us = self._still_us, self._witness.process.held_us()
        self._held_up.be_away(self._still_us - before)

    def _share(self) -> None:
        """Take into account what others have used since our first look, if there was any.

        What is known of the core: the bot, the other bots and we have used it; what it was busy
        with beside that is of none of the match.
        """
        if self._others_before_us is None:
            return
        witness, main_ns = self._witness, time.thread_time_ns()
        others_us, ours_us = witness.others_us(), witness.ours_us()
        main_us = (main_ns - self._main_begin_ns) // 1000
        bots_us = others_us + witness.process.cpu_us() - self._cpu
        core = witness.core_use()
        foreign_us = max(core.busy_us - bots_us - ours_us - main_us, 0)
        free_us = max(witness.free_us() - self._free_before_us, 0)
        # while the bot is held still, that is left out already: see `_add_holds`
        ours_us -= self._ours_before_us + self._still_us - self._still_before_us
        ours_us = max(ours_us, 0) + (main_ns - self._main_ns) // 1000
        stopped_us = others_us - self._others_before_us - free_us
        self._held_up.share(stopped_us, free_us, ours_us + foreign_us)
        self._held_up.be_idle(core)

    def _add_stall(self) -> None:
        """Put the deadline off by how long we were not woken while other bots had used that time.

        A bot that is asleep when another keeps the core, interrupts and all, does not wait for the
        processor: it is woken late, and so are we.
        """
        witness = self._witness
        lost_us = witness.lag_us + witness.held_us  # a call on a pipe is longer by it, too
        others_us = witness.others_us() - (self._others_before_us or 0)
        self._held_up.stall(min(lost_us, max(others_us, 0)))

    async def _why_silent(self, receipt: Receipt) -> Verdict | Mishap:
        """What it means that no answer came: the first of these that holds."""
        witness, process = self._witness, self._witness.process
        if witness.stderr.flooded.is_set():
            return witness.flood_verdict(receipt)
        await self._table.aside(process.out_of_memory)
        status = await self._table.aside(process.status)
        verdict = witness.memory_verdict(receipt)
        if verdict is not None:
            return verdict
        if status is not None:
            evidence = witness.evidence(receipt)
            by_host = process.ended_by_host()
            if by_host is None:
                by_host = killed_for_memory() > self._killed_before
            if status == "killed by SIGKILL" and by_host:
                return Mishap(Blame.HOST, "the host ran out of memory", evidence)
            return Verdict(
                witness.place, FaultCode.CRASHED, f"the process ended: {status}", evidence
            )
        allowance_us = self._ask.allowance_us
        excuse = witness.excuse(receipt, allowance_us) or self._excuse(receipt)
        if excuse is not None:
            return excuse
        come = {"has_closed": self._closed, "has_begun": self._first is not None}
        why, mistake = await self._table.aside(partial(why_late, process, **come))
        detail = f"{too_late(allowance_us)}; {why}"
        return Verdict(witness.place, FaultCode.LATE, detail, witness.evidence(receipt), mistake)

    def _excuse(self, receipt: Receipt) -> Mishap | None:
        """What to say when others had the processor for too long to wait for the bot any more.

        Not of a crowd, which keeps us busy and the processor in interrupts that count for none, nor
        of a bot that has had the processor for all of its time.
        """
        had_all = receipt.cpu >= self._ask.allowance_us
        if had_all or not self._held_up.is_too_long() or is_crowd(self._witness.process):
            return None
        detail = f"others had the processor for {self._held_up.us() // 1000} ms of its act"
        return Mishap(Blame.HOST, detail, self._witness.evidence(receipt))

    async def _watch(self) -> None:
        """Look every now and then what others do; add up by how much we are woken too late."""
        self._check_others()
        while True:
            try:
                await trio.sleep(self._looks.rest_s())
            finally:  # it also counts when it is the deadline or the answer that ends the wait
                self._held_up.stand_still(self._looks.end_rest())
            self._look()
            self._check_others()

    def _check_others(self) -> None:
        """Look what others do; to stop one can take a daemon long, which is no lag of ours.

        Nor is it the bot's that is to move: if it has answered meanwhile, we read it late.
        """
        with self._away():
            self._table.check()
            if self._put_off_us:
                self._table.count_running()

    @contextmanager
    def _away(self) -> Iterator[None]:
        """Take into account that we see to other bots in the block."""
        begin, used_ns = time.perf_counter_ns(), time.thread_time_ns()
        self._arrival.begin()
        yield
        spent_ns = time.perf_counter_ns() - begin
        if spent_ns >= FIRST_LOOK_NS:
            used_ns = time.thread_time_ns() - used_ns
            self._main_ns += used_ns
            self._looks.be_away(spent_ns, used_ns)
            self._held_up.be_away(spent_ns // 1000)
            if self._arrival.is_there():
                self._held_up.leave_unread(*self._arrival.unread_us())
            self._away_us += spent_ns // 1000
            self._witness.standstill.begin()

    async def _write(self) -> None:
        while self._unsent:
            try:
                await trio.lowlevel.wait_writable(self._witness.process.stdin)
                self._unsent = self._unsent[self._witness.write(self._unsent) :]
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
            if self._has_taken:
                self._has_taken = False
                self._held_up.works_on()
                come_as_others_do()  # as with stderr: see `Witness`
            ended = await self._readable_or_ended()
            if not self._take() and ended:
                return None
            if self._closed:  # no crime while the process lives: the clock decides
                await trio.lowlevel.wait_readable(self._witness.process.exited_fd)
                return None

    def _take(self) -> bool:
        """Take in what is there of the answer; return whether anything is."""
        try:
            data = self._witness.read(self._witness.process.stdout, READ_MOST)
        except BlockingIOError:
            return False
        self._closed = not data
        if self._closed:
            return False
        self._has_taken = True
        self._last = self._elapsed_us()  # before the line is read: parsing is our time
        if self._first is None:
            self._first = self._last
        self._witness.hears(data)
        self._ask.connection.receive(data)
        return True

    async def _readable_or_ended(self) -> bool:
        """Wait for bytes, for the end of the process or for a flood; False for bytes."""
        process = self._witness.process
        async with trio.open_nursery() as nursery:

            async def first_of(descriptor: int) -> None:
                await trio.lowlevel.wait_readable(descriptor)
                nursery.cancel_scope.cancel()

            async def flood() -> None:
                await self._witness.stderr.flooded.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(first_of, process.stdout)
            nursery.start_soon(first_of, process.exited_fd)
            nursery.start_soon(flood)
        # a daemon is not asked how it ended: that can take a second
        return has_ended(process.exited_fd) or self._witness.stderr.flooded.is_set()
