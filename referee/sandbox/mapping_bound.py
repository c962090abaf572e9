"""Bounds on what the kernel has to go through in one piece for a bot, while others wait.

To evict a page the kernel goes through all mappings of it, about a microsecond each, and a process
that maps or unmaps that file meanwhile waits: at each fork, start and end of a process, in any bot.
And when a process closes a pipe, the kernel wakes all waiters of that pipe with the interrupts of
the core off: a million in 150 ms.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Final

from referee.sandbox.procfs import UNREADABLE, count_mappings, count_waiters, is_running

MOST_MAPPINGS: Final = 32_768
"""Of all processes of a bot together. Java and node have some thousand, Python some hundred."""

MOST_WAITERS: Final = 4096
"""What all processes of a bot may wait for with epoll: node, Java and Go wait for a dozen things.

A socket that gives out a few hundred small messages wakes all who wait for it some 70 times."""

_GROWN: Final = 1 << 18
"""Bytes by which the kernel's own memory for a bot grows before its mappings are counted again.

A mapping takes about 200, so some 1,300 more are overlooked at most."""

_MUCH: Final = 2 << 20
"""Bytes of it from which all is counted at each look: what a bot gives back may hide what it takes.

Java, Go and node were seen to need 1.5 MiB at most. Below this, 10,000 waiters fit in."""

_MOST_UNSEEN: Final = 32 << 20
"""Bytes that the kernel may need for a bot whose mappings are not ours to count."""


_PATIENCE: Final = 10
"""So many looks the memory of a bot may be locked, so that its mappings cannot be counted."""


class MappingBound:
    """Ends a bot that has far too much of these, or does not let its mappings be counted.

    Who counts waits for the lock that the kernel has for the memory of a process, and a bot can
    hold that for as long as it likes. So each count is done in a thread of its own.

    Attributes:
        exceeded: whether it had.
    """

    def __init__(
        self,
        kernel_bytes: Callable[[], int],
        members: Callable[[], Iterable[int]],
        kill: Callable[[], None],
    ) -> None:
        """Begin with a bot that has none.

        Args:
            kernel_bytes: returns what the kernel itself needs for the bot; quickly known.
            members: returns the ids of its processes.
            kill: ends them.
        """
        self.exceeded = False
        self._kernel_bytes, self._members, self._kill = kernel_bytes, members, kill
        self._counted_at = 0
        self._count: _Count | None = None

    def look(self) -> None:
        """Have all counted if there can be more than at the last count, and end what has too many.

        What a count has brought is seen by the next look.

        Raises:
            OSError: the bot is gone.
        """
        used = self._kernel_bytes()
        if self._count is not None:
            if not self._count.is_over(used):
                return
            if self._count.is_too_much:
                self.exceeded = True
                self._kill()
            self._count = None
        if used < min(self._counted_at + _GROWN, _MUCH):
            self._counted_at = min(self._counted_at, used)
            return
        self._counted_at = used
        self._count = _Count(tuple(self._members()))


class _Count:
    """A count of mappings that is under way, in a thread.

    Attributes:
        is_too_much: whether there are too many, as far as is known when it is over.
    """

    def __init__(self, members: tuple[int, ...]) -> None:
        """Begin to count those of some processes."""
        self.is_too_much = False
        self._members = members
        self._found: tuple[int, bool, int] | None = None
        self._locked = 0
        self.thread = threading.Thread(target=self._work, name="mappings", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            waiters = count_waiters(self._members, MOST_WAITERS)
            self._found = (*count_mappings(self._members, MOST_MAPPINGS), waiters)
        except UNREADABLE:
            self._found = (MOST_MAPPINGS + 1, False, 0)

    def is_over(self, used: int) -> bool:
        """Whether it is done, or stays locked; `used` is what the kernel needs for the bot.

        A thread that runs, or waits for a processor, is not locked out.
        """
        if self._found is None:
            thread = self.thread.native_id
            self._locked += thread is not None and not is_running(thread)
            self.is_too_much = self._locked > _PATIENCE
            return self.is_too_much
        count, hidden, waiters = self._found
        self.is_too_much = count > MOST_MAPPINGS or waiters > MOST_WAITERS
        self.is_too_much |= hidden and used > _MOST_UNSEEN
        return True
