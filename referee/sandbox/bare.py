"""Bots as plain child processes, for bots that their own author runs. No isolation at all.

Each bot is a session and a process group of its own. Processes that leave the group are adopted by
the referee (it is a subreaper) and swept at the end; a janitor ends them when the referee is gone.
"""

import ctypes
import os
import resource
import secrets
import select
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import Final

from referee.bots.find import BotSource, BotSpec
from referee.bots.settings import CopyLimits
from referee.errors import RefereeError
from referee.sandbox.build_cache import cache_folder, in_place
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.janitor import MARK
from referee.sandbox.procfs import (
    children,
    descendants,
    is_dead,
    is_stopped,
    marks,
    sleeps_in_a_read,
    threads_of,
)
from referee.sandbox.streams import Streams

_PR_SET_CHILD_SUBREAPER: Final = 36
_LIMITS: Final = (
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_FSIZE, 256 * 1024 * 1024),
    (resource.RLIMIT_NOFILE, 1024),
)
_KILL_S: Final = 2.0
_KEPT: Final = ("PATH", "HOME", "TMPDIR", "JAVA_HOME", "RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT")
_SIGNALS: Final = {int(one): one.name for one in signal.Signals}


def environment(token: str) -> dict[str, str]:
    """What a bot's environment holds: enough to find an interpreter, unbuffered Python, a token.

    The token tells whose a process is that has left its group.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", MARK: token}


def ending(code: int) -> str:
    """How a process ended, in words, from the code that `subprocess` has for it."""
    if code < 0:
        return f"killed by {_SIGNALS.get(-code, f'signal {-code}')}"
    return f"exit status {code}"


def has_ended(pidfd: int, within_s: float = 0) -> bool:
    """Whether a process is over, zombies included."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(within_s * 1000))


