"""What the processes of a control group have used."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from referee.sandbox.cgroups.hierarchy import Hierarchies, read_mounts

_MIB: Final = 1 << 20
_LARGEST_CHARGE: Final = 4 * _MIB
"""A group is full when the next charge does not fit: two huge pages, to be sure."""

_LONGEST_STAT: Final = 8192
"""Bytes of a memory.stat."""

Controllers = Mapping[str, Path]
"""The folder of a group in each hierarchy, by controller; that of version 2 is `unified`."""


def controllers_of(hierarchies: Hierarchies, folders: Mapping[str, Path]) -> Controllers:
    """From folders by mount to folders by controller."""
    found = {name: folders[root] for name, root in hierarchies.v1.items() if root in folders}
    if hierarchies.v2 is not None and hierarchies.v2 in folders:
        found["unified"] = folders[hierarchies.v2]
    return found


class Gauge:
    """The files of a group that tell what it has used; open for as long as it lives."""

    def __init__(self, where: Controllers) -> None:
        """Opens the files.

        Raises:
            OSError: the group is gone, or not ours to read.
        """
        self._v2 = "memory" not in where
        folder = where["unified" if self._v2 else "cpuacct"]
        cpu = folder / ("cpu.stat" if self._v2 else "cpuacct.usage")
        folder = where["unified" if self._v2 else "memory"]
        oom = folder / ("memory.events" if self._v2 else "memory.oom_control")
        kernel = folder / ("memory.stat" if self._v2 else "memory.kmem.usage_in_bytes")
        self._peak = None if self._v2 else folder
        with ExitStack() as opened:
            self._cpu, self._oom = (_opened(file, opened) for file in (cpu, oom))
            self._kernel = _opened(kernel, opened) if kernel.exists() else -1
            self._opened = opened.pop_all()

    def cpu_us(self) -> int:
        """Processor time that all processes have used, in microseconds."""
        text = os.pread(self._cpu, 64, 0)
        return int(text.split(None, 2)[1]) if self._v2 else int(text) // 1000

    def kernel_bytes(self) -> int:
        """Return what the kernel itself needs for the processes; 0 where it does not tell.

        Raises:
            OSError: the group is gone.
        """
        if self._kernel < 0:
            return 0
        text = os.pread(self._kernel, _LONGEST_STAT, 0)
        if not self._v2:
            return int(text)
        words = text.split()
        return int(words[words.index(b"slab") + 1]) if b"slab" in words else 0

    def oom_kills(self) -> int:
        """How many of the processes the kernel has ended for want of memory."""
        words = os.pread(self._oom, 512, 0).split()
        return int(words[words.index(b"oom_kill") + 1])

    def reached_limit(self) -> bool:
        """Whether the group itself ever came to its bound: else the kernel ran short above it."""
        if self._peak is None:
            words = os.pread(self._oom, 512, 0).split()
            return int(words[words.index(b"oom") + 1]) > 0
        most = int((self._peak / "memory.limit_in_bytes").read_text())
        peak = int((self._peak / "memory.max_usage_in_bytes").read_text())
        return peak >= most - _LARGEST_CHARGE

    def close(self) -> None:
        """Closes the files."""
        self._opened.close()


def _opened(file: Path, until: ExitStack) -> int:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    until.callback(os.close, descriptor)
    return descriptor


def gauge_of(pid: int) -> Gauge:
    """Return the gauge of a process's control group, which need not be ours to change.

    Raises:
        OSError: it is gone, or cannot be seen from here.
    """
    hierarchies = read_mounts(Path("/proc/self/mountinfo").read_text())
    if hierarchies is None:
        raise OSError("no control groups are mounted here")
    folders = folders_of(hierarchies, Path(f"/proc/{pid}/cgroup").read_text())
    try:
        return Gauge(controllers_of(hierarchies, folders))
    except KeyError as error:
        raise OSError(f"no control group of process {pid}: {error}") from error


def folders_of(hierarchies: Hierarchies, text: str) -> dict[str, Path]:
    """The folders of the groups that a /proc/PID/cgroup names, by mount."""
    found = {}
    for line in text.splitlines():
        number, names, path = line.split(":", 2)
        v1 = [hierarchies.v1.get(name) for name in names.split(",")]
        for root in [hierarchies.v2] if number == "0" else v1:
            if root in hierarchies.roots:
                found[str(root)] = Path(f"{root}{path}")
    return found
