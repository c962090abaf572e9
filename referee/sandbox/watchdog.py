"""A thread that looks after bots: at what they have mapped, and at calls on their pipes that hang.

No call on a bot's pipe waits; should one hang, its bot is ended.

The kernel locks a pipe while either end is in it. A bot that stays in it (which the filter of
system calls leaves it no means for, but bare has no filter) would hold the thread that comes to the
other end, without waiting or not, and no signal ends that. Its own end does. A thread sees it by
what /proc says: in which system call the main thread sleeps, and on which descriptor. So nothing is
done for it during an act.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from referee.sandbox.priority import come_first

TICK_S: Final = 0.1
"""Between two looks at what bots have."""

_SWITCH_S: Final = 0.0005
"""A thread that has Python's lock gives it to one that waits so long; usually that is 5 ms."""

LOOK_S: Final = 1.0
LOOKS: Final = 5
"""In so many looks, one after the other, a call is the same before it counts as hanging."""

_CALLS: Final = {"x86_64": ("0", "1", "3", "16"), "aarch64": ("63", "64", "57", "29")}
"""The numbers of read, write, close and ioctl, which lock the pipe that they are given first."""

_LOCKING: Final = _CALLS.get(os.uname().machine, ())

End = Callable[[], None]
Look = Callable[[], None]


class Watchdog:
    """Watches the main thread for as long as a sandbox is open."""

    def __init__(self) -> None:
        """Begin with no pipe, and no thread."""
        self._ends: dict[int, End] = {}
        self._looks: set[Look] = set()
        self._glances: set[Look] = set()
        self._lock = threading.Lock()
        self._sandboxes = 0
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._usual_s = sys.getswitchinterval()

    @contextmanager
    def awake(self) -> Iterator[None]:
        """Look until the block is left; blocks may overlap."""
        self._sandboxes += 1
        if self._thread is None:
            self._over.clear()
            self._usual_s = sys.getswitchinterval()
            sys.setswitchinterval(_SWITCH_S)
            self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)
            self._thread.start()
        try:
            yield
        finally:
            self._sandboxes -= 1
            if not self._sandboxes:
                self._over.set()
                self._thread.join()
                self._thread = None
                sys.setswitchinterval(self._usual_s)

    def watch(self, descriptor: int, end: End) -> None:
        """Watch a pipe from now on.

        Args:
            descriptor: our end.
            end: ends the bot at the other; called in another thread, while the main one hangs.
        """
        with self._lock:
            self._ends[descriptor] = end

    def forget(self, descriptor: int) -> None:
        """Watch a pipe no longer. Idempotent."""
        with self._lock:
            self._ends.pop(descriptor, None)

    def look_by(self, look: Look) -> None:
        """Call this ten times a second from now on, in another thread; it may raise OSError."""
        with self._lock:
            self._looks.add(look)

    def look_no_more(self, look: Look) -> None:
        """Call it no longer; it is not being called when this returns. Idempotent."""
        with self._lock:
            self._looks.discard(look)

    def glance_by(self, glance: Look) -> None:
        """Call this as often; to begin or to end that waits for no look that takes long."""
        self._glances.add(glance)

    def glance_no_more(self, glance: Look) -> None:
        """Call it no longer, but perhaps once more. Idempotent."""
        self._glances.discard(glance)

    def _look(self) -> None:
        """Look every now and then, until no sandbox is open any more."""
        come_first(with_threads=True)  # looks are short, and the main thread may wait for them
        before, same, ticks = "", 0, 0
        while not self._over.wait(TICK_S):
            self._look_at_bots()
            ticks += 1
            if ticks * TICK_S < LOOK_S:
                continue
            ticks, call = 0, _call()
            same = same + 1 if call == before else 1
            before = call
            if same >= LOOKS:
                self._end(call)

    def _look_at_bots(self) -> None:
        for glance in tuple(self._glances):
            with suppress(OSError, ValueError):  # it is over, and its descriptors are closed
                glance()
        with self._lock:
            for look in self._looks:
                with suppress(OSError):  # the bot is gone
                    look()

    def _end(self, call: str) -> None:
        """End the bot whose pipe a call is about, if it is about one."""
        number, *arguments = call.split() or ("",)
        if number not in _LOCKING:
            return
        with self._lock:
            end = self._ends.get(int(arguments[0], 16))
        if end is not None:
            end()


def _call() -> str:
    """The number of the call in which the main thread sleeps and its arguments; or something else.

    See proc_pid_syscall(5).
    """
    try:
        with open(f"/proc/self/task/{threading.main_thread().native_id}/syscall") as file:
            return file.read()
    except OSError:  # a kernel without it: then there is no watch
        return ""


WATCHDOG: Final = Watchdog()
"""There is one main thread, so there is one watchdog."""
