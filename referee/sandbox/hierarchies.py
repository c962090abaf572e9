"""Which hierarchies of control groups this kernel offers, and whether we may use them."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.sandbox.janitor import GROUPS

V1_WANTED: Final = ("memory", "pids", "cpuacct", "freezer")
_V2_WANTED: Final = ("memory", "pids", "cpu")


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
        v1 = dict.fromkeys(self.v1[name] for name in V1_WANTED if name in self.v1)
        return (*v1, *((self.v2,) if self.v2 else ()))


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
            folder = Path(root, GROUPS)
            if found.kind is Kind.V2:
                _delegate(Path(root))
            folder.mkdir(exist_ok=True)
            if found.kind is Kind.V2:
                _delegate(folder)
    except OSError:
        return False
    return True


def _delegate(folder: Path) -> None:
    """Lets groups below this one have limits of their own.

    Raises:
        OSError: a controller is missing, or there are processes in the folder itself.
    """
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in _V2_WANTED))
