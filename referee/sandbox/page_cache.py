"""What the kernel keeps in memory of the files that a bot has read, and how it is dropped."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_EVERYTHING: Final = 1 << 40
"""Bytes; the kernel drops what there is."""

LONGEST_S: Final = 10.0
"""How long is waited for it while others of its match live. Five million names that do not exist,
as many as fit in the memory of a bot, take five; what living bots map in 90,000 places took 47."""

LONGEST_AT_END_S: Final = 30.0
"""How long when all have ended: what four bots have read is dropped on one core."""

_NICE: Final = 10
"""A thread that is not done by then leaves others nine tenths of the core."""


class Dropping:
    """The kernel drops what it keeps of the files that the processes of a group have read.

    Whether a page, or a name that was looked up, comes from memory or from the disk would tell
    later bots what this one did. What others had read before stays: it was there when it began.
    It is done in a thread of its own, which is left alone when it takes too long.

    Attributes:
        folder: the group's, where its memory is counted.
    """

    def __init__(self, folder: Path, longest_s: float) -> None:
        """Begin.

        Args:
            folder: the group's, where its memory is counted; its processes have ended.
            longest_s: for how long `wait` waits, from now on.
        """
        self.folder = folder
        file, value = folder / "memory.force_empty", "0"
        if not file.exists():
            file, value = folder / "memory.reclaim", str(_EVERYTHING)

        def drop() -> None:
            # version 2 says so when nothing is left, and old kernels have no such file
            with suppress(OSError), file.open("wb", buffering=0) as raw:
                raw.write(value.encode())
            with self._lock:
                self._is_over, afterwards = True, self._afterwards
            afterwards()

        self._lock = threading.Lock()
        self._is_over = False
        self._afterwards: Callable[[], object] = _do_nothing
        self._until = time.monotonic() + longest_s
        self._thread = threading.Thread(target=drop, name="page cache", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until it is done, or takes too long."""
        self._thread.join(max(self._until - time.monotonic(), 0))

    def then(self, remove: Callable[[], object]) -> None:
        """Have the group removed: now, or by the thread where that is not done.

        The kernel lets no group go while one of its files is written to: rmdir(2) waits for that.
        """
        with self._lock:
            if not self._is_over:
                self._afterwards = remove
                assert self._thread.native_id is not None  # noqa: S101  # it was started
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, self._thread.native_id, _NICE)
                return
        remove()


def _do_nothing() -> None:
    """Until `then` is called, the thread has nothing to remove."""
