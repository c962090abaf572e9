"""What the organiser is told of trouble that visitors may cause: not more than they can read."""

from collections.abc import Callable
from typing import Final

import trio

SAID_EVERY_S: Final = 60.0
"""So often at most."""


class Seldom:
    """Tells of trouble, and of how much there was of which it did not tell."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Has told nothing yet.

        Args:
            say: is told.
        """
        self._say = say
        self._untold, self._told_at = 0, -SAID_EVERY_S

    def tell(self, what: str) -> None:
        """Tell of trouble, unless it is less than a minute since the last time."""
        self._untold += 1
        now = trio.current_time()
        if now >= self._told_at + SAID_EVERY_S:
            more = f" ({self._untold - 1} more since the last)" if self._untold > 1 else ""
            self._say(f"{what}{more}")
            self._untold, self._told_at = 0, now
