"""Our ends of a bot's standard streams."""

import fcntl
import os
import struct
import termios
from abc import ABC, abstractmethod

from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.watchdog import WATCHDOG


class Streams(ABC):
    """Three descriptors that do not block, and others that are closed with them."""

    def __init__(self, *ends: int) -> None:
        """Takes over the writing end of stdin, and the reading ends of stdout and stderr."""
        self.stdin, self.stdout, self.stderr = ends
        self._open = set(ends)
        for descriptor in ends:
            os.set_blocking(descriptor, False)
            WATCHDOG.watch(descriptor, self.end_processes)

    @abstractmethod
    def end_processes(self) -> None:
        """Send SIGKILL to all processes of the bot; nothing else, so that any thread may call."""

    def keep(self, descriptor: int) -> int:
        """Takes one more over."""
        self._open.add(descriptor)
        return descriptor

    def unread(self) -> int:
        """Bytes still in the pipe to the bot."""
        if self.stdin not in self._open:
            return 0
        found = fcntl.ioctl(self.stdin, termios.FIONREAD, b"\0\0\0\0")
        return int(struct.unpack("i", found)[0])

    def close_stdin(self) -> None:
        """Tells the bot that nothing more will come."""
        self.close(self.stdin)

    def close(self, descriptor: int) -> None:
        """Closes one of the descriptors. Idempotent."""
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)
            WATCHDOG.forget(descriptor)

    def stops_at_once(self) -> bool:
        """Return yes: no daemon is asked."""
        return True

    def freezer(self) -> FreezerFile:
        """Return none: no file lets it go on and stops it."""
        return NO_FILE

    def goes_on(self) -> None:  # noqa: B027  # it was not stopped by a file
        """Take note that it was let go on by `freezer`."""

    def held_us(self) -> int:
        """For how long it was held still to be looked at: most are not."""
        return 0

    def recount(self) -> None:  # noqa: B027  # most count all of it at each reading
        """Count now what is else counted now and then: nothing."""

    def end_act(self) -> None:  # noqa: B027  # most count all of it at each reading
        """Have nothing of the act that is over counted from now on: nothing would be."""

    def drop(self) -> None:  # noqa: B027  # not every kind has anything to drop
        """Begin to drop what the bot has read: nothing, where no group knows what that is."""

    def release(self) -> None:
        """Closes all of them. Idempotent."""
        for descriptor in tuple(self._open):
            self.close(descriptor)
