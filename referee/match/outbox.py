"""Everything that is said to one place at the table, and the digest of it. No I/O.

Messages that want no answer wait here and travel in the same write as the place's next `act`.
"""

import hashlib
from collections.abc import Iterator

import msgspec

from protocol.connection import Connection
from protocol.events import Event
from protocol.messages import Act, Deal, DealEnd, End, Fault, Hello, View
from referee.match.chance import BlockKey, act_ids
from referee.match.clock import Clock

_written = msgspec.json.Encoder().encode


class Voice:
    """The referee's side of the conversations with one place's processes, one after the other."""

    def __init__(self, place: int, clock: Clock, most_heard: int) -> None:
        """Makes a voice without a listener yet; a process may answer `most_heard` bytes."""
        self.place = place
        self._most_heard = most_heard
        self.connection = Connection(total=most_heard)
        self.listening = False
        self._show(clock)
        self._ids: Iterator[str] = iter(())
        self._waiting = b""
        self._greeted_before = False
        """Whether its process had lived on from the last deal, if this one is played again."""
        self._sent: list[bytes] = []
        self._times: list[bytes] = []

    def greet(self, hello: Hello) -> bytes:
        """The first line to a new process."""
        self.connection = Connection(total=self._most_heard)
        self.listening = True
        self._waiting = b""
        line = self.connection.send(hello)
        if not self._greeted_before:  # a void deal leaves no trace
            self._sent.append(line)
        return line

    def _say(self, message: Deal | DealEnd | Fault | End) -> bytes:
        line = self.connection.send(message)
        self._sent.append(line)
        return line

    def queue(self, message: Deal | DealEnd) -> None:
        """Says something with the next act."""
        self._waiting += self._say(message)

    def charge(self, used_us: int) -> None:
        """Charges the clock for an act that was in time."""
        if used_us <= self._free_us:
            return
        clock = self.clock.charge(used_us)
        if clock is not self.clock:
            self._show(clock)

    def set_clock(self, clock: Clock) -> None:
        """Changes what the next act will say of the time."""
        if clock is not self.clock:
            self._show(clock)

    def _show(self, clock: Clock) -> None:
        """What acts will say of the time, how that is written, and how long an act may take."""
        self.clock = clock
        self.allowance_us = clock.allowance_us
        self._free_us = clock.free_us
        self._shown = clock.shown()
        self._time = _written(self._shown)

    def open_deal(self, key: BlockKey, deal: Deal) -> None:
        """A new deal: fresh ids, a full bank, and the message that says so."""
        self._ids = act_ids(key, self.place)
        self.set_clock(self.clock.refill())
        self.queue(deal)

    def ask(self, view: View, legal: tuple[str, ...], news: tuple[Event, ...]) -> tuple[str, bytes]:
        """The id of the next act, and all bytes up to its end."""
        act = Act(next(self._ids), view, legal, news, self._shown)
        line = self.connection.send(act)
        self._sent += (line[: -2 - len(self._time)], b"{}}\n")  # `time` is the last key
        self._times.append(self._time)
        if self._waiting:
            line, self._waiting = self._waiting + line, b""
        return act.id, line

    def forget_void_deal(self, clock: Clock) -> None:
        """Forgets what was said since `digests` was last asked: the deal is void."""
        self.listening = False
        self._waiting = b""
        self._sent.clear()
        self._times.clear()
        self.set_clock(clock)

    def fall_silent(self) -> None:
        """Says nothing more to a process that plays no more; what was waiting is dropped unread."""
        self.listening = False
        self._waiting = b""

    def fault_line(self, fault: Fault) -> bytes:
        """The last line to a process at fault; what was waiting is dropped unread."""
        self.listening = False
        self._waiting = b""
        return self._say(fault)

    def farewell(self, end: End) -> bytes:
        """The last line of a leg, with what was waiting before it."""
        self.listening = False
        return self._waiting + self._say(end)

    def digests(self) -> tuple[str, str]:
        """SHA-256 of every byte said since this was last asked, in two halves.

        First the bytes with each act's `time` emptied to {}, then the `time` objects alone: the
        first half is equal in every run of the same bots with the same key.
        """
        halves = (
            hashlib.sha256(b"".join(self._sent)).hexdigest(),
            hashlib.sha256(b"".join(self._times)).hexdigest(),
        )
        self._sent.clear()
        self._times.clear()
        self._greeted_before = self.listening
        return halves
