"""The machines of a cluster from the conductor's side: who is there, free, and trusted. Pure."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from statistics import median_low
from typing import Final

from msgspec import Struct

from ladder.cluster.clock import Clock
from ladder.cluster.messages import Machine
from ladder.cluster.pace import Pace

SLOWEST: Final = 3.0
"""A machine whose round trips take so many times the usual gets no jobs."""

LEAST_US: Final = 2.0
"""No machine is compared with one that says it is quicker than that, in microseconds."""

MOST_SLOW: Final = 3
"""After so many jobs in which it was slow beside what it was when it joined it is left out."""


class Peer:
    """A machine.

    Attributes:
        address: where the engine has it.
        machine: how it has introduced itself.
        pace: what it has played that counts.
        clock: the one by which the time of its bots is counted.
        slow: in how many it was slow.
        troubles: how many it could not play that another could, since it has played one.
        left_out: why it gets no more jobs; "" if it does.
        too_slow: why it gets none for now, beside the others that are there; "" if it does.
        has: hashes of the bots that have come there.
    """

    def __init__(self, address: str, machine: Machine, now: float) -> None:
        """It is there from this moment on, and plays nothing."""
        self.address, self.machine = address, machine
        self.pace, self.clock = Pace(now), Clock(now)
        self.slow = self.busy = self.troubles = 0
        self.left_out = self.too_slow = ""
        self.has: set[str] = set()
        self._owed: list[float] = []

    @contextmanager
    def owing(self, seconds: float) -> Iterator[float]:
        """Have it owe a job until the block is left; how long that may be is what is yielded.

        Args:
            seconds: how long it may have the job once it has no other; it plays them in turn.
        """
        ahead = sum(self._owed) / self.machine.cores
        self._owed.append(seconds)
        try:
            yield ahead + seconds
        finally:
            self._owed.remove(seconds)

    @property
    def slots(self) -> int:
        """How many jobs it has at a time: one waits there for each two that are played."""
        return self.machine.cores + (self.machine.cores + 1) // 2


class Wanted(Struct, frozen=True):
    """What a machine has to be like, so that it does not matter which one plays."""

    referee: str
    rules: str
    settings: str

    def misfit(self, machine: Machine) -> str:
        """Return why a machine is not like that; "" if it is."""
        if machine.referee != self.referee:
            return f"it has referee {machine.referee}, and here is {self.referee}"
        if machine.rules != self.rules:
            return "its rules of some game are others"
        if machine.settings != self.settings:
            return "its settings grant bots other bounds"
        return ""


class Peers:
    """The machines that are there."""

    def __init__(self, wanted: Wanted) -> None:
        """None yet."""
        self._wanted = wanted
        self._here: dict[str, Peer] = {}

    @property
    def playing(self) -> list[Peer]:
        """Those that may get jobs."""
        return [one for one in self._here.values() if not one.left_out and not one.too_slow]

    @property
    def here(self) -> list[Peer]:
        """Those that are there."""
        return list(self._here.values())

    def is_here(self, peer: Peer) -> bool:
        """Whether a machine is still there."""
        return self._here.get(peer.address) is peer

    def unknown(self, addresses: Iterable[str]) -> list[str]:
        """Return the addresses at which a machine is new."""
        return sorted(address for address in addresses if address not in self._here)

    def join(self, address: str, machine: Machine, now: float) -> Peer:
        """Add a machine; where it cannot play as the others do, it is left out."""
        peer = self._here[address] = Peer(address, machine, now)
        peer.left_out = self._wanted.misfit(machine)
        return peer

    def lose(self, there: Collection[str]) -> list[Peer]:
        """Return the machines that are at none of these addresses; they are forgotten."""
        lost = [peer for address, peer in self._here.items() if address not in there]
        for peer in lost:
            del self._here[peer.address]
        return lost

    def judge_speed(self) -> list[Peer]:
        """Return the machines that have become too slow beside the others, or are not any more.

        They are compared with the median, so that one machine cannot say of all others that they
        are slow, and with those that are there, so that none is left out for one that has gone.
        """
        known = [one for one in self._here.values() if one.machine.l_us and not one.left_out]
        usual = median_low([one.machine.l_us or 0.0 for one in known]) if known else 0.0
        limit = SLOWEST * max(usual, LEAST_US)
        changed = []
        for peer in known:
            l_us = peer.machine.l_us or 0.0
            why = f"a round trip between two C programs takes {l_us:.1f} us there"
            now = f"{why}, and {usual:.1f} us usually" if l_us > limit else ""
            if bool(now) != bool(peer.too_slow):
                changed.append(peer)
            peer.too_slow = now
        return changed

    def free(self, avoid: Collection[Peer] = ()) -> Peer | None:
        """Return the machine that is least busy, if one can take a job."""
        able = [one for one in self.playing if one.busy < one.slots and one not in avoid]
        return min(able, key=lambda one: one.busy / one.machine.cores, default=None)

    def others(self, avoid: Collection[Peer]) -> bool:
        """Whether there are machines that may get jobs, but for these."""
        return any(peer not in avoid for peer in self.playing)
