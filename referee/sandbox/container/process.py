"""A bot that runs in a container: watched and ended directly, with as little daemon as can be."""

import os
import select
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from referee.errors import SandboxError
from referee.sandbox import UNKNOWN_STATUS
from referee.sandbox.bare import ending
from referee.sandbox.cgroups.group import FoundGroup
from referee.sandbox.cgroups.hierarchy import Hierarchies
from referee.sandbox.container.daemon import Daemon
from referee.sandbox.container.fifos import Fifos
from referee.sandbox.container.remote import Distant
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.janitor import DIE_S
from referee.sandbox.procfs import descendants, sleeps_in_a_read
from referee.sandbox.streams import Streams
from referee.sandbox.user_ids import Slot

_BEGIN_S: Final = 20.0
_KILL_S: Final = 1.0
_STATUS_S: Final = 1.0


def _pidfd(pid: int, container: str) -> int:
    """A descriptor of the first process of a container.

    Raises:
        SandboxError: it is gone, or none of this machine.
    """
    try:
        found = os.pidfd_open(pid)
    except OSError as error:
        raise SandboxError(f"docker: the container has ended at once: {error}") from error
    try:
        if container in Path(f"/proc/{pid}/cgroup").read_text():
            return found
    except OSError:
        pass
    os.close(found)
    raise SandboxError("docker: the container has ended, or the daemon runs elsewhere")


class Started(Struct, frozen=True):
    """A container that has just been started, and what of ours it holds.

    Attributes:
        container: its id.
        pid: the id of its first process.
        fifos: the ways to the bot and back.
        slot: its user id.
    """

    container: str
    pid: int
    fifos: Fifos
    slot: Slot


