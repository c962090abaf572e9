"""What bots see in place of the files in /proc that count for the whole machine.

A bot can raise many of these counters (a fork, a page that is read, an interrupt of the disk) and
a later bot could read them: so a bot gets constants instead. All else is closed by Landlock
(`referee.sandbox.launcher`), or covered by empty files and folders where the kernel has none.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

from referee.errors import SandboxError
from referee.sandbox.environment import ETC
from referee.sandbox.folders import SandboxFolders

NO_FILE: Final = "/dev/null"

_FILES: Final = (
    *("buddyinfo", "cgroups", "diskstats", "interrupts", "key-users", "keys", "locks"),
    *("schedstat", "softirqs", "swaps", "vmstat", "zoneinfo"),
)
_FOLDERS: Final = ("driver", "fs", "irq", "pressure", "sys")

_NUMBER: Final = re.compile(r"\d+")
_FREQUENCY: Final = re.compile(r"^(cpu MHz\s*: ).*$", re.MULTILINE)


class Masks:
    """The files and folders that are bound over those of the machine."""

    def __init__(self, folder: Path, *, landlock: bool) -> None:
        """Write the files that are the same for all bots.

        Args:
            folder: it is made; bots can reach it, and no other user can write to it.
            landlock: whether all but the constants is closed to bots, so that no mount need cover
                it; a start takes a third less time then.

        Raises:
            OSError: it cannot be made.
        """
        self._folder = folder
        self.empty = folder / "empty"
        self.empty.mkdir(parents=True, exist_ok=True)
        for path in (folder, self.empty):
            path.chmod(0o755)
        self._files = () if landlock else _there(_FILES)
        self._folders = () if landlock else _there(_FOLDERS)
        self._write("stat", constant_stat(_text_of("stat")))
        self._write("cpuinfo", constant_cpuinfo(_text_of("cpuinfo")))
        self._write("loadavg", "0.00 0.00 0.00 1/1 1\n")
        self._write("uptime", "1.00 1.00\n")

    def _write(self, name: str, text: str) -> Path:
        path = self._folder / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o444)
        return path

    def constants(self, memory: int) -> Iterator[tuple[str, str]]:
        """Yield the path of each constant file, and where a bot is to see it.

        Args:
            memory: what a bot may have, in MiB.

        Raises:
            OSError: a file cannot be written.
        """
        amount = self._folder / f"meminfo-{memory}"
        if not amount.exists():
            self._write(amount.name, constant_meminfo(memory))
        yield str(amount), "/proc/meminfo"
        for name in ("stat", "cpuinfo", "loadavg", "uptime"):
            yield str(self._folder / name), f"/proc/{name}"

    @cached_property
    def etc(self) -> Path:
        """A copy of what programs need of /etc: one mount in the place of one for each.

        Raises:
            OSError: it cannot be made.
        """
        folder = self._folder / "etc"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        for path in map(Path, ETC):
            with suppress(shutil.Error, FileNotFoundError, PermissionError):  # what may be read
                if path.is_dir():
                    copy = folder / path.name
                    shutil.copytree(path, copy, symlinks=True, ignore=_manuals, dirs_exist_ok=True)
                else:
                    shutil.copy2(path, folder)
        return folder

    def files(self) -> tuple[str, ...]:
        """Return the files of this machine that are to be empty."""
        return self._files

    def folders(self) -> tuple[str, ...]:
        """Return the folders of this machine that are to be empty."""
        return self._folders


def hidden() -> tuple[str, ...]:
    """Return the files and folders that are to be empty, whether this machine has them or not."""
    return (*_paths(_FILES), *_paths(_FOLDERS))


def masks_in(folders: SandboxFolders, *, landlock: bool) -> Masks:
    """Return the masks of a run, in its folder; see `Masks` for `landlock`.

    Raises:
        SandboxError: they cannot be written.
    """
    try:
        return Masks(folders.work / "masks", landlock=landlock)
    except OSError as error:
        raise SandboxError(f"cannot write the files that bots see in /proc: {error}") from error


def _paths(names: tuple[str, ...]) -> Iterator[str]:
    return (f"/proc/{name}" for name in names)


def _there(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in _paths(names) if os.path.exists(path))


def _manuals(folder: str, names: list[str]) -> set[str]:
    """Return which names are links to manuals: of five links in /etc/alternatives, four."""
    paths = {name: os.path.join(folder, name) for name in names}
    links = [name for name, path in paths.items() if os.path.islink(path)]
    return {name for name in links if "/man/" in os.readlink(paths[name])}


def _text_of(name: str) -> str:
    try:
        return Path("/proc", name).read_text()
    except OSError:
        return ""


def constant_stat(text: str) -> str:
    """Return /proc/stat with all counters 0; the processors and the time of boot stay."""

    def lines() -> Iterator[str]:
        for line in text.splitlines():
            name, _, rest = line.partition(" ")
            if name.startswith("cpu"):
                yield f"{name} {_NUMBER.sub('0', rest)}"
            elif name == "btime":
                yield line
            else:
                yield f"{name} 0"

    return "".join(f"{line}\n" for line in lines())


def constant_cpuinfo(text: str) -> str:
    """Return /proc/cpuinfo with the same frequency, which changes with load, for all processors."""
    return _FREQUENCY.sub(r"\g<1>1000.000", text)


def constant_meminfo(memory: int) -> str:
    """Return /proc/meminfo of a machine that has `memory` MiB, all free."""
    whole = dict.fromkeys(("MemTotal", "MemFree", "MemAvailable"), memory << 10)
    names = ("Buffers", "Cached", "SwapCached", "Active", "Inactive", "SwapTotal", "SwapFree")
    none = dict.fromkeys((*names, "Shmem", "Slab", "SReclaimable"), 0)
    return "".join(f"{name + ':':15} {kib:8} kB\n" for name, kib in (whole | none).items())
