"""What has been used by the time an act begins: that keeps no bot from it."""

import time
from collections.abc import Iterable
from typing import Final

from referee.play.off_turn import NEVER, OffTurn
from referee.sandbox import core_time, kernel_threads
from referee.sandbox.core_time import RESOLUTION_US, UNKNOWN, CoreUse
from referee.sandbox.count_process import COUNT_PROCESSES

_SEEN_NS: Final = 1_000_000
"""What bots can use in less is not worth a look."""


class LastSeen:
    """When it was last seen what bots have used, so that it is known what they use in an act.

    Between two acts that are not usual ones the referee can be away for a quarter of a second: for
    the last word of a bot at fault, a start, a slow disk. What a bot does then keeps none from its
    act.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._at_ns = -NEVER
        self._cores = kernel_threads.cores_of_ours()
        self._ours_ns = _of_no_bot_ns(self._cores)
        self._idle: core_time.Idle | None = None

    def see(self, bots: Iterable[OffTurn]) -> None:
        """Look, if an act is about to begin and we have been away."""
        now_ns = time.perf_counter_ns()
        if now_ns - self._at_ns > _SEEN_NS:
            for bot in bots:
                bot.see()
            self._cores = kernel_threads.cores_of_ours()
            self._ours_ns = _of_no_bot_ns(self._cores)
            self._idle = self._core_idle()
            self._at_ns = time.perf_counter_ns()

    def ours_us(self) -> int:
        """Return the processor time that has been used for no bot since, but for this thread's.

        Other threads and count processes of ours look at what bots have, and it may be on the core
        on which those play; threads of the kernel free there what bots have left.
        """
        return (_of_no_bot_ns(self._cores) - self._ours_ns) // 1000

    def core_use(self) -> CoreUse:
        """Return what the core has done since.

        It was busy with the bots and with us, but also with a daemon that takes containers away,
        with other matches, and with all else that the machine does. All 0 where it is not known.
        """
        before, now = self._idle, self._core_idle()
        if before is None or now is None:
            return UNKNOWN
        spent_us = (time.perf_counter_ns() - self._at_ns) // 1000
        idle_us = now.us - before.us
        busy_us = max(spent_us - idle_us - RESOLUTION_US, 0)
        return CoreUse(busy_us, idle_us, now.disk_us - before.disk_us)

    def _core_idle(self) -> core_time.Idle | None:
        return core_time.idle(*self._cores) if len(self._cores) == 1 else None


def _of_no_bot_ns(cores: Iterable[int]) -> int:
    threads_ns = time.process_time_ns() - time.thread_time_ns()
    return threads_ns + COUNT_PROCESSES.used_ns() + kernel_threads.used_ns(cores)
