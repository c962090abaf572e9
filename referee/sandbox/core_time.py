"""For how long a core was busy, with whatever: a daemon, another match, a thread of the kernel."""

import os
from typing import Final

_TICK_US: Final = 1_000_000 // os.sysconf("SC_CLK_TCK")

_COUNTS: Final = "/proc/stat"

RESOLUTION_US: Final = _TICK_US
"""The kernel says it in hundredths of a second."""


def idle_us(core: int) -> int | None:
    """Return for how long a core has had nothing to do since the machine began, in microseconds.

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
        idle, waits_for_disk = found.split()[4:6]
        return (int(idle) + int(waits_for_disk)) * _TICK_US
    except (OSError, ValueError):
        return None