class ContainerProcess(Streams):
    """A bot in a container; see `referee.sandbox.BotProcess`."""

    def __init__(self, started: Started, daemon: Daemon, hierarchies: Hierarchies | None) -> None:
        """Takes over what was started.

        Raises:
            SandboxError: it is gone already, or cannot be seen from here.
        """
        self.pid, self._container = started.pid, started.container
        self._started, self._daemon = started, daemon
        self.exited_fd = _pidfd(self.pid, self._container)
        self._control = self._found(hierarchies)
        super().__init__(*started.fifos.ends)
        self.keep(self.exited_fd)
        self._poll = select.poll()
        self._poll.register(self.exited_fd, select.POLLIN)
        self._status: str | None = None
        self._cpu_us = 0
        self._frozen = self._killed = self._memory_out = self._host_out = False
        daemon.news.expect(self._container)

    def _found(self, hierarchies: Hierarchies | None) -> FoundGroup | Distant:
        if hierarchies is not None:
            with suppress(OSError):
                return FoundGroup(hierarchies, self.pid)
        return Distant(self.pid, self._container, self._daemon)

    async def begun(self) -> None:
        """Waits until its pipes are open on the other side, then lets the bot begin.

        Raises:
            SandboxError: that did not come to be.
        """
        with trio.move_on_after(_BEGIN_S):
            async with trio.open_nursery() as nursery:

                async def first_of(descriptor: int) -> None:
                    await trio.lowlevel.wait_readable(descriptor)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(first_of, self.stdout)
                nursery.start_soon(first_of, self.exited_fd)
        try:
            if os.read(self.stdout, 1) == b"\n":
                self._started.fifos.shut()
                os.write(self.stdin, b"\n")
                return
            why = self.status() or "no answer"
        except OSError as error:
            why = str(error)
        with suppress(OSError):
            why += ": " + os.read(self.stderr, 500).decode(errors="replace").strip()
        raise SandboxError(f"docker: the container did not begin: {why}")

    def cpu_us(self) -> int:
        """Processor time that all processes of the container have used, in microseconds."""
        try:  # noqa: SIM105  # `suppress` costs more than the reading itself
            self._cpu_us = self._control.cpu_us()
        except OSError:
            pass  # gone: the last reading stands
        return self._cpu_us

    def held_us(self) -> int:
        """For how long we held it still to look at it, all in all, in microseconds."""
        return self._control.held_us() if isinstance(self._control, FoundGroup) else 0

    def counts_all(self) -> bool:
        """Whether `cpu_us` leaves out nothing."""
        return self._control.counts_all()

    def threads(self) -> Iterable[int]:
        """The ids of its threads, and of Docker's own in the container."""
        return self._control.threads()

    def _has_ended(self, within_s: float = 0) -> bool:
        return self._killed or bool(self._poll.poll(within_s * 1000))

    def status(self) -> str | None:
        """How the bot ended, in words, or None while it runs."""
        if self._status is None and self._has_ended():
            self._ask_status(_STATUS_S)
        return self._status

    def _ask_status(self, within_s: float) -> None:
        """The daemon is the parent of the container's parent: it alone knows the code."""
        code = self._daemon.news.code(self._container, within_s)
        if code is None:
            self._status = UNKNOWN_STATUS
        else:
            self._status = ending(128 - code if code > 128 else code)

    def waits_for_input(self) -> bool:
        """Whether it has read everything and a thread of it sleeps in a read or a poll."""
        return not self.unread() and any(map(sleeps_in_a_read, descendants(self.pid)))

    def out_of_memory(self) -> bool:
        """Whether one of its processes was ended for want of memory."""
        try:
            self._memory_out = self._memory_out or self._control.oom_kills() > 0
        except OSError:  # the group goes soon after the container's end: then the daemon knows
            if not self._memory_out and self._has_ended():
                self._daemon.news.code(self._container, 0 if self._killed else _STATUS_S)
            self._memory_out = self._memory_out or self._daemon.news.was_starved(self._container)
        return self._memory_out

    def ended_by_host(self) -> bool:
        """Whether the machine ended one of its processes for want of memory."""
        with suppress(OSError):
            self._host_out = self._host_out or self._control.host_kills() > 0
        return self._host_out

    def stops_at_once(self) -> bool:
        """Whether its control group is ours; else the daemon stops it."""
        return isinstance(self._control, FoundGroup)

    def freezer(self) -> FreezerFile:
        """Returns the file that lets it go on, if it was stopped so, and not by the daemon."""
        return self._control.freezer() if self._frozen else NO_FILE

    def goes_on(self) -> None:
        """Takes note that it was let go on by `freezer`."""
        self._frozen = False

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops all its processes.

        Raises:
            SandboxError: the daemon did not, where it is its to do.
        """
        if self._frozen and self.is_stopped():  # a daemon does not stop what it has stopped
            return
        self._frozen = True  # a daemon that does not answer in time may stop it all the same
        with suppress(OSError):  # the group is gone
            self._control.freeze(for_now=for_now)

    def is_stopped(self) -> bool:
        """Whether all have come to a stop, or are gone."""
        try:
            return self._control.is_stopped()
        except OSError:
            return True

    def thaw(self) -> None:
        """Lets them run again.

        Raises:
            SandboxError: the daemon did not, where it is its to do.
        """
        if self._frozen:
            self._frozen = False
            with suppress(OSError):  # the group is gone
                self._control.thaw()

    def end_processes(self) -> None:
        """Send SIGKILL to all that is in its control group, or below its first process."""
        self._daemon.news.give_up(self._container)
        self._control.kill()

    def send_kill(self) -> None:
        """End the container by its first process, or by the daemon where it is not ours to end."""
        with suppress(SandboxError):
            self.thaw()
        self._daemon.news.give_up(self._container)
        if self._has_ended():
            return
        self._status = "killed by SIGKILL"
        try:
            signal.pidfd_send_signal(self.exited_fd, signal.SIGKILL)
        except ProcessLookupError:
            return
        except PermissionError:
            self._control.kill()

    def is_gone(self) -> bool:
        """Whether all of the container has ended: its first process ends last."""
        return self._has_ended()

    def kill(self) -> None:
        """End the container by its first process; it is there until `release`."""
        if self._killed:
            return
        with suppress(SandboxError):
            self.thaw()
        self.cpu_us()
        self.out_of_memory()
        self.ended_by_host()
        self.send_kill()
        if not self._has_ended(_KILL_S):
            self._control.kill()
            self._has_ended(_KILL_S)
        self._killed = True

    def drop(self) -> None:
        """Begin to drop what it has read, if all its processes have ended."""
        if isinstance(self._control, FoundGroup) and not self._control.members():
            self._control.drop()

    def release(self) -> None:
        """Let go of it: what it has read is dropped, and the daemon takes it away in its own time.

        That is when all bots of the match have ended: what another still holds would stay.
        """
        self._poll.poll(DIE_S * 1000)  # what a living process maps is not dropped
        super().release()
        if self._status is None:
            self._ask_status(0)
        self._control.remove()
        parents = self._control.parents if isinstance(self._control, FoundGroup) else ()
        self._daemon.reaper.take(self._container, parents)
        self._started.fifos.remove()
        self._started.slot.free()
