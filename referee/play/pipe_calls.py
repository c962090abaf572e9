"""Calls that a bot can make long: while one lasts, another thread looks at the bots off turn.

The kernel locks a pipe while a bot's end is in it, also for calls that do not wait: a bot that
writes what has to be read from the disk first, piece by piece and by many threads, keeps the
referee in its own call for a second. That is the time of this bot; but its friends might think
meanwhile. So they might while a daemon is asked how this one has ended.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, Protocol

from referee.errors import SandboxError
from referee.play.off_turn import OffTurn
from referee.sandbox.priority import come_first

TICK_S: Final = 0.004
"""Between two looks whether a call lasts: most take microseconds, and one that waits a millisecond.
"""


class Caller(Protocol):
    """Who makes the call."""

    def off_turn_bots(self) -> Sequence[OffTurn]:
        """Return the bots that are not to move."""


class PipeCalls:
    """The calls of the main thread, one after the other, and the thread that sees them last.

    That thread acts only in a call, and the main one waits at the end of it until it has: Python
    has each see at once what the other has noted.

    Attributes:
        call: who makes the call that is under way, in a tuple of its own, by which two calls can be
            told apart; None between two.
        acts: whether the other thread is at work: the main one says `wait` at the end of its call.
    """

    def __init__(self) -> None:
        """Begin with no call, and no thread."""
        self.call: tuple[Caller] | None = None
        self.acts = False
        self._acting = threading.Lock()
        self._plays = threading.Lock()
        """Held for as long as there is to be a thread; to wait for it takes less than an event."""

    def wait(self) -> None:
        """Wait until the other thread has seen to the bots."""
        with self._acting:
            pass

    @contextmanager
    def during(self, caller: Caller) -> Iterator[None]:
        """Make a call in the block."""
        self.call = (caller,)
        try:
            yield
        finally:
            self.call = None
            if self.acts:
                self.wait()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look, by another thread, until the block is left."""
        thread = threading.Thread(target=self._look, name="pipe calls", daemon=True)
        try:
            with self._plays:
                thread.start()
                yield
        finally:
            if thread.ident is not None:  # it was started
                thread.join()

    def _look(self) -> None:
        come_first()
        before = None
        while not self._plays.acquire(timeout=TICK_S):
            call = self.call
            if call is not None and call is before:
                self.look_in(call)
            before = call
        self._plays.release()

    def look_in(self, call: tuple[Caller]) -> None:
        """Stop those that work off turn, unless the call is over.

        Not where a daemon stops them: the bot whose call it is would pay for what that takes.
        """
        self.acts = True
        with self._acting:
            if self.call is call:
                for bot in filter(OffTurn.stops_at_once, call[0].off_turn_bots()):
                    with suppress(SandboxError, OSError):  # the next look of the main thread raises
                        bot.check()
            self.acts = False
