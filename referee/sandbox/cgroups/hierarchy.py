"""Which hierarchies of control groups this kernel offers, and whether we may use them."""

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.sandbox.janitor import GROUPS, IDLE

V1_WANTED: Final = ("memory", "pids", "cpuacct", "freezer")
_CPU: Final = "cpu"
"""Where version 1 lacks this controller there are groups, but no fair shares."""

_V2_WANTED: Final = ("memory", "pids", _CPU)
V1_SHARES: Final = 1024
_V2_WEIGHT: Final = 100
"""What the kernel gives a process that is in no group of ours."""

_MOST_CORES: Final = 100
"""A weight has an upper bound."""

IDLE_PART: Final = 10
"""Builds and trials weigh so many times less than a match, all of them together."""


class Kind(StrEnum):
    """Whose limits bind."""

    V1 = "v1"
    HYBRID = "hybrid"
    """Those of version 1; version 2 is there too, without controllers, and freezes faster."""
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
        """The mounts in which a group has a folder."""
        v1 = dict.fromkeys(self.v1[name] for name in (*V1_WANTED, _CPU) if name in self.v1)
        return (*v1, *((self.v2,) if self.v2 else ()))

    @property
    def shares(self) -> bool:
        """Whether the kernel shares out the processor among groups, however many their processes.

        In version 2 it always does, for the `cpu` controller is wanted there.
        """
        return self.kind is Kind.V2 or _CPU in self.v1


def read_mounts(mountinfo: str) -> Hierarchies | None:
    """What /proc/self/mountinfo says of control groups; None where there are none for memory."""
    v1: dict[str, str] = {}
    v2 = None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(), after.split(maxsplit=2)
        if kind == "cgroup":
            v1 |= dict.fromkeys(options.split(","), fields[4])
        elif kind == "cgroup2" and v2 is None:
            v2 = fields[4]
    if set(V1_WANTED) <= set(v1):
        return Hierarchies(Kind.HYBRID if v2 else Kind.V1, v1, v2)
    return Hierarchies(Kind.V2, {}, v2) if v2 else None


def available() -> Hierarchies | None:
    """The hierarchies in which we may make groups that limit memory, or None."""
    found = read_mounts(Path("/proc/self/mountinfo").read_text())
    return found if found is not None and usable(found) else None


def usable(found: Hierarchies) -> bool:
    """Makes our own folder in each hierarchy, with the right to limit what is below it."""
    try:
        for root in found.roots:
            if found.kind is Kind.V2:
                delegate(Path(root))
            for folder in (Path(root, GROUPS), Path(root, IDLE)):
                folder.mkdir(exist_ok=True)
                if found.kind is Kind.V2:
                    delegate(folder)
        _share_out(found)
    except OSError:
        return False
    return True


def _share_out(found: Hierarchies) -> None:
    """Weigh all bots together as one process a core, and builds and trials as a tenth of a match.

    All that play are one group to the kernel, so that on each core they would otherwise weigh
    only a part of what a single process of another program weighs. Builds and trials have a share,
    since on a machine that always plays they would never come to their end without.

    Raises:
        OSError: that is not ours to do.
    """
    cores = min(os.cpu_count() or 1, _MOST_CORES)
    if found.kind is Kind.V2:
        top, file, usual = found.v2 or "", "cpu.weight", _V2_WEIGHT
    elif found.shares:
        top, file, usual = found.v1[_CPU], "cpu.shares", V1_SHARES
    else:
        return
    Path(top, GROUPS, file).write_text(str(usual * cores))
    Path(top, IDLE, file).write_text(str(usual // IDLE_PART))


def delegate(folder: Path) -> None:
    """Lets groups below this one have limits of their own.

    Raises:
        OSError: a controller is missing, or there are processes in the folder itself.
    """
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _V2_WANTED))
