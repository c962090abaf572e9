"""The kernel's own threads that free what bots have left: what they take counts for no bot.

A bot that ends with 150,000 files in memory has the kernel free those. A part is done by its dying
process, the rest by threads of the core: a fifth of what an honest bot beside it had for its act.
"""

import os
from collections.abc import Iterable
from functools import cache
from typing import Final

from referee.sandbox.procfs import UNREADABLE, children

_PARENT: Final = 2
"""The process that starts the kernel's threads."""

_IS_OF_KERNEL: Final = 0x200000
"""A flag of a process (PF_KTHREAD), which none of a user has, whatever it is called."""

_KINDS: Final = ("ksoftirqd", "rcuc", "rcuog", "rcuop")


def used_ns(cores: Iterable[int]) -> int:
    """Return the processor time that they have used on some cores, in nanoseconds.

    Nothing where they cannot be seen, as in a container.

    Args:
        cores: their numbers.
    """
    return sum(map(_ran_ns, _threads_of(frozenset(cores))))


def _ran_ns(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/schedstat", "rb", buffering=0) as file:
            return int(file.read(100).split()[0])
    except UNREADABLE:
        return 0


@cache
def _threads_of(cores: frozenset[int]) -> tuple[int, ...]:
    wanted = {f"{kind}/{core}".encode() for kind in _KINDS for core in cores}
    return tuple(pid for pid in children(_PARENT) if _name_of(pid) in wanted)


def _name_of(pid: int) -> bytes:
    """The name of a thread of the kernel; empty for all others."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
            name, _, rest = file.read(1024).partition(b"(")[2].rpartition(b") ")
        flags = int(rest.split()[6])
    except UNREADABLE:
        return b""
    return name if flags & _IS_OF_KERNEL else b""


def cores_of_ours() -> frozenset[int]:
    """Return the cores that this thread, and the bots that it starts, may run on."""
    return frozenset(os.sched_getaffinity(0))
