"""Bots as plain child processes, for bots that their own author runs. No isolation at all.

Each bot is a session and a process group of its own. Processes that leave the group are adopted by
the referee (it is a subreaper) and swept at the end.
"""

import ctypes
import fcntl
import os
import resource
import signal
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.bots import BotSpec

_PR_SET_CHILD_SUBREAPER: Final = 36
_LIMITS: Final = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_FSIZE, 256 * 1024 * 1024),
    (resource.RLIMIT_NOFILE, 1024),
)
_KEPT: Final = ("PATH", "HOME", "TMPDIR", "JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT")
_WAITING: Final = ("pipe_read", "epoll_wait", "ep_poll", "do_poll", "poll_schedule", "do_select")


def environment() -> dict[str, str]:
    """What a bot's environment holds: enough to find an interpreter, and unbuffered Python."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1"}


class BareProcess:
    """A bot as a child process; see `referee.sandbox.BotProcess`."""

    def __init__(self, bot: BotSpec) -> None:
        """Starts the bot.

        Raises:
            OSError: it cannot be started.
        """
        # Not trio's open_process: it forks in a worker thread, which later sandboxes cannot bear.
        self._popen = subprocess.Popen(  # noqa: S603  # to run bots is what we are for
            bot.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=bot.folder,
            env=environment(),
            start_new_session=True,
        )
        self.pid = self._popen.pid
        self.stdin, self.stdout, self.stderr = (
            os.dup(stream.fileno())
            for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
            if stream is not None
        )
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream is not None:
                stream.close()
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.exited_fd = os.pidfd_open(self.pid)
        self._cpu_clock = (~self.pid << 3) | 2
        self._cpu_us = 0
        self._open = {self.stdin, self.stdout, self.stderr, self.exited_fd}
        for limit, most in _LIMITS:
            self._limit(limit, most)

    def _limit(self, limit: int, most: int) -> None:
        try:
            _, hard = resource.prlimit(self.pid, limit)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(self.pid, limit, (most, most))
        except (ProcessLookupError, PermissionError):
            pass  # it is gone already, or it is not ours to bound: bare promises no bounds

    def cpu_us(self) -> int:
        """Processor time used, in microseconds."""
        try:  # noqa: SIM105  # `suppress` costs more than the reading itself
            self._cpu_us = time.clock_gettime_ns(self._cpu_clock) // 1000
        except OSError:
            pass  # gone: the last reading stands
        return self._cpu_us

    def status(self) -> str | None:
        """How the process ended, in words, or None while it runs."""
        code = self._popen.poll()
        if code is None:
            return None
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"exit status {code}"

    def unread(self) -> int:
        """Bytes still in the pipe to the bot."""
        if self.stdin not in self._open:
            return 0
        found = fcntl.ioctl(self.stdin, termios.FIONREAD, b"\0\0\0\0")
        return int(struct.unpack("i", found)[0])

    def waits_for_input(self) -> bool:
        """Whether it has read everything and a thread of it sleeps in a read or a poll."""
        if self.unread():
            return False
        places = []
        for thread in Path(f"/proc/{self.pid}/task").glob("*/wchan"):
            try:
                places.append(thread.read_text())
            except OSError:
                continue  # that thread has just ended
        return any(word in place for place in places for word in _WAITING)

    def close_stdin(self) -> None:
        """Tells it that nothing more will come."""
        self._close(self.stdin)

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)

    def kill(self) -> None:
        """Ends the process and its group, and waits for it."""
        with suppress(ProcessLookupError, PermissionError):  # nobody of the group is left
            os.killpg(self.pid, signal.SIGKILL)
        if self._popen.poll() is None:
            self._popen.kill()
            self._popen.wait()

    def release(self) -> None:
        """Closes the descriptors."""
        for descriptor in tuple(self._open):
            self._close(descriptor)


class Bare:
    """The bare sandbox; see `referee.sandbox.Sandbox`."""

    name = "bare"

    def __init__(self) -> None:
        """Makes the referee the parent of every process that a dying bot leaves behind."""
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._innocent = _children()
        self._running: list[BareProcess] = []

    def launch(self, bot: BotSpec) -> BareProcess:
        """Starts a bot.

        Raises:
            OSError: it cannot be started.
        """
        process = BareProcess(bot)
        self._running = [other for other in self._running if other.status() is None]
        self._running.append(process)
        return process

    def sweep(self) -> None:
        """Kills orphans of bots, and the orphans that those leave, until there are none."""
        known = self._innocent | {process.pid for process in self._running}
        deadline = time.monotonic() + 2
        while (orphans := _children() - known) and time.monotonic() < deadline:
            for pid in orphans:
                try:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                except (ProcessLookupError, ChildProcessError):
                    continue  # somebody else was quicker


def _children() -> set[int]:
    own = f"/proc/{os.getpid()}/task"
    found: set[int] = set()
    for thread in Path(own).glob("*/children"):
        found |= {int(pid) for pid in thread.read_text().split()}
    return found
