"""Control groups: what a bot's processes may use together, and what they have used.

One group a bot, in whatever hierarchies the kernel offers: v1, v2, or both (hybrid: the limits are
v1's; freezing and killing are v2's, which are faster).
"""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.sandbox.janitor import GROUPS, members, remove_groups
from referee.settings import Bounds

_V1_WANTED: Final = ("memory", "pids", "cpuacct", "freezer")
_V2_WANTED: Final = ("memory", "pids", "cpu")
_MIB: Final = 1 << 20


class Kind(StrEnum):
    """Whose limits bind."""

    V1 = "v1"
    HYBRID = "hybrid"
    V2 = "v2"


class Hierarchies(Struct, frozen=True):
    """Where groups can be made.

    Attributes:
        kind: whose limits bind.
        v1: the mounts of version 1, by controller.
        v2: the mount of version 2, if there is one.
    """

    kind: Kind
    v1: Mapping[str, str]
    v2: str | None

    @property
    def roots(self) -> tuple[str, ...]:
        """The mounts in which each group has a folder."""
        v1 = dict.fromkeys(self.v1[name] for name in _V1_WANTED if name in self.v1)
        return (*v1, *((self.v2,) if self.v2 else ()))


def read_mounts(mountinfo: str) -> Hierarchies | None:
    """What /proc/self/mountinfo says of control groups; None where memory cannot be limited."""
    v1: dict[str, str] = {}
    v2 = None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), after.split(maxsplit=2)
        if kind == "cgroup":
            v1 |= dict.fromkeys(options.split(","), fields[4])
        elif kind == "cgroup2" and v2 is None:
            v2 = fields[4]
    if "memory" in v1:
        return Hierarchies(Kind.HYBRID if v2 else Kind.V1, v1, v2)
    return Hierarchies(Kind.V2, {}, v2) if v2 else None


def available() -> Hierarchies | None:
    """The hierarchies in which we may make groups that limit memory, or None."""
    found = read_mounts(Path("/proc/self/mountinfo").read_text())
    if found is None:
        return None
    try:
        for root in found.roots:
            folder = Path(root, GROUPS)
            if found.kind is Kind.V2:
                _delegate(Path(root))
            folder.mkdir(exist_ok=True)
            if found.kind is Kind.V2:
                _delegate(folder)
    except OSError:
        return None
    if found.kind is Kind.V2 and not Path(found.v2 or "", GROUPS, "memory.max").exists():
        return None
    return found


def _delegate(folder: Path) -> None:
    """Lets groups below this one have limits of their own."""
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _V2_WANTED))


