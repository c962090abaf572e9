"""How much a machine, or all of them, have played, and how fast. Pure."""

from collections import deque
from typing import Final

LATELY_S: Final = 30.0
"""Over so long a time it is told how fast matches are played now."""


class Pace:
    """How much is played, and how fast. Moments are in seconds, from any beginning.

    Attributes:
        matches: how many were played.
        blocks: how many those had.
    """

    def __init__(self, since: float) -> None:
        """Nothing is played yet."""
        self.matches = self.blocks = 0
        self._since = since
        self._late: deque[tuple[float, int]] = deque()
        self._late_blocks = 0

    def add(self, blocks: int, now: float) -> None:
        """Count a match of so many blocks."""
        self.matches += 1
        self.blocks += blocks
        self._late.append((now, blocks))
        self._late_blocks += blocks

    def of_late(self, now: float) -> float:
        """Return how many blocks a second were played lately."""
        while self._late and self._late[0][0] <= now - LATELY_S:
            self._late_blocks -= self._late.popleft()[1]
        return self._late_blocks / max(min(LATELY_S, now - self._since), 1.0)

    def in_all(self, now: float) -> float:
        """Return how many blocks a second were played from the beginning on."""
        return self.blocks / max(now - self._since, 1e-3)
