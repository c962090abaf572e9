"""The matches of a round that are to be played yet: which can begin, and who forfeits them."""

from collections.abc import Sequence

import trio
from msgspec import Struct

from ladder.event.forfeits import Forfeits
from ladder.event.log_lines import Forfeit, MatchLine
from ladder.event.schedule import Part


class Begun(Struct, frozen=True):
    """A match that begins now."""

    part: Part
    forfeits: tuple[Forfeit, ...]


class RoundQueue:
    """What is left of a round, shared by all who play it; true as long as something waits.

    Attributes:
        under_way: how many matches were begun and are not over.
    """

    def __init__(self, schedule: Sequence[Part], forfeits: Forfeits) -> None:
        """Nothing has begun yet.

        Args:
            schedule: the matches of the round, in the order in which they are begun.
            forfeits: tells who forfeits them.
        """
        self.under_way = 0
        self._waiting = {part.place: part for part in schedule}
        self._forfeits = forfeits
        self._changed = trio.Event()

    @property
    def out(self) -> dict[int, str]:
        """The bots that forfeit what is left of the round, and why."""
        return self._forfeits.out

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def waiting(self) -> tuple[Part, ...]:
        """Return what has not begun."""
        return tuple(self._waiting.values())

    def next(self) -> Begun | None:
        """Begin the first match of which it is known who forfeits it; None: there is none now."""
        for part in self._waiting.values():
            forfeits = self._forfeits.of(part)
            if forfeits is not None:
                del self._waiting[part.place]
                self.under_way += 1
                return Begun(part, forfeits)
        return None

    def settle(self, line: MatchLine) -> None:
        """Take in a match that counts, begun by us or before."""
        self._waiting.pop(line.match, None)
        self._forfeits.add(line)
        self._wake()

    def end(self) -> None:
        """Take back a match that is over, whether it counts or is still in doubt."""
        self.under_way -= 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def changed(self) -> None:
        """Wait until a match is over."""
        await self._changed.wait()
