"""Counts what the kernel has to go through in one piece for a bot: mappings and waiters.

Run as a program it is a process that counts (see `count_process`): it reads from its stdin what of,
line by line, and ends with that. So it imports little.
"""

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import BinaryIO, Final, NamedTuple

from referee.errors import NO_MEANS
from referee.sandbox.procfs import UNREADABLE, Tick, TooLong, count_mappings, within
from referee.sandbox.waiters import count_waiters

MOST_MAPPINGS: Final = 32_768
"""Of all processes of a bot together. Java and node have some thousand, Python some hundred."""

MOST_WAITERS: Final = 4096
"""What all processes of a bot may wait for with epoll: node, Java and Go wait for a dozen things.

A socket that gives out a few hundred small messages wakes all who wait for it some 70 times."""

_NICE: Final = 10
"""A process that counts leaves bots nine tenths of a core, if they want it: where it holds one,
another's act may be under way."""


class Budget(NamedTuple):
    """How long a count may take.

    Attributes:
        work_s: in processor time of who counts.
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
    waiters: int
    took_s: float = 0.0
    took_too_long: bool = False
    was_looked_at: bool = True

    @property
    def is_too_much(self) -> bool:
        """Whether it is more than a bot may have."""
        return self.mappings > MOST_MAPPINGS or self.waiters > MOST_WAITERS


UNSEEN: Final = Found(0, hidden=False, waiters=0, was_looked_at=False)


def count(pids: Iterable[int], budget: Budget, is_stopped: Callable[[], bool]) -> Found:
    """Count what processes have; those that cannot be understood, or for long, have too much.

    Args:
        pids: of one bot.
        budget: how long it may take.
        is_stopped: asked at each step; yes ends the count, which then took too long.
    """
    pids = tuple(pids)
    began_s = time.thread_time()
    in_time = budget.tick()

    def tick() -> None:
        if is_stopped():
            raise TooLong
        in_time()

    def found(mappings: int, waiters: int = 0, **rest: bool) -> Found:
        took_s = time.thread_time() - began_s
        return Found(mappings, rest.pop("hidden", False), waiters, took_s, **rest)

    try:
        # first: these take 40 ms at most, and many descriptors could make waiters take all the time
        mappings, hidden = count_mappings(pids, MOST_MAPPINGS, tick)
        waiters = 0 if mappings > MOST_MAPPINGS else count_waiters(pids, MOST_WAITERS, tick)
    except UNREADABLE as error:
        if isinstance(error, OSError) and error.errno in NO_MEANS:  # of ours: no bot is charged
            return found(0, was_looked_at=False)
        return found(MOST_MAPPINGS + 1, took_too_long=isinstance(error, TooLong))
    return found(mappings, waiters, hidden=hidden)


def main(orders: BinaryIO, answers: BinaryIO) -> None:
    """Count until there is nothing more to count.

    Args:
        orders: JSON lines, [PIDS, [WORK_S, WALL_S]].
        answers: likewise, the values of `Found`.
    """
    for line in orders:
        pids, budget = json.loads(line)
        found = count(pids, Budget(*budget), lambda: False)
        try:
            answers.write(json.dumps(found).encode() + b"\n")
            answers.flush()
        except BrokenPipeError:  # the referee is gone
            return


if __name__ == "__main__":
    os.nice(_NICE)
    main(sys.stdin.buffer, sys.stdout.buffer)
