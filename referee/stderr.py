"""What bots write for their authors."""

from typing import Final

import trio

STDERR_KEPT: Final = 16 * 1024
STDERR_MOST: Final = 16 * 1024 * 1024


class Stderr:
    """What a bot writes for its author: the first and the last 16 KiB of it."""

    def __init__(self) -> None:
        """Nothing was written yet."""
        self.head = b""
        self.tail = b""
        self.total = 0
        self.flooded = trio.Event()
        """Set when it was more than a process may write."""

    def feed(self, data: bytes) -> None:
        """Takes in what was written."""
        self.total += len(data)
        if self.total > STDERR_MOST:
            self.flooded.set()
        room = STDERR_KEPT - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room if room > 0 else 0 :])[-STDERR_KEPT:]
