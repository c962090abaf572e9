"""Whether the clock of a machine, by which its bots have their time, goes as fast as ours. Pure.

A machine is asked now and then what its clock says. It says so at some moment between our question
and its answer; so how fast the clock goes lies within bounds, however busy anybody is, and it is
wrong only where all between them is. Once says little: a virtual machine that was paused has lost
time, and goes on as it should.
"""

from typing import Final

from msgspec import Struct

MOST_OFF: Final = 0.1
"""By such a part of ours a clock may go faster or slower."""

TIMES: Final = 2
"""A clock that is wrong so many times in succession is wrong."""

FIRST_S: Final = 2.0
LONGEST_S: Final = 60.0
"""A machine is asked when it has joined, soon after that, and then each minute."""


class Reading(Struct, frozen=True):
    """What a clock said, in seconds.

    Attributes:
        theirs: since any moment.
        asked: when we asked, by our own clock.
        heard: when we had the answer.
    """

    theirs: float
    asked: float
    heard: float


def is_off(before: Reading, after: Reading) -> bool:
    """Whether a clock cannot have gone as fast as ours between two readings."""
    went = after.theirs - before.theirs
    least, most = after.asked - before.heard, after.heard - before.asked
    return not (1 - MOST_OFF) * least <= went <= (1 + MOST_OFF) * most


def rate(before: Reading, after: Reading) -> float:
    """Return how many times as fast as ours a clock went, about: from question to question."""
    return (after.theirs - before.theirs) / (after.asked - before.asked)


class Clock:
    """The clock of a machine."""

    def __init__(self, now: float) -> None:
        """Has not been read; is to be, at once."""
        self._since = self._due = now
        self._last: Reading | None = None
        self._off = 0

    def is_due(self, now: float) -> bool:
        """Whether the machine is to be asked."""
        return now >= self._due

    def ask(self, now: float) -> None:
        """Note that it is asked now, and when it is to be asked again, if it does not answer."""
        self._due = now + min(max(now - self._since, FIRST_S), LONGEST_S)

    def read(self, reading: Reading) -> float | None:
        """Take an answer into account.

        Returns:
            How many times as fast as ours it goes, once that is known to be wrong; else None.
        """
        before, self._last = self._last, reading
        if before is None:
            return None
        self._off = self._off + 1 if is_off(before, reading) else 0
        return rate(before, reading) if self._off >= TIMES else None
