"""What the kernel keeps in memory of the files that a bot has read, and how it is dropped."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_EVERYTHING: Final = 1 << 40
"""Bytes; the kernel drops what there is."""

_LONGEST_S: Final = 2.0
"""How long is waited for it: pages that a living bot maps in a million places take minutes."""


class Dropping:
    """The kernel drops what it keeps of the files that the processes of a group have read.

    Whether a page, or a name that was looked up, comes from memory or from the disk would tell
    later bots what this one did. What others had read before stays: it was there when it began.
    It is done in a thread of its own, which is left alone when it takes too long.
    """

    def __init__(self, folder: Path) -> None:
        """Begin.

        Args:
            folder: the group's, where its memory is counted; its processes have ended.
        """
        file, value = folder / "memory.force_empty", "0"
        if not file.exists():
            file, value = folder / "memory.reclaim", str(_EVERYTHING)

        def drop() -> None:
            # version 2 says so when nothing is left, and old kernels have no such file
            with suppress(OSError), file.open("wb", buffering=0) as raw:
                raw.write(value.encode())

        self._until = time.monotonic() + _LONGEST_S
        self._thread = threading.Thread(target=drop, name="page cache", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until it is done, or takes too long."""
        self._thread.join(max(self._until - time.monotonic(), 0))
