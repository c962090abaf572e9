"""What the kernel keeps in memory of the files that a bot has read, and how it is dropped."""

from contextlib import suppress
from pathlib import Path
from typing import Final

_EVERYTHING: Final = 1 << 40
"""Bytes; the kernel drops what there is."""


def forget(folder: Path) -> None:
    """Have the kernel drop what it keeps of the files that the processes of a group have read.

    Whether a page, or a name that was looked up, comes from memory or from the disk would tell
    later bots what this one did. What others had read before stays: it was there when it began.

    Args:
        folder: the group's, where its memory is counted; its processes have ended.
    """
    file, value = folder / "memory.force_empty", "0"
    if not file.exists():
        file, value = folder / "memory.reclaim", str(_EVERYTHING)
    # version 2 says so when nothing is left, and old kernels have no such file
    with suppress(OSError), file.open("wb", buffering=0) as raw:
        raw.write(value.encode())
