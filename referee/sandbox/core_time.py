"""For how long a core was busy, with whatever: a daemon, another match, a thread of the kernel.

And for how long it was not, since what it was to run waited for the disk.
"""

import os
from typing import Final, NamedTuple

_TICK_US: Final = 1_000_000 // os.sysconf("SC_CLK_TCK")

_COUNTS: Final = "/proc/stat"

RESOLUTION_US: Final = _TICK_US
"""The kernel says it in hundredths of a second."""


class Idle(NamedTuple):
    """For how long a core has had nothing to do since the machine began, in microseconds.

    Attributes:
        us: all in all.
        disk_us: how much of that something waited for the disk which had run there before.
    """

    us: int
    disk_us: int


class CoreUse(NamedTuple):
    """What a core has done since some moment, in microseconds.

    Attributes:
        busy_us: for how long it ran something, at least.
        idle_us: for how long it had nothing to run.
        disk_us: how much of that something waited for the disk which had run there before.
    """

    busy_us: int
    idle_us: int
    disk_us: int


UNKNOWN: Final = CoreUse(0, 0, 0)


def idle(core: int) -> Idle | None:
    """Return for how long a core has had nothing to do.

    A host that gives the core to another virtual machine does not count it as idle.

    Args:
        core: its number.

    Returns:
        None if the kernel does not say.
    """
    begin = f"cpu{core} ".encode()
    try:
        with open(_COUNTS, "rb", buffering=0) as file:
            lines = file.read(65536).splitlines()
        (found,) = (line for line in lines if line.startswith(begin))
        ticks, disk_ticks = map(int, found.split()[4:6])
        return Idle((ticks + disk_ticks) * _TICK_US, disk_ticks * _TICK_US)
    except (OSError, ValueError):
        return None
