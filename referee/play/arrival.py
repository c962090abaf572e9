"""When bytes of a bot came while the referee saw to other bots, as far as that is known."""

import select
import time

from referee.sandbox import BotProcess


class Arrival:
    """What a bot has written, and nobody has read yet.

    To stop or to look at another bot can keep the referee: a daemon for two seconds. When it is
    back the answer lies there, and what the bot did after it is no part of its act; but what it did
    before is. So another thread looks meanwhile, ten times a second.
    """

    def __init__(self, process: BotProcess) -> None:
        """Begin with nothing."""
        self._process = process
        self._since = 0, 0
        """When there was nothing for the last time, as far as was seen, in nanoseconds, and the
        processor time that the bot had used by then, in microseconds."""

    def is_there(self) -> bool:
        """Whether bytes have come that nobody has read."""
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        return any(event & select.POLLIN for _, event in poll.poll(0))

    def begin(self) -> None:
        """Take note that nothing has come until now."""
        self._since = time.perf_counter_ns(), self._process.cpu_us()

    def look(self) -> None:
        """Take note if nothing has come until now; any thread may."""
        since = time.perf_counter_ns(), self._process.cpu_us()
        if not self.is_there():
            self._since = since

    def unread_us(self) -> tuple[int, int]:
        """Return for how long bytes have lain there at most, and what the bot has used since then.

        Both in microseconds; since it was last seen that there were none.
        """
        since_ns, cpu_us = self._since
        lay_us = (time.perf_counter_ns() - since_ns) // 1000
        return lay_us, self._process.cpu_us() - cpu_us
