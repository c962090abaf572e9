"""The events that a site shows: it reads the logs that `referee event run` writes."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ladder.event.check import Finding, findings
from ladder.event.conductor import NothingPlayed, log_of, played_in
from ladder.event.plan import EventPlan
from ladder.event.publish import standings_of
from ladder.standings.heading import Heading
from ladder.standings.table import Standings

Pulse = tuple[int, int]
"""Of a log: its bytes, and when it was written to."""


class EventSoFar(Struct, frozen=True):
    """What an event has come to."""

    plan: EventPlan
    heading: Heading
    standings: tuple[Standings, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether all of it was played."""
        return bool(self.heading.key)


class Events:
    """Events in the order in which the organiser has named them. One thread asks at a time."""

    def __init__(self, typed: Sequence[str]) -> None:
        """Read nothing yet.

        Args:
            typed: what the organiser means them by; see `log_of`.

        Raises:
            RefereeError: one of these is not there.
        """
        self.logs = tuple(map(log_of, typed))
        self._known: dict[Path, tuple[Pulse, EventSoFar | None]] = {}

    def pulse(self) -> tuple[Pulse, ...]:
        """Return what changes whenever something was played."""
        return tuple(map(_pulse, self.logs))

    def name(self, number: int) -> str:
        """Return what an event is called before its log says so."""
        return self.logs[number - 1].resolve().parent.name

    def so_far(self, number: int) -> EventSoFar | None:
        """Return what an event has come to, by its number from 1; None where it was not begun.

        A log is read once for all pages that are made of it.

        Raises:
            RefereeError: its log is damaged.
        """
        path = self.logs[number - 1]
        pulse = _pulse(path)
        known = self._known.get(path)
        if known is None or known[0] != pulse:
            known = self._known[path] = pulse, _read(path)
        return known[1]


def _read(path: Path) -> EventSoFar | None:
    try:
        played = played_in(path)
    except NothingPlayed:
        return None
    return EventSoFar(played.plan, *standings_of(played), tuple(findings(played)))


def _pulse(path: Path) -> Pulse:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