class Group:
    """The control group of one bot."""

    def __init__(self, hierarchies: Hierarchies, name: str, bounds: Bounds) -> None:
        """Makes the group, with its limits, still empty.

        Raises:
            OSError: it cannot be made.
        """
        self._kind = hierarchies.kind
        self._folders = {root: Path(root, GROUPS, name) for root in hierarchies.roots}
        self._open: list[int] = []
        try:
            for folder in self._folders.values():
                folder.mkdir(parents=True, exist_ok=True)
            self._find(hierarchies)
            self._limit(bounds)
            self._cpu = self._opened(self._cpu_file, os.O_RDONLY)
            self._oom = self._opened(self._oom_file, os.O_RDONLY)
            self._frost = self._opened(self._frost_file, os.O_WRONLY)
        except OSError:
            self.remove()
            raise

    def _find(self, hierarchies: Hierarchies) -> None:
        """Which files say what."""
        v1 = {
            name: self._folders[root]
            for name, root in hierarchies.v1.items()
            if root in self._folders
        }
        v2 = self._folders[hierarchies.v2] if hierarchies.v2 else None
        self._v2 = v2
        self._memory, self._pids = v1.get("memory", v2), v1.get("pids", v2)
        assert self._memory is not None  # noqa: S101  # `available` found it
        if self._kind is Kind.V2:
            self._cpu_file = self._memory / "cpu.stat"
            self._oom_file = self._memory / "memory.events"
        else:
            self._cpu_file = v1["cpuacct"] / "cpuacct.usage"
            self._oom_file = self._memory / "memory.oom_control"
        self._by_v2 = v2 is not None and (v2 / "cgroup.freeze").exists()
        self._frost_file = (
            v2 / "cgroup.freeze" if v2 and self._by_v2 else v1["freezer"] / "freezer.state"
        )

    def _limit(self, bounds: Bounds) -> None:
        most = str(bounds.memory * _MIB)
        assert self._memory is not None  # noqa: S101  # see `_find`
        if self._kind is Kind.V2:
            (self._memory / "memory.max").write_text(most)
            (self._memory / "memory.oom.group").write_text("0")
            swap = self._memory / "memory.swap.max"
            nothing = "0"
        else:
            (self._memory / "memory.limit_in_bytes").write_text(most)
            swap = self._memory / "memory.memsw.limit_in_bytes"
            nothing = most
        if swap.exists():  # else the kernel does not count swap
            swap.write_text(nothing)
        if self._pids is not None and (self._pids / "pids.max").exists():
            (self._pids / "pids.max").write_text(str(bounds.processes))

    def _opened(self, path: Path, how: int) -> int:
        self._open.append(os.open(path, how | os.O_CLOEXEC))
        return self._open[-1]

    @property
    def doors(self) -> tuple[str, ...]:
        """The files into which a process writes its id to join."""
        return tuple(str(folder / "cgroup.procs") for folder in self._folders.values())

    def cpu_us(self) -> int:
        """Processor time that all its processes have used, in microseconds."""
        text = os.pread(self._cpu, 64, 0)
        if self._kind is Kind.V2:
            return int(text.split(None, 2)[1])
        return int(text) // 1000

    def oom_kills(self) -> int:
        """How many of its processes the kernel has ended for want of memory."""
        words = os.pread(self._oom, 512, 0).split()
        return int(words[words.index(b"oom_kill") + 1])

    def freeze(self) -> None:
        """Stops all its processes, wherever they are."""
        os.write(self._frost, b"1" if self._by_v2 else b"FROZEN")

    def thaw(self) -> None:
        """Lets them run again."""
        os.write(self._frost, b"0" if self._by_v2 else b"THAWED")

    def members(self) -> tuple[int, ...]:
        """The ids of its processes."""
        return tuple(members(map(str, self._folders.values())))

    def kill(self) -> None:
        """Ends all its processes at once."""
        for pid in self.members():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def remove(self) -> None:
        """Ends what is left in it, and takes the group away. Idempotent."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()
        remove_groups(map(str, self._folders.values()))
        self._folders = {}


class Found(Group):
    """The control group that somebody else has made for a bot: a container's."""

    def __init__(self, hierarchies: Hierarchies, pid: int) -> None:
        """Finds the group of a process.

        Raises:
            OSError: it is gone, or its files are not ours to open.
        """
        self._kind = hierarchies.kind
        self._open = []
        self._folders = _folders_of(hierarchies, Path(f"/proc/{pid}/cgroup").read_text())
        try:
            self._find(hierarchies)
            self._cpu = self._opened(self._cpu_file, os.O_RDONLY)
            self._oom = self._opened(self._oom_file, os.O_RDONLY)
            self._frost = self._opened(self._frost_file, os.O_WRONLY)
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        """Closes our descriptors; the folders belong to who made them."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()


def _folders_of(hierarchies: Hierarchies, text: str) -> dict[str, Path]:
    """The folders of the groups that a /proc/PID/cgroup names, by mount."""
    found = {}
    for line in text.splitlines():
        number, names, path = line.split(":", 2)
        roots = (
            [hierarchies.v2]
            if number == "0"
            else [hierarchies.v1.get(name) for name in names.split(",")]
        )
        for root in roots:
            if root is not None and root in hierarchies.roots:
                found[root] = Path(root + path)
    return found
