"""Counts what the kernel has to go through for a bot: mappings, page tables and waiters.

Run as a program it is a process that counts (see `count_process`): it reads from its stdin, line by
line, of which processes, and ends with that. So it imports little.
"""

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import BinaryIO, Final, NamedTuple

from referee.errors import NO_MEANS
from referee.sandbox.procfs import UNREADABLE, Tick, TooLong, count_mappings, tables_kib, within
from referee.sandbox.waiters import count_waiters

MOST_MAPPINGS: Final = 32_768
"""Of all processes of a bot together. Java and node have some thousand, Python some hundred."""

MOST_TABLES_KIB: Final = 32_768
"""Of page tables, each of which is 4 KiB for 2 MiB of addresses that are in use. A process that has
used 1 GiB needs 2,048 KiB; Python has 72, node 372.

The kernel frees them in interrupts, in time that is charged to whom it interrupts: of 245,000 that
each of seven friends gave back it was up to 25 ms an act.
"""

MOST_WAITERS: Final = 4096
"""What all processes of a bot may wait for with epoll: node, Java and Go wait for a dozen things.

A socket that gives out a few hundred small messages wakes all who wait for it some 70 times."""

_NICE: Final = 10
"""Where the kernel compares it with bots, a process that counts leaves them nine tenths of a core:
another's act may be under way there. Where it shares by session (autogroup), it does not."""


class Budget(NamedTuple):
    """How long a count may take.

    Attributes:
        work_s: in processor time of the thread that counts.
        wall_s: by the clock; None for as long as it takes.
    """

    work_s: float
    wall_s: float | None = None

    def tick(self) -> Tick:
        """Return what gives a count so much time from now on."""
        longest_s = math.inf if self.wall_s is None else self.wall_s
        return within(longest_s, time.monotonic, self.work_s)


class Found(NamedTuple):
    """What a count has brought.

    Attributes:
        hidden: whether there are processes that are not ours to look at.
        took_s: processor time that it took.
        took_too_long: whether it was broken off.
        was_looked_at: False if we ourselves lacked the means.
    """

    mappings: int
    hidden: bool
    tables_kib: int
    waiters: int
    took_s: float = 0.0
    took_too_long: bool = False
    was_looked_at: bool = True

    @property
    def is_too_much(self) -> bool:
        """Whether it is more than a bot may have."""
        return (
            self.mappings > MOST_MAPPINGS
            or self.tables_kib > MOST_TABLES_KIB
            or self.waiters > MOST_WAITERS
        )


UNSEEN: Final = Found(0, hidden=False, tables_kib=0, waiters=0, was_looked_at=False)
_TOO_MUCH: Final = Found(MOST_MAPPINGS + 1, hidden=False, tables_kib=0, waiters=0)
"""Of anything."""


def count(pids: Iterable[int], budget: Budget, is_stopped: Callable[[], bool]) -> Found:
    """Count what processes have; those that cannot be understood, or for long, have too much.

    Args:
        pids: of one bot.
        budget: how long it may take.
        is_stopped: asked at each step; yes ends the count, which then took too long.
    """
    began_s, in_time = time.thread_time(), budget.tick()

    def tick() -> None:
        if is_stopped():
            raise TooLong
        in_time()

    found = _counted(tuple(pids), tick)
    return found._replace(took_s=time.thread_time() - began_s)


def _counted(pids: tuple[int, ...], tick: Tick) -> Found:
    try:
        # first: these take 40 ms at most, and many descriptors could make waiters take all the time
        mappings, hidden = count_mappings(pids, MOST_MAPPINGS, tick)
        found = Found(mappings, hidden, tables_kib(pids, tick), waiters=0)
        if found.is_too_much:
            return found
        return found._replace(waiters=count_waiters(pids, MOST_WAITERS, tick))
    except UNREADABLE as error:
        if isinstance(error, OSError) and error.errno in NO_MEANS:  # of ours: no bot is charged
            return UNSEEN
        return _TOO_MUCH._replace(took_too_long=isinstance(error, TooLong))


def main(orders: BinaryIO, answers: BinaryIO) -> None:
    """Count until there is nothing more to count.

    Args:
        orders: JSON lines, [PIDS, [WORK_S, WALL_S]].
        answers: first an empty line: we have begun; then likewise, the values of `Found`.
    """
    with suppress(BrokenPipeError):  # the referee is gone
        answers.write(b"\n")
        answers.flush()
        for line in orders:
            pids, budget = json.loads(line)
            found = count(pids, Budget(*budget), lambda: False)
            answers.write(json.dumps(found).encode() + b"\n")
            answers.flush()


if __name__ == "__main__":
    os.nice(_NICE)
    main(sys.stdin.buffer, sys.stdout.buffer)
