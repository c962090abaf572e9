"""A bot inside bubblewrap, from our side of the wall."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import msgspec
import trio

from referee.errors import SandboxError
from referee.sandbox.bare import ending, ends_of, has_ended
from referee.sandbox.cgroups.group import Group
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.polling import PolledGroup
from referee.sandbox.procfs import children, sleeps_in_a_read
from referee.sandbox.streams import Streams
from referee.sandbox.user_ids import Slot

_START_S: Final = 10.0
_KILL_S: Final = 2.0


class BubblewrapProcess(Streams):
    """A bot inside bubblewrap; see `referee.sandbox.BotProcess`."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        control: Group | PolledGroup,
        slot: Slot | None,
        status: int,
    ) -> None:
        """Takes over what was started and what holds it; `status` is bwrap's own pipe to us.

        Raises:
            OSError: there are no descriptors left.
        """
        self._popen, self._control, self._slot = popen, control, slot
        self.pid = popen.pid
        self.init = 0
        """The id of the first process inside, once there is one."""
        self._init_fd = -1
        self._news = b""
        self._cpu_us = 0
        self._frozen = False
        self._gone = False
        self._memory_out = self._host_out = False
        super().__init__(*ends_of(popen))
        self._status = self.keep(status)
        os.set_blocking(status, False)
        self.exited_fd = self.keep(os.pidfd_open(popen.pid))

    async def begun(self) -> None:
        """Waits until the bot's own process is there.

        Raises:
            SandboxError: the sandbox did not come up.
        """
        with trio.move_on_after(_START_S):
            while b"\n" not in self._news:
                await trio.lowlevel.wait_readable(self._status)
                data = os.read(self._status, 4096)
                if not data:
                    break
                self._news += data
        line = self._news.partition(b"\n")[0]
        try:
            self.init = msgspec.json.decode(line, type=dict[str, int])["child-pid"]
        except (msgspec.DecodeError, KeyError):
            said = b""
            with suppress(OSError):
                said = os.read(self.stderr, 500)
            why = said.decode(errors="replace").strip() or "no answer"
            raise SandboxError(f"bubblewrap did not start: {why}") from None
        with suppress(ProcessLookupError):  # its number may be another's later, this never
            self._init_fd = self.keep(os.pidfd_open(self.init))
            if isinstance(self._control, Group):
                self._control.sandbox_own = (self.pid, self.init)

    def cpu_us(self) -> int:
        """Processor time that all processes of the bot have used, in microseconds."""
        try:  # noqa: SIM105  # `suppress` costs more than the reading itself
            self._cpu_us = self._control.cpu_us()
        except OSError:
            pass  # gone: the last reading stands
        return self._cpu_us

    def recount(self) -> None:
        """Count now what its children have used, where that is sampled."""
        if isinstance(self._control, PolledGroup):
            self._control.recount()

    def end_act(self) -> None:
        """Have nothing that its children used in the act that is over counted from now on."""
        if isinstance(self._control, PolledGroup):
            self._control.end_act()

    def held_us(self) -> int:
        """For how long we held it still to look at it, all in all, in microseconds."""
        return self._control.held_us() if isinstance(self._control, Group) else 0

    def counts_all(self) -> bool:
        """Whether `cpu_us` leaves out nothing."""
        return self._control.counts_all()

    def threads(self) -> Iterable[int]:
        """The ids of its threads, and of bubblewrap's own."""
        return self._control.threads()

    def status(self) -> str | None:
        """How the bot ended, in words, or None while it runs."""
        code = self._popen.poll()
        if code is None:
            return None
        with suppress(OSError):
            self._news += os.read(self._status, 4096)
        for line in self._news.splitlines():
            with suppress(msgspec.DecodeError):
                code = msgspec.json.decode(line, type=dict[str, int]).get("exit-code", code)
        return ending(128 - code if code > 128 else code)

    def waits_for_input(self) -> bool:
        """Whether it has read everything and a thread of it sleeps in a read or a poll."""
        return not self.unread() and any(map(sleeps_in_a_read, children(self.init)))

    def out_of_memory(self) -> bool:
        """Whether one of its processes was ended for want of memory."""
        with suppress(OSError):
            self._memory_out = self._memory_out or self._control.oom_kills() > 0
        return self._memory_out

    def ended_by_host(self) -> bool | None:
        """Whether the machine ended one of its processes for want of memory; None: unknown."""
        if isinstance(self._control, PolledGroup):
            return None
        with suppress(OSError):
            self._host_out = self._host_out or self._control.host_kills() > 0
        return self._host_out

    def freezer(self) -> FreezerFile:
        """Returns the file that lets it go on, if it was stopped so."""
        return self._control.freezer() if self._frozen else NO_FILE

    def goes_on(self) -> None:
        """Takes note that it was let go on by `freezer`."""
        self._frozen = False

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops all its processes."""
        self._control.freeze(for_now=for_now)
        self._frozen = True

    def is_stopped(self) -> bool:
        """Whether all have come to a stop, or are gone."""
        try:
            return self._control.is_stopped()
        except OSError:
            return True

    def thaw(self) -> None:
        """Lets them run again."""
        if self._frozen:
            self._control.thaw()
            self._frozen = False

    def end_processes(self) -> None:
        """Send SIGKILL to all that is in its control group, or below its first process."""
        self._control.kill()

    def send_kill(self) -> None:
        """Ends the namespace by its first process, whatever bwrap says.

        A bot can make bwrap leave before its processes.
        """
        self.thaw()
        if self._init_fd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, signal.SIGKILL)

    def is_gone(self) -> bool:
        """Whether the namespace is: its first process ends last, and bwrap may leave before."""
        return has_ended(self._init_fd if self._init_fd >= 0 else self.exited_fd)

    def kill(self) -> None:
        """Ends the namespace by its first process; what does not go so, goes by the group."""
        if self._gone:
            return
        self._gone = True
        self.thaw()
        self.cpu_us()
        self.out_of_memory()
        self.ended_by_host()
        firsts = {self.init} if self.init else set()
        if self._init_fd >= 0:
            self.send_kill()
            if not has_ended(self._init_fd, _KILL_S):
                self._control.kill()
        elif self._popen.poll() is None:
            # before bwrap has told us of it, the first process is there all the same, or would be
            # made while we look: so bwrap is stopped first
            self._popen.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            firsts = children(self.pid)
            for pid in firsts:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        self._popen.kill()
        self._popen.wait()
        for pid in firsts:
            _reap(pid)

    def drop(self) -> None:
        """Begin to drop what it has read, if all its processes have ended."""
        if isinstance(self._control, Group) and not self._control.members():
            self._control.drop()

    def release(self) -> None:
        """Closes the descriptors; takes the control group away and gives the user id back."""
        super().release()
        self._control.remove()
        if self._slot is not None:
            self._slot.free()


def _reap(pid: int) -> None:
    """Takes in the first process of a namespace, which bwrap leaves to the next parent."""
    until = time.monotonic() + _KILL_S
    with suppress(ChildProcessError):  # bwrap has taken it in after all
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < until:
            time.sleep(0.0002)
