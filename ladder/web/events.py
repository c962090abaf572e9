"""The events that a site shows, by their logs: whoever plays them, and wherever."""

from collections.abc import Sequence
from pathlib import Path

from ladder.event.conductor import NothingPlayed, Played, log_of, played_in


class Events:
    """Events in the order in which the organiser has named them."""

    def __init__(self, typed: Sequence[str]) -> None:
        """Read nothing yet.

        Args:
            typed: what the organiser means them by; see `log_of`.

        Raises:
            RefereeError: one of these is not there.
        """
        self.logs = tuple(map(log_of, typed))

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """Return what changes whenever something was played."""
        return tuple(map(_state, self.logs))

    def played(self, number: int) -> Played | None:
        """Return what an event has come to, by its number from 1; None where it was not begun.

        Raises:
            IndexError: there is no such event.
            RefereeError: its log is damaged.
        """
        try:
            return played_in(self.logs[number - 1])
        except NothingPlayed:
            return None


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
