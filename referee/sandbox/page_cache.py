"""What the kernel keeps in memory of the files that a bot has read, and how it is dropped."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

_EVERYTHING: Final = 1 << 40
"""Bytes; the kernel drops what there is."""

_LONGEST_S: Final = 2.0
"""How long is waited for it: pages that a living bot maps in a million places take minutes."""


def forget(folder: Path) -> None:
    """Have the kernel drop what it keeps of the files that the processes of a group have read.

    Whether a page, or a name that was looked up, comes from memory or from the disk would tell
    later bots what this one did. What others had read before stays: it was there when it began.
    It is done in a thread of its own, which is left alone when it takes too long.

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

    thread = threading.Thread(target=drop, name="page cache", daemon=True)
    thread.start()
    thread.join(_LONGEST_S)
