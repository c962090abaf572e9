"""Counts that take long are done by processes of our own.

A thread that counts has Python's lock, and a bot that thinks takes the processor from it: our main
thread would wait for both of them while an answer lies there, and the bot would pay for it.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from referee.sandbox.counting import UNSEEN, Budget, Found, count

_COMMAND: Final = (sys.executable, "-P", "-m", "referee.sandbox.counting")
"""-P: what lies in the folder where we are called is not imported in place of ourselves."""

_QUICK: Final = Budget(0.001)
"""Counts that take less are done where we are: those of most bots that are one process."""


class CountProcess:
    """A process of ours that counts, for one bot at a time.

    Attributes:
        pid: its id.
        is_ended: whether it was told to end.
    """

    def __init__(self) -> None:
        """Start it.

        Raises:
            OSError: no process can be started.
        """
        self._popen = subprocess.Popen(  # noqa: S603  # our own program
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # out of reach of ctrl-C; a session would have a share of the core
        )
        self.pid = self._popen.pid
        self.is_ended = False
        self._is_ready = False
        self._used_ns = 0

    def wait_until_ready(self) -> None:
        """Return once it has begun: while it reads its program from the disk, no bot blocks it.

        Raises:
            EOFError: it has ended.
        """
        if not self._is_ready:
            self._line()
            self._is_ready = True

    def count(self, pids: Iterable[int], budget: Budget) -> Found:
        """As `counting.count`; waits for it.

        Raises:
            EOFError: it has ended.
        """
        self.wait_until_ready()
        assert self._popen.stdin is not None  # noqa: S101  # it is a pipe
        with suppress(BrokenPipeError):
            self._popen.stdin.write(json.dumps([tuple(pids), budget]).encode() + b"\n")
            self._popen.stdin.flush()
        return Found(*json.loads(self._line()))

    def _line(self) -> bytes:
        assert self._popen.stdout is not None  # noqa: S101  # it is a pipe
        line = self._popen.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return line

    def used_ns(self) -> int:
        """Return the processor time that it has used, in nanoseconds; once ended, what we knew."""
        with suppress(OSError):
            self._used_ns = max(self._used_ns, time.clock_gettime_ns((~self.pid << 3) | 2))
        return self._used_ns

    def end(self) -> None:
        """End it, whatever it waits for; `count` raises EOFError then. Idempotent."""
        self.is_ended = True
        self.used_ns()
        self._popen.kill()

    def close(self) -> None:
        """End it, and let go of what we have of it."""
        self.end()
        with suppress(BrokenPipeError), self._popen:  # it closes the pipes, and waits
            pass


class CountProcesses:
    """Those of this process: started when there is a count for them, and kept."""

    def __init__(self) -> None:
        """Begin with none."""
        self._idle: list[CountProcess] = []
        self._all: list[CountProcess] = []
        self._ended_ns = 0
        self._lock = threading.Lock()

    @contextmanager
    def one(self) -> Iterator[CountProcess]:
        """One that has nothing else to do; it is none of ours any more if the block raises.

        Raises:
            OSError: there is none, and none can be started.
        """
        process = self._next_idle() or self._new()
        try:
            yield process
        except BaseException:
            self._drop(process)
            raise
        with self._lock:
            self._idle.append(process)

    def _next_idle(self) -> CountProcess | None:
        while True:
            with self._lock:
                process = self._idle.pop() if self._idle else None
            if process is None or not process.is_ended:
                return process
            self._drop(process)  # it was told to while it answered

    def _new(self) -> CountProcess:
        process = CountProcess()
        with self._lock:
            self._all.append(process)
        return process

    def used_ns(self) -> int:
        """Return the processor time that they have used since ever, in nanoseconds."""
        if not self._all:
            return self._ended_ns
        with self._lock:
            return self._ended_ns + sum(process.used_ns() for process in self._all)

    def close(self) -> None:
        """End those that have nothing to do. Idempotent."""
        while self._idle:
            self._drop(self._idle.pop())

    def _drop(self, process: CountProcess) -> None:
        process.close()
        with self._lock:
            self._all.remove(process)
            self._ended_ns += process.used_ns()


COUNT_PROCESSES: Final = CountProcesses()


class Counter:
    """Counts for a bot once or twice, in a thread: at once what is quick, else in a process.

    Attributes:
        worker: the thread or process that counts, which the bot can keep waiting; 0 if none does.
        took_s: the processor time that all took.
        is_stopped: whether it is to end.
    """

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self.worker = 0
        self.took_s = 0.0
        self.is_stopped = False
        self._process: CountProcess | None = None

    def stop(self) -> None:
        """End what is under way: its bot is gone, or is counted in another way."""
        self.is_stopped = True
        if (process := self._process) is not None:
            process.end()

    def count(self, pids: Iterable[int], budget: Budget) -> Found:
        """As `counting.count`."""
        pids = tuple(pids)
        self.worker = threading.get_native_id()
        found = count(pids, _QUICK, lambda: self.is_stopped)
        self.took_s += found.took_s
        if not found.took_too_long or self.is_stopped:
            return found
        try:
            found = self._count_elsewhere(pids, budget)
        except (OSError, EOFError):  # we have no process, or it was ended
            return UNSEEN
        self.took_s += found.took_s
        return found

    def _count_elsewhere(self, pids: tuple[int, ...], budget: Budget) -> Found:
        self.worker = 0  # until there is a process, it is we who wait, and not for the bot
        with COUNT_PROCESSES.one() as process:
            self._process = process
            try:
                process.wait_until_ready()
                if self.is_stopped:
                    return UNSEEN
                self.worker = process.pid
                return process.count(pids, budget)
            finally:
                self._process = None
