"""The folders of a bot that are memory: how much each holds, and who mounts them.

bubblewrap bounds their bytes only. A bot that had 150,000 empty files in them made the kernel free
those for a tenth of a second when it ended, partly in threads of its own that count for no bot. So
as root the launcher mounts them, which bounds their files, too, and bubblewrap shows them.
"""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.bots.find import BotSpec
from referee.native import launcher
from referee.sandbox.build import FOLDER_FILES, FOLDER_MIB
from referee.sandbox.copies import BOT_FOLDER
from referee.sandbox.environment import TMP_FILES
from referee.sandbox.folders import SandboxFolders

_SHM: Final = "/dev/shm"  # noqa: S108  # the bot's own
_TMP: Final = "/tmp"  # noqa: S108  # the bot's own
_TRIED_S: Final = 10.0


class MemoryFolder(Struct, frozen=True):
    """A folder of memory.

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
        """Return bubblewrap's options for it.

        Args:
            point: where the launcher has mounted it, or None: then bubblewrap does.
        """
        if point is not None:
            return "--bind", point, self.path
        size = str(self.mib << 20)
        return "--perms", self.mode.zfill(4), "--size", size, "--tmpfs", self.path

    def mounted(self, point: str, uid: int) -> tuple[str, ...]:
        """Return the launcher's words that mount it.

        Args:
            point: where to.
            uid: whose it is to be.
        """
        bounds = f"size={self.mib}m,nr_inodes={self.files}"
        return "memory", point, f"{bounds},mode={self.mode},uid={uid},gid={uid}"


def memory_folders(bot: BotSpec) -> Iterator[MemoryFolder]:
    """Yield those of a bot; a build has the bot's folder, too."""
    yield MemoryFolder(_SHM, 1)
    yield MemoryFolder(_TMP, bot.bounds.tmp)
    if bot.is_build:
        yield MemoryFolder(BOT_FOLDER, FOLDER_MIB, FOLDER_FILES, "0755")


def mount_points(folders: SandboxFolders) -> Mapping[str, str]:
    """Return where the launcher mounts each; nothing where we may not mount.

    Raises:
        SandboxError: there is no launcher.
        OSError: no folder can be made for them.
    """
    if not folders.root:
        return {}
    found = {}
    for path in (_SHM, _TMP, BOT_FOLDER):
        point = Path(folders.work, "memory", path.strip("/").replace("/", "-"))
        point.mkdir(parents=True, exist_ok=True)
        for each in (point.parent, point):
            each.chmod(0o755)  # bubblewrap comes to them as the bot's user
        found[path] = str(point)
    return found if _can_mount(found[_SHM]) else {}


def _can_mount(point: str) -> bool:
    words = [str(launcher()), *MemoryFolder(_SHM, 1).mounted(point, 0), "--", "/bin/true"]
    with suppress(subprocess.TimeoutExpired):
        tried = subprocess.run(words, env={}, capture_output=True, timeout=_TRIED_S, check=False)  # noqa: S603  # our own program
        return tried.returncode == 0
    return False
