"""A bot process that is told lines without a clock: it may be stopped in a debugger meanwhile."""

import os
import time
from contextlib import suppress
from typing import Final

import trio

from protocol.limits import LINE_FROM_BOT
from referee.debug.stops import Reply
from referee.play.evidence import Stderr
from referee.play.tee import Tee
from referee.sandbox import BotProcess

_READ: Final = 65536
_LEAVES_S: Final = 1.0


class FedProcess:
    """One running process of the bot.

    Attributes:
        process: the bot's.
    """

    def __init__(self, place: int, process: BotProcess, tee: Tee | None = None) -> None:
        """Take over a process that was just started.

        Args:
            place: where it sits.
            process: the bot's; `end` ends it.
            tee: takes all that is said, if anything does.
        """
        self.process = process
        self._place = place
        self._tee: Tee = tee or (lambda *_: None)
        self._unread = b""

    async def ask(self, line: bytes) -> Reply:
        """Tell the bot a line, or several, and wait for its answer for as long as it takes."""
        self._tee(self._place, ">", line)
        stderr, begin = Stderr(), time.perf_counter_ns()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain, stderr)
            nursery.start_soon(self._write, line)
            answer = await self._read()
            us = (time.perf_counter_ns() - begin) // 1000
            nursery.cancel_scope.cancel()
        self._drain_now(stderr)
        self._tee(self._place, "<", answer)
        if len(answer) > LINE_FROM_BOT:  # it may live on, and is ended whatever it does
            return Reply(answer, us, stderr.text(), None)
        if not answer.endswith(b"\n"):
            await self._left()
        return Reply(answer, us, stderr.text(), self.process.status())

    async def part(self, line: bytes) -> str:
        """Tell the bot its last line, let it leave, and end it; return its last words on stderr."""
        stderr = Stderr()
        self._tee(self._place, ">", line)
        with suppress(OSError):
            os.write(self.process.stdin, line)
        self.process.close_stdin()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain, stderr)
            await self._left()
            nursery.cancel_scope.cancel()
        self._drain_now(stderr)
        self.end()
        return stderr.text()

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        with suppress(OSError):
            trio.lowlevel.notify_closing(self.process.stderr)
        self.process.release()

    async def _left(self) -> None:
        with trio.move_on_after(_LEAVES_S):
            await trio.lowlevel.wait_readable(self.process.exited_fd)

    async def _write(self, data: bytes) -> None:
        while data:
            try:
                data = data[os.write(self.process.stdin, data) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self.process.stdin)
            except OSError:
                return  # it closed its stdin; it may still answer

    async def _read(self) -> bytes:
        """Return the next line, or what there is of it when the bot is gone or says too much."""
        while b"\n" not in self._unread and len(self._unread) <= LINE_FROM_BOT:
            await trio.lowlevel.wait_readable(self.process.stdout)
            try:
                data = os.read(self.process.stdout, _READ)
            except BlockingIOError:
                continue
            if not data:
                break
            self._unread += data
        line, newline, self._unread = self._unread.partition(b"\n")
        return line + newline

    async def _drain(self, stderr: Stderr) -> None:
        while True:
            await trio.lowlevel.wait_readable(self.process.stderr)
            if not self._feed(stderr):
                return

    def _drain_now(self, stderr: Stderr) -> None:
        for _ in range(16):
            try:
                if not self._feed(stderr):
                    return
            except BlockingIOError:
                return

    def _feed(self, stderr: Stderr) -> bool:
        data = os.read(self.process.stderr, _READ)
        stderr.feed(data)
        if data:
            self._tee(self._place, "!", data)
        return bool(data)
