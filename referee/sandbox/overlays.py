"""Folders of the host that each bot reads through a file system of its own, an overlay.

A process that asks for a new name in a folder (mkdir(2)) takes the kernel's lock of that folder
before it is told that it may not write there, and keeps the lock while other processes keep the
core from it: no bot of any match lists the folder meanwhile. An overlay has folders, and so locks,
of its own, and shows the files of the host.
"""

import os
import platform
import re
from pathlib import Path
from typing import Final

_SINCE: Final = (6, 5)
"""The Linux that tells root of files that are opened through an overlay, for `OpenedFiles`: before,
nothing that a bot reads would be in memory when it starts."""

_SEPARATORS: Final = frozenset(",:\\")
"""What separates the mount's options, and the folders in them."""

_MOUNTS: Final = Path("/proc/thread-self/mountinfo")
"""Of this thread, which alone sees the toolchains that it has bound (`folders.staged`)."""

_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


def overlay(folder: str, empty: str) -> str:
    """Return the options of a mount that shows a folder alone.

    Args:
        folder: one that `can_be_overlaid`.
        empty: an empty folder; the kernel wants two at least.
    """
    return f"lowerdir={folder}:{empty}"


def can_be_overlaid(folder: str) -> bool:
    """Whether an overlay would show all of a folder; what is mounted in it, it does not show."""
    return (
        kernel_has_overlays(platform.release())
        and os.path.isdir(folder)
        and _SEPARATORS.isdisjoint(folder)
        and not has_mounts_in(os.path.realpath(folder), _MOUNTS.read_text())
    )


def kernel_has_overlays(release: str) -> bool:
    """Whether a Linux of this release is one with which overlays serve us."""
    found = re.match(r"(\d+)\.(\d+)", release)
    return found is not None and tuple(map(int, found.groups())) >= _SINCE


def has_mounts_in(folder: str, mounts: str) -> bool:
    """Whether anything is mounted below a folder.

    Args:
        folder: its real path.
        mounts: the text of a mountinfo of proc(5), which writes spaces and their kind as numbers.
    """
    points = (_ESCAPED.sub(_character, line.split()[4]) for line in mounts.splitlines())
    return any(point.startswith(f"{folder}/") for point in points)


def _character(escaped: re.Match[str]) -> str:
    return chr(int(escaped[1], 8))
