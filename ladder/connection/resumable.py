"""What one end of a conversation keeps, so that each message comes once and in order. Pure.

Both ends number what they say, and keep it until the other has confirmed it. Over a new connection
all that is kept is said again, and who has heard it leaves it alone.
"""

from collections import deque
from typing import Final

MOST_KEPT: Final = 256
"""So much may be said that the other end has not confirmed."""


class OutOfStep(Exception):
    """The other end does not keep to the rules, or is away for too long."""


class Resumable:
    """What one end has said and heard.

    Attributes:
        heard: how many messages of the other end have come.
    """

    def __init__(self) -> None:
        """Nothing is said yet."""
        self.heard = 0
        self._first = 1
        self._kept: deque[bytes] = deque()

    @property
    def kept(self) -> int:
        """How many messages the other end has not confirmed."""
        return len(self._kept)

    def say(self, message: bytes, *, last: bool = False) -> None:
        """Keep a message to be said; the last one however many are not confirmed.

        Raises:
            OutOfStep: too many are not confirmed.
        """
        if self.kept >= MOST_KEPT and not last:
            raise OutOfStep(f"{MOST_KEPT} messages were not confirmed")
        self._kept.append(message)

    def is_new(self, number: int) -> bool:
        """Whether a message is the next one to be heard; one that has come before is not.

        Raises:
            OutOfStep: one before it is missing.
        """
        if number > self.heard + 1:
            raise OutOfStep(f"message {number} came after message {self.heard}")
        return number == self.heard + 1

    def confirm(self, number: int) -> None:
        """Forget what the other end has: all up to this message.

        Raises:
            OutOfStep: so many were never said.
        """
        if number >= self._first + self.kept:
            raise OutOfStep(f"message {number} is confirmed, which was never said")
        while self._first <= number:
            self._kept.popleft()
            self._first += 1

    def after(self, number: int) -> list[tuple[int, bytes]]:
        """Return what is kept after a message, each with its number."""
        return [one for one in enumerate(self._kept, self._first) if one[0] > number]
