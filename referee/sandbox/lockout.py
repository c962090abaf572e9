"""For how long a bot may keep who counts what it has from the lock of its memory.

The kernel has that lock, and a process can hold it in a call of the kernel. Only the time in which
the bot runs is charged: one that another bot keeps from its core, in the midst of a call, holds its
lock, too, and a bot that does not run takes nothing more.
"""

from typing import Final

_MOST_US: Final = 1_000_000
"""Processor time of the bot while its memory is locked."""

_MOST_LOOKS: Final = 200
"""So many looks find it locked, whether the bot runs or not. We know of no bot that holds its lock
asleep; another one was seen to keep a core for seconds."""


class Lockout:
    """Looks at a count that is under way.

    Attributes:
        looks: how many found it waiting for the lock.
    """

    def __init__(self, cpu_us: int) -> None:
        """A count begins.

        Args:
            cpu_us: the processor time that the bot has used so far.
        """
        self.looks = 0
        self._ran_us = 0
        self._cpu_us = cpu_us

    def look(self, cpu_us: int, *, is_blocked: bool) -> bool:
        """Look once more.

        Args:
            cpu_us: the processor time that the bot has used so far.
            is_blocked: whether who counts waits in the kernel.

        Returns:
            Whether the bot has kept its memory locked for longer than it may.
        """
        ran_us, self._cpu_us = cpu_us - self._cpu_us, cpu_us
        if is_blocked:
            self.looks += 1
            self._ran_us += max(ran_us, 0)  # where processes are counted, some have ended
        return self._ran_us >= _MOST_US or self.looks >= _MOST_LOOKS
