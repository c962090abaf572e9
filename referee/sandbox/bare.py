"""Bots as plain child processes, for bots that their own author runs. No isolation at all.

Each bot is a session and a process group of its own. Processes that leave the group are adopted by
the referee (it is a subreaper) and swept at the end.
"""

import ctypes
import fcntl
import os
import resource
import secrets
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
_SIGNALS: Final = {int(one): one.name for one in signal.Signals}
_MARK: Final = "REFEREE_BOT"
_WAITING: Final = ("pipe_read", "epoll_wait", "ep_poll", "do_poll", "poll_schedule", "do_select")


def environment(token: str) -> dict[str, str]:
    """What a bot's environment holds: enough to find an interpreter, unbuffered Python, a token.

    The token tells whose a process is that has left its group.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", _MARK: token}


class BareProcess:
    """A bot as a child process; see `referee.sandbox.BotProcess`."""

    def __init__(self, bot: BotSpec) -> None:
        """Starts the bot.

        Raises:
            OSError: it cannot be started.
        """
        self.token = secrets.token_hex(8)
        # Not trio's open_process: it forks in a worker thread, which later sandboxes cannot bear.
        self._popen = subprocess.Popen(  # noqa: S603  # to run bots is what we are for
            bot.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=bot.folder,
            env=environment(self.token),
            start_new_session=True,
        )
        self.pid = self._popen.pid
        self._open: set[int] = set()
        try:
            self._take_descriptors()
        except OSError:
            self.kill()
            self.release()
            raise
        self._cpu_clock = (~self.pid << 3) | 2
        self._cpu_us = 0
        for limit, most in _LIMITS:
            self._limit(limit, most)

    def _take_descriptors(self) -> None:
        streams = [
            stream
            for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)
            if stream is not None
        ]
        try:
            copies = []
            for stream in streams:
                copies.append(os.dup(stream.fileno()))
                self._open.add(copies[-1])
                os.set_blocking(copies[-1], False)
            self.stdin, self.stdout, self.stderr = copies
            self.exited_fd = os.pidfd_open(self.pid)
            self._open.add(self.exited_fd)
        finally:
            for stream in streams:
                stream.close()

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
            return f"killed by {_SIGNALS.get(-code, f'signal {-code}')}"
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
    """The bare sandbox; see `referee.sandbox.Sandbox`. One at a time in a process.

    Every child that we did not have before and that is no running bot counts as left behind.
    """

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
        self._running.append(process)
        return process

    def sweep(self) -> None:
        """Kills whatever bots have left behind, and what that leaves, until there is nothing."""
        self._running = [process for process in self._running if process.status() is None]
        known = self._innocent | {process.pid for process in self._running}
        deadline = time.monotonic() + 2
        while (orphans := _children() - known) and time.monotonic() < deadline:
            for pid in orphans:
                _end(pid)

    def clear(self) -> None:
        """Kills the orphans of processes that have ended, and no one else's; reaps the dead."""
        living = {process.pid for process in self._running if process.status() is None}
        ended = [process.token for process in self._running if process.pid not in living]
        for pid in _children() - self._innocent - living:
            if _environment_of(pid).intersection(ended) or _is_dead(pid):
                _end(pid)


def _end(pid: int) -> None:
    with suppress(
        ProcessLookupError, ChildProcessError, PermissionError
    ):  # somebody else was quicker
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _environment_of(pid: int) -> set[str]:
    """The token in a process's environment, if it has one that we may read."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return set()
    begin = f"{_MARK}=".encode()
    return {
        entry.removeprefix(begin).decode(errors="replace")
        for entry in data.split(b"\0")
        if entry.startswith(begin)
    }


def _is_dead(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "Z"


def _children() -> set[int]:
    """Our child processes, whichever thread of ours started them."""
    while True:
        try:
            return _children_of(Path(f"/proc/{os.getpid()}/task"))
        except (FileNotFoundError, ProcessLookupError):
            continue  # a thread has just ended: its children belong to another now, so look again


def _children_of(threads: Path) -> set[int]:
    found: set[int] = set()
    for thread in threads.glob("*/children"):
        found |= {int(pid) for pid in thread.read_text().split()}
    return found