def become_subreaper() -> None:
    """Makes us the parent of every process below us whose own parent has ended."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def ends_of(popen: subprocess.Popen[bytes]) -> tuple[int, ...]:
    """Our ends of a process's pipes, in place of the file objects.

    Raises:
        OSError: there are no descriptors left.
    """
    pipes = [pipe for pipe in (popen.stdin, popen.stdout, popen.stderr) if pipe is not None]
    copies: list[int] = []
    try:
        copies += (os.dup(pipe.fileno()) for pipe in pipes)
    except OSError:
        for copy in copies:
            os.close(copy)
        raise
    finally:
        for pipe in pipes:
            pipe.close()
    return tuple(copies)


class BareProcess(Streams):
    """A bot as a child process; see `referee.sandbox.BotProcess`."""

    def __init__(self, bot: BotSpec, run: str) -> None:
        """Starts the bot.

        Raises:
            OSError: it cannot be started.
        """
        self.token = f"{run}-{secrets.token_hex(8)}"
        # Not trio's open_process: it forks in a worker thread, which other sandboxes cannot bear.
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
        try:
            self.exited_fd = os.pidfd_open(self.pid)
        except OSError:
            self._popen.kill()
            self._popen.wait()
            raise
        try:
            super().__init__(*ends_of(self._popen))
        except OSError:
            self.kill()
            os.close(self.exited_fd)
            raise
        self.keep(self.exited_fd)
        self._cpu_clock = (~self.pid << 3) | 2
        self._cpu_us = 0
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
        """Processor time that the process itself has used, in microseconds."""
        try:  # noqa: SIM105  # `suppress` costs more than the reading itself
            self._cpu_us = time.clock_gettime_ns(self._cpu_clock) // 1000
        except OSError:
            pass  # gone: the last reading stands
        return self._cpu_us

    def counts_all(self) -> bool:
        """Whether `cpu_us` leaves out nothing."""
        return not children(self.pid)

    def threads(self) -> Iterable[int]:
        """The threads of the process itself."""
        return threads_of((self.pid,))

    def status(self) -> str | None:
        """How the process ended, in words, or None while it runs."""
        if self._popen.returncode is None and not has_ended(self.exited_fd):
            return None  # wait(2) would take a process that lets itself be traced for ended
        code = self._popen.poll()
        return None if code is None else ending(code)

    def waits_for_input(self) -> bool:
        """Whether it has read everything and a thread of it sleeps in a read or a poll."""
        return not self.unread() and sleeps_in_a_read(self.pid)

    def out_of_memory(self) -> bool:
        """Never: its memory is not bounded."""
        return False

    def ended_by_host(self) -> None:
        """Unknown: nothing counts for this bot alone."""

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops its process group; what has left the group runs on."""
        self._signal(signal.SIGSTOP)

    def is_stopped(self) -> bool:
        """Whether its threads have stopped, those of its children left out."""
        return all(map(is_stopped, self.threads()))

    def thaw(self) -> None:
        """Lets the group run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # the group is empty
            os.killpg(self.pid, number)

    def end_processes(self) -> None:
        """Send SIGKILL to its group, and to its children that have left that."""
        found = descendants(self.pid)
        self._signal(signal.SIGKILL)
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def send_kill(self) -> None:
        """Ends the process and its group."""
        self._signal(signal.SIGKILL)

    def is_gone(self) -> bool:
        """Whether the process itself has ended."""
        return has_ended(self.exited_fd)

    def kill(self) -> None:
        """Ends the process and its group, and waits for it."""
        self.send_kill()
        if self._popen.returncode is None:
            self._popen.kill()
            has_ended(self.exited_fd, _KILL_S)
            self._popen.wait()


class Bare:
    """The bare sandbox; see `referee.sandbox.Sandbox`. One at a time in a process.

    Every child that we did not have before and that is no running bot counts as left behind.
    """

    name = "bare"
    how = "no isolation"

    def __init__(self, run: str = "0-0-0", limits: CopyLimits = CopyLimits()) -> None:  # noqa: B008  # frozen
        """Makes the referee the parent of every process that a dying bot leaves behind.

        Args:
            run: the name of this run, by which a janitor knows its processes.
            limits: what the cache of builds may take of the disk.
        """
        become_subreaper()
        self._limits = limits
        self._run = run
        self._innocent = children(os.getpid())
        self._running: list[BareProcess] = []

    async def prepare(self, found: BotSource) -> BotSpec:
        """Builds a bot where it must be built; it runs where it lies.

        Raises:
            RefereeError: it does not build.
        """
        return await in_place(found, self._builds)

    @asynccontextmanager
    async def temporarily(self, found: BotSource) -> AsyncIterator[BotSpec]:
        """Prepare a bot; what its author runs bare is the author's own, and leaves what it left."""
        bot = await self.prepare(found)
        try:
            yield bot
        finally:
            self.release(bot)

    def hold(self, bot: BotSpec) -> bool:
        """Use a bot that was prepared before; False if its build has left the cache since."""
        if not self._builds.is_here(bot.folder):
            return True
        return self._builds.hold(os.path.basename(bot.folder)) is not None

    def release(self, bot: BotSpec) -> None:
        """Let go of the build of a bot."""
        if self._builds.is_here(bot.folder):
            self._builds.release(os.path.basename(bot.folder))

    def close(self) -> None:
        """Let go of all builds."""
        self._builds.close()

    @cached_property
    def _builds(self) -> CopyStore:
        return CopyStore(cache_folder(), self._limits)

    async def launch(self, bot: BotSpec) -> BareProcess:
        """Starts a bot.

        Raises:
            OSError: it cannot be started.
            RefereeError: a stranger has submitted it.
        """
        if bot.submitted:
            raise RefereeError(f"bot {bot.name!r} was submitted: it never runs without a sandbox")
        process = BareProcess(bot, self._run)
        self._running.append(process)
        return process

    def trouble(self) -> str | None:
        """Nothing can go wrong with what does nothing."""
        return None

    def sweep(self) -> None:
        """Kills whatever bots have left behind, and what that leaves, until there is nothing."""
        self._running = [process for process in self._running if process.status() is None]
        known = self._innocent | {process.pid for process in self._running}
        deadline = time.monotonic() + 2
        while (orphans := children(os.getpid()) - known) and time.monotonic() < deadline:
            for pid in orphans:
                _end(pid)

    def clear(self) -> None:
        """Kills the orphans of processes that have ended, and no one else's; reaps the dead."""
        living = {process.pid for process in self._running if process.status() is None}
        ended = [process.token for process in self._running if process.pid not in living]
        for pid in children(os.getpid()) - self._innocent - living:
            if marks(pid, MARK).intersection(ended) or is_dead(pid):
                _end(pid)


def _end(pid: int) -> None:
    with suppress(
        ProcessLookupError, ChildProcessError, PermissionError
    ):  # another thread was quicker
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
