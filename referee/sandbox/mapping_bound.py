"""A bound on the mappings of a bot: many of one file make everybody wait who has the file.

To evict a page the kernel goes through all mappings of it, about a microsecond each, and whoever
maps or unmaps that file meanwhile waits: at each fork, start and end of a process, in any bot.
"""

from collections.abc import Callable, Iterable
from typing import Final

from referee.sandbox.procfs import count_mappings

MOST_MAPPINGS: Final = 32_768
"""Of all processes of a bot together. Java and node have some thousand, Python some hundred."""

_GROWN: Final = 1 << 20
"""Bytes by which the kernel's own memory for a bot grows before its mappings are counted again.

A mapping takes about 200, so some 5,000 more are overlooked at most."""

_MOST_UNSEEN: Final = 32 << 20
"""Bytes that the kernel may need for a bot whose mappings are not ours to count."""


class MappingBound:
    """Ends a bot that has far too many mappings.

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

    def look(self) -> None:
        """Count the mappings if there can be more than at the last count, and end too many.

        Raises:
            OSError: the bot is gone.
        """
        used = self._kernel_bytes()
        if used < self._counted_at + _GROWN:
            self._counted_at = min(self._counted_at, used)
            return
        self._counted_at = used
        count, hidden = count_mappings(self._members(), MOST_MAPPINGS)
        if count > MOST_MAPPINGS or (hidden and used > _MOST_UNSEEN):
            self.exceeded = True
            self._kill()
