"""The folders of a bot that are file systems of its own, and who mounts them.

As root the launcher mounts them, and bubblewrap shows them. bubblewrap itself bounds the bytes of
memory only: a bot that had 150,000 empty files made the kernel free those for a tenth of a second
when it ended, partly in threads of its own that count for no bot. And it knows no overlays.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from referee.bots.find import BotSpec
from referee.native import launcher
from referee.sandbox.build import FOLDER_FILES, FOLDER_MIB
from referee.sandbox.copies import BOT_FOLDER
from referee.sandbox.environment import ENTRIES, TMP_FILES
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.overlays import can_be_overlaid, overlay

_SHM: Final = "/dev/shm"  # noqa: S108  # the bot's own
_TMP: Final = "/tmp"  # noqa: S108  # the bot's own
_TRIED_S: Final = 10.0


class OwnFolder(Protocol):
    """A folder that can be a file system of a bot's own."""

    @property
    def path(self) -> str:
        """Where the bot sees it."""

    def shown(self, point: str | None) -> tuple[str, ...]:
        """Return bubblewrap's options for it.

        Args:
            point: where the launcher has mounted it, or None where it has not.
        """

    def mounted(self, point: str, uid: int) -> tuple[str, ...]:
        """Return the launcher's words that mount it.

        Args:
            point: where to.
            uid: whose it is to be.
        """


class MemoryFolder(Struct, frozen=True):
    """A folder of memory; bubblewrap mounts it where the launcher does not.

    Attributes:
        path: where the bot sees it.
        mib: how much its files can hold.
        files: how many files, links and folders it can hold, those without a name included.
        mode: who may do what in it.
    """

    path: str
    mib: int
    files: int = TMP_FILES
    mode: str = "1777"

    def shown(self, point: str | None) -> tuple[str, ...]:
        """As `OwnFolder` has it."""
        if point is not None:
            return "--bind", point, self.path
        size = str(self.mib << 20)
        return "--perms", self.mode.zfill(4), "--size", size, "--tmpfs", self.path

    def mounted(self, point: str, uid: int) -> tuple[str, ...]:
        """As `OwnFolder` has it."""
        bounds = f"size={self.mib}m,nr_inodes={self.files}"
        return "memory", point, f"{bounds},mode={self.mode},uid={uid},gid={uid}"


class HostFolder(Struct, frozen=True):
    """A folder of the host, read-only; an overlay where the launcher mounts it.

    Attributes:
        path: where the bot sees it.
        source: where it is.
    """

    path: str
    source: str

    def shown(self, point: str | None) -> tuple[str, ...]:
        """As `OwnFolder` has it."""
        return "--ro-bind", point or self.source, self.path

    def mounted(self, point: str, uid: int) -> tuple[str, ...]:
        """As `OwnFolder` has it."""
        return "overlay", point, overlay(self.source, point)


def memory_folders(bot: BotSpec) -> Iterator[MemoryFolder]:
    """Yield those of a bot; a build has the bot's folder, too."""
    yield MemoryFolder(_SHM, 1)
    yield MemoryFolder(_TMP, bot.bounds.tmp)
    if bot.is_build:
        yield MemoryFolder(BOT_FOLDER, FOLDER_MIB, FOLDER_FILES, "0755")


def host_folders(etc: Path, toolchains: Mapping[str, str]) -> Iterator[HostFolder]:
    """Yield those that all bots see.

    Args:
        etc: shown as /etc.
        toolchains: more folders, and where they can be reached from.
    """
    yield HostFolder("/usr", "/usr")
    yield HostFolder("/etc", str(etc))
    for path in (f"/{name}" for name in ENTRIES):
        if os.path.isdir(path) and not os.path.islink(path):
            yield HostFolder(path, path)
    for path, source in toolchains.items():
        yield HostFolder(path, source)


def mount_points(folders: SandboxFolders, shown: Iterable[HostFolder]) -> Mapping[str, str]:
    """Return where the launcher mounts each folder; nothing where we may not mount.

    Args:
        folders: of this run.
        shown: those of the host.

    Raises:
        SandboxError: there is no launcher.
        OSError: no folder can be made for them.
    """
    if not folders.root:
        return {}
    above = folders.work / "mounts"
    memory = {path: _point(above, path) for path in (_SHM, _TMP, BOT_FOLDER)}
    if not _can_mount(MemoryFolder(_SHM, 1), memory[_SHM]):
        return {}
    overlaid = {one: _point(above, one.path) for one in shown if can_be_overlaid(one.source)}
    return memory | {one.path: to for one, to in overlaid.items() if _can_mount(one, to)}


def _point(above: Path, path: str) -> str:
    """Make a folder to mount at; bubblewrap comes there as the bot's user."""
    point = above / path.strip("/").replace("/", "-")
    point.mkdir(parents=True, exist_ok=True)
    for each in (above, point):
        each.chmod(0o755)
    return str(point)


def _can_mount(folder: OwnFolder, point: str) -> bool:
    words = [str(launcher()), *folder.mounted(point, 0), "--", "/bin/true"]
    with suppress(subprocess.TimeoutExpired):
        tried = subprocess.run(words, env={}, capture_output=True, timeout=_TRIED_S, check=False)  # noqa: S603  # our own program
        return tried.returncode == 0
    return False
