"""The control of a container whose control group is not ours: by the daemon, and by /proc."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from docker import APIClient

from referee.errors import SandboxError, Unstoppable
from referee.sandbox.cgroups.gauge import Gauge, gauge_of
from referee.sandbox.container.daemon import Daemon
from referee.sandbox.mapping_bound import MappingBound
from referee.sandbox.polling import PolledGroup
from referee.sandbox.procfs import descendants
from referee.sandbox.watchdog import WATCHDOG

_PAUSE_S: Final = 2.0
_UNPAUSE_S: Final = 20.0
"""A bot that cannot go on cannot play, so the daemon is given longer for that."""

_BELIEVED_S: Final = 0.3
"""A daemon that says for so long that there is nothing to do is not mistaken."""

_PAUSE_AGAIN_S: Final = 0.005


class Distant(PolledGroup):
    """One container so controlled; see `referee.sandbox.cgroups.group.Group`."""

    def __init__(self, pid: int, container: str, daemon: Daemon) -> None:
        """Takes the container of this first process."""
        super().__init__(0)
        self._root, self._container, self._daemon = pid, container, daemon
        self._gauge: Gauge | None = None
        with suppress(OSError):  # others' groups cannot be changed, but mostly be read
            self._gauge = gauge_of(pid)
        self._paused = False
        self._mappings: MappingBound | None = None
        if self._gauge is not None:
            gauge = self._gauge
            self._mappings = MappingBound(
                gauge.kernel_bytes, gauge.cpu_us, self.members, self.kill, hold=None
            )
            WATCHDOG.look_by(self._mappings.look)

    def cpu_us(self) -> int:
        """Processor time used, in microseconds: by its control group, else of what lives now.

        Raises:
            OSError: the group is gone.
        """
        return super().cpu_us() if self._gauge is None else self._gauge.cpu_us()

    def counts_all(self) -> bool:
        """Whether its control group can be read."""
        return self._gauge is not None

    def members(self) -> tuple[int, ...]:
        """The ids of the processes."""
        return (self._root, *descendants(self._root)) if self._root else ()

    def oom_kills(self) -> int:
        """How many there were, of which only those for too many mappings can be seen from here."""
        if self._mappings is not None and self._mappings.exceeded:
            return 1
        raise OSError("that is the daemon's to say")

    def freeze(self, *, for_now: bool = False) -> None:
        """Has the daemon stop it.

        Raises:
            Unstoppable: it could not, and is there.
            SandboxError: it is not there.
        """
        try:
            self._tell(APIClient.pause, "is already paused", _PAUSE_S)
        except SandboxError as error:
            if self._daemon.news.connected:
                raise Unstoppable(str(error)) from error
            raise
        self._paused = True

    def is_stopped(self) -> bool:
        """Whether the daemon has stopped it: it answers when all has."""
        return self._paused

    def thaw(self) -> None:
        """Has the daemon let it go on.

        Raises:
            SandboxError: it did not.
        """
        self._tell(APIClient.unpause, "is not paused", _UNPAUSE_S)
        self._paused = False

    def _tell(self, what: Callable[[APIClient, str], None], done: str, patience_s: float) -> None:
        """Tells the daemon, again where it is mistaken.

        It takes late news of one pause for the next, and then knows for some milliseconds
        not whether a container is paused. What it did without telling us in time is done, though.

        Args:
            what: to do.
            done: what it says where that was done before.
            patience_s: for how long it is told.
        """
        begin = time.monotonic()
        done_since = begin + patience_s
        while os.path.exists(f"/proc/{self._root}"):
            try:
                with self._daemon.client(_PAUSE_S) as client:
                    return what(client, self._container)
            except SandboxError as error:
                now = time.monotonic()
                done_since = min(done_since, now) if done in str(error) else begin + patience_s
                if now > done_since + _BELIEVED_S:
                    return None
                if now > begin + patience_s or not self._daemon.news.connected:
                    raise
                time.sleep(_PAUSE_AGAIN_S)
        return None

    def remove(self) -> None:
        """Close what was opened; the group belongs to who made it. Idempotent."""
        super().remove()
        if self._mappings is not None:
            WATCHDOG.look_no_more(self._mappings.look)
            self._mappings.close()
        if self._gauge is not None:
            self._gauge.close()
            self._gauge = None

    def host_kills(self) -> int:
        """How many of its processes the kernel has ended though it was within its bound.

        None where its group cannot be read: what the whole machine counts is brought about by
        other bots, too.

        Raises:
            OSError: the group is gone.
        """
        if self._gauge is None or self._gauge.reached_limit():
            return 0
        return self._gauge.oom_kills()

    def kill(self) -> None:
        """End it by signals, or have the daemon do so where it is not ours to signal to.

        The daemon tells of that as of any other client's doing, so it is expected from here on.
        """
        self._daemon.news.give_up(self._container)
        super().kill()
        with suppress(SandboxError), self._daemon.client(_PAUSE_S) as client:
            client.kill(self._container)
