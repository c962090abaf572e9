"""When to look again at an act under way, and by how much we are woken too late for it."""

import time
from typing import Final

from referee.play.evidence import Witness

FIRST_LOOK_NS: Final = 3_000_000
"""What takes a bot less is not worth a look at what the kernel has counted for it: 50 us."""

_PART: Final = 5
"""The next look comes after so great a part of the act's time until now: a bot that begins to work
meanwhile has done so for no longer. A standstill is seen by what it lasts longer than that."""

_TICK_NS: Final = 10_000_000
_LONGEST_TICK_NS: Final = 1_000_000_000


class Looks:
    """When the looks at one act are due.

    Attributes:
        late_us: by how much we were woken too late for the last, without what we stood still.
    """

    def __init__(self, witness: Witness, begin: int, allowance_us: int, stood_us: int) -> None:
        """Wait for the first.

        Args:
            witness: sees what the bot does, and counts our lag.
            begin: when the act began, in nanoseconds.
            allowance_us: how long it may take.
            stood_us: for how long we have stood still in it.
        """
        self._witness = witness
        self._begin = begin
        self._longest_ns = min(allowance_us * 10, _LONGEST_TICK_NS)
        self._held_us = witness.held_us
        self._due = begin + FIRST_LOOK_NS + (witness.held_us + stood_us) * 1000  # no looks then
        self._used_ns = time.thread_time_ns()
        """What this thread had used when our lag was last counted, and in long looks since."""
        self.late_us = 0

    def rest_s(self) -> float:
        """Return for how long there is none to come."""
        return max(self._due - time.perf_counter_ns(), 0) / 1e9

    def be_away(self, spent_ns: int, used_ns: int) -> None:
        """Put it off: we saw to other bots for so long, and used so much of the processor."""
        self._due += spent_ns
        self._used_ns += used_ns

    def end_rest(self) -> int:
        """Count by how much we are late for it, and say when the next is due.

        What this thread has done meanwhile, as to look at others, is neither lag nor standstill.

        Returns:
            For how long we stood still, in microseconds.
        """
        now, used_ns, witness = time.perf_counter_ns(), time.thread_time_ns(), self._witness
        late_us = (now - self._due) // 1000 - (witness.held_us - self._held_us)
        worked_us, self._used_ns = (used_ns - self._used_ns) // 1000, used_ns
        stood_us = witness.standstill.end(late_us)
        witness.lag_us += max(late_us - stood_us - worked_us, 0)
        self._held_us = witness.held_us
        self.late_us = max(late_us - stood_us, 0)
        self._due = now + max(min((now - self._begin) // _PART, self._longest_ns), _TICK_NS)
        return stood_us
