"""Jobs that machines have had for too long: the task that waits for one waits no more."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import trio

_MOST_BETWEEN_S: Final = 60.0
"""Longer between two looks it is us who stood still, stopped or suspended, and no machine."""


class Overdue:
    """How long machines may still have the jobs that they have."""

    def __init__(self) -> None:
        """None has one."""
        self._left_s: dict[trio.CancelScope, float] = {}
        self._looked = trio.current_time()

    @contextmanager
    def within(self, seconds: float) -> Iterator[trio.CancelScope]:
        """A block that is cancelled once it has taken so long, as `look` has seen it."""
        with trio.CancelScope() as scope:
            self._left_s[scope] = seconds
            try:
                yield scope
            finally:
                del self._left_s[scope]

    def look(self) -> None:
        """Cancel what is overdue."""
        now = trio.current_time()
        passed, self._looked = min(now - self._looked, _MOST_BETWEEN_S), now
        for scope in self._left_s:
            self._left_s[scope] -= passed
            if self._left_s[scope] < 0:
                scope.cancel()
