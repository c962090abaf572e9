"""What the site knows of a ladder: each page is made once for each state of it, in a thread."""

import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from typing import Final, TypeVar

import trio
from msgspec import Struct

from ladder.store.database import DatabaseGone
from ladder.store.queries import Pulse
from ladder.store.store import Store

MOST_BYTES: Final = 64 << 20
"""So much is kept of pages that were made; those asked for longest ago go first."""

WATCH_S: Final = 0.25
"""How often we look for new facts: a counted result is on screen within a second."""

_AWAY_S: Final = 2.0
_SMALLEST_ZIPPED: Final = 1024

T = TypeVar("T")


class Body(Struct, frozen=True):
    """The bytes of an answer, plain and as gzip has them (b"" where that is no gain)."""

    plain: bytes
    zipped: bytes
    etag: str

    @classmethod
    def of(cls, plain: bytes) -> "Body":
        """Return the bytes with all that follows from them."""
        zipped = gzip.compress(plain, 5, mtime=0) if len(plain) >= _SMALLEST_ZIPPED else b""
        return cls(plain, zipped, hashlib.sha256(plain).hexdigest()[:32])


class _Made(Struct):
    state: int
    body: Body
    making: trio.Lock


class Library:
    """Reads a ladder for the site.

    Attributes:
        state: rises whenever the ladder has changed.
        is_away: whether the database does not answer just now.
        pulse: what the ladder had when it was looked at last.
    """

    def __init__(self, store: Store) -> None:
        """Reads nothing yet.

        Args:
            store: open until the last question was answered; nobody else asks it meanwhile.
        """
        self.state = 0
        self.is_away = False
        self._store = store
        self._one = trio.CapacityLimiter(1)
        self._films = trio.CapacityLimiter(1)
        self._made: OrderedDict[Hashable, _Made] = OrderedDict()
        self._size = 0
        self.pulse: Pulse | None = None
        self._changed = trio.Event()

    async def ask(self, question: Callable[[Store], T]) -> T:
        """Return the answer to a question, which may be put once more where it fails.

        Raises:
            DatabaseGone: the database does not answer.
            RefereeError: what the question raises.
        """
        return await trio.to_thread.run_sync(question, self._store, limiter=self._one)

    def reading(self, make: Callable[[Store], T]) -> Callable[[], T]:
        """Return what makes something of the store; for `page`, in whose thread it runs."""
        return partial(make, self._store)

    async def think(self, work: Callable[[], T]) -> T:
        """Return what work comes to that reads no database: films of matches, one at a time."""
        return await trio.to_thread.run_sync(work, limiter=self._films)

    async def page(
        self, key: Hashable, make: Callable[[], Body], *, reads: bool = True, lasts: bool = False
    ) -> Body:
        """Return a page; one that was made since the ladder changed is not made again.

        Args:
            key: names the page.
            make: makes it, in a thread.
            reads: whether it reads the store.
            lasts: whether it stays as it is, however the ladder changes.

        Raises:
            DatabaseGone: the database does not answer.
            RefereeError: what `make` raises.
        """
        kept = self._made.get(key)
        if kept is None:
            kept = self._made[key] = _Made(-1, Body(b"", b"", ""), trio.Lock())
        self._made.move_to_end(key)
        try:
            async with kept.making:  # who asks for the same waits for it
                if not self.is_fresh(key, lasts=lasts):
                    state = self.state  # before it is read: what changes meanwhile is read again
                    body = await (self.ask(lambda _: make()) if reads else self.think(make))
                    self._keep(key, kept, state, body)
        finally:
            if kept.state < 0 and not kept.making.statistics().tasks_waiting:
                self._made.pop(key, None)  # it could not be made
        return kept.body

    def is_fresh(self, key: Hashable, *, lasts: bool = False) -> bool:
        """Whether a page need not be made; for arguments see `page`."""
        kept = self._made.get(key)
        return kept is not None and (kept.state == self.state or (lasts and kept.state >= 0))

    def _keep(self, key: Hashable, kept: _Made, state: int, body: Body) -> None:
        self._size += _size(body) - _size(kept.body)
        kept.state, kept.body = state, body
        for other in list(self._made):
            if self._size <= MOST_BYTES:
                break
            if other != key:
                self._size -= _size(self._made.pop(other).body)

    async def change(self, after: int) -> int:
        """Return the state of the ladder, as soon as it is another one than `after`."""
        while self.state == after:
            await self._changed.wait()
        return self.state

    async def watch(self) -> None:
        """Look for changes for ever."""
        while True:
            try:
                pulse = await self.ask(Store.pulse)
            except DatabaseGone:
                self.is_away = True
                await trio.sleep(_AWAY_S)
                continue
            self.is_away = False
            if pulse != self.pulse:
                self.pulse = pulse
                self.state += 1
                self._changed.set()
                self._changed = trio.Event()
            await trio.sleep(WATCH_S)


def _size(body: Body) -> int:
    return len(body.plain) + len(body.zipped)
