"""A worker process, from its parent's side."""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import trio

from referee.sandbox.bare import become_subreaper, ending, ends_of
from referee.sandbox.choose import sweep_dead
from referee.sandbox.folders import work_folder
from referee.sandbox.procfs import children, is_dead
from referee.workers.line_reader import Lines
from referee.workers.messages import Order, SetUp, WorkerReport, line_of, read_report

_COMMAND: Final = (sys.executable, "-P", "-m", "referee.workers.worker")
"""-P: what lies in the folder where we are called is not imported in place of ourselves."""

_END_S: Final = 5.0
"""How long a worker may take to end its bots and itself, before it is killed."""

_CLEAR_S: Final = 5.0
"""How long we wait for what a dead worker has left."""

_LAST_WORDS: Final = 2000

_living: Final[set[int]] = set()
"""The workers of this process."""


class WorkerGone(Exception):
    """The worker has ended before it answered; the text says how."""


def _started(stderr: int) -> subprocess.Popen[bytes]:
    """A process of a worker, out of reach of our terminal's signals.

    Not by trio's open_process: it forks in a thread, and what is to die with its parent dies with
    that thread.
    """
    return subprocess.Popen(  # noqa: S603  # our own program
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        bufsize=0,
        start_new_session=True,
    )


class Child:
    """A worker that runs, or did."""

    def __init__(self, set_up: SetUp) -> None:
        """Starts a worker, which will report whether it is set up.

        Raises:
            OSError: no process can be started.
        """
        become_subreaper()  # what a dead worker leaves is left to us, who can wait for its end
        self._before = children(os.getpid())
        self._stderr = os.memfd_create("stderr", os.MFD_CLOEXEC)  # unlike a pipe, never full
        try:
            self._popen = _started(self._stderr)
        except OSError:
            os.close(self._stderr)
            raise
        self.pid = self._popen.pid
        try:
            orders, reports = ends_of(self._popen)
            os.write(orders, line_of(set_up))  # an empty pipe takes that much at once
            self._exited = os.pidfd_open(self.pid)
        except OSError:
            self._popen.kill()
            self._popen.wait()
            os.close(self._stderr)
            raise
        _living.add(self.pid)
        self._orders = trio.lowlevel.FdStream(orders)
        self._reports = trio.lowlevel.FdStream(reports)
        self._lines = Lines(self._reports)

    async def ask(self, order: Order) -> WorkerReport:
        """Gives an order, and waits for the answer.

        Raises:
            WorkerGone: the worker has ended instead.
        """
        try:
            await self._orders.send_all(line_of(order))
        except trio.BrokenResourceError:
            raise WorkerGone(await self._how()) from None
        return await self.hear()

    async def hear(self) -> WorkerReport:
        """Waits for the next report.

        Raises:
            WorkerGone: the worker has ended instead.
        """
        line = await self._lines.next()
        if line is None:
            raise WorkerGone(await self._how())
        return read_report(line)

    async def _how(self) -> str:
        """How the worker has ended, with its last words."""
        with trio.move_on_after(_END_S):
            await trio.lowlevel.wait_readable(self._exited)
        code = self._popen.poll()
        length = os.fstat(self._stderr).st_size
        said = os.pread(self._stderr, _LAST_WORDS, max(0, length - _LAST_WORDS))
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        how = "it closed its stdout" if code is None else ending(code)
        return f"{how}: {last}" if last else how

    async def end(self) -> None:
        """Ends the worker, its bots and its sandbox; takes seconds at most, and all of them."""
        with trio.CancelScope(shield=True):
            await self._orders.aclose()  # this is what ends it
            with trio.move_on_after(_END_S):
                await trio.lowlevel.wait_readable(self._exited)
            in_order = self._popen.poll() == 0
            self._popen.kill()
            self._popen.wait()
            _living.remove(self.pid)
            await self._reports.aclose()
            os.close(self._exited)
            os.close(self._stderr)
            if not in_order:
                await self._clear_up()

    async def _clear_up(self) -> None:
        """Ends and takes in what a worker has left that did not end in order.

        Its janitor ends things too, but may be dead as well, and does not say when it has done.
        """
        await trio.to_thread.run_sync(sweep_dead, work_folder(), "")
        with trio.move_on_after(_CLEAR_S):
            while left := children(os.getpid()) - self._before - _living:
                _take_in(filter(is_dead, left))
                await trio.sleep(0.005)


def _take_in(dead: Iterable[int]) -> None:
    for pid in dead:
        with suppress(ChildProcessError):  # another thread has waited for it
            os.waitpid(pid, os.WNOHANG)
