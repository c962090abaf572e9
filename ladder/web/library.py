"""What the site knows of a ladder: each page is made once for each state of it, in a thread."""

import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import Final, TypeVar

import trio
from msgspec import Struct

from ladder.standings.cache import favours_written
from ladder.store.database import DatabaseGone
from ladder.store.queries import Pulse
from ladder.store.store import Store
from referee.errors import HostError, RefereeError

MOST_BYTES: Final = 64 << 20
"""So much is kept of pages that were made; those asked for longest ago go first."""

A_PAGE_BYTES: Final = 2048
"""What a page costs beside its own bytes: what it is named by, and how it is made again."""

WATCH_S: Final = 0.25
"""How often we look for new facts: a counted result is on screen within a second."""

REST: Final = 5.0
"""After a change that took so long to put on pages, the next comes so many times as long later:
what results cost the site is a part of a core, however many there are."""

LONGEST_REST_S: Final = 10.0
"""However many pages visitors have made meanwhile."""

MOST_AHEAD: Final = 32
"""So many pages that people look at are made anew before a change is told; and for so long:"""
LONGEST_AHEAD_S: Final = 2.0

A_READER_S: Final = 0.009
"""For each page that follows, changes come so much later: to send them costs a part of a core."""

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
    """A page that was made: of which state, and how it is made again where the store has it.

    `wanted` is whether anybody has asked for it since it was made last.
    """

    state: int
    body: Body
    making: trio.Lock
    make: Callable[[], Body] | None = None
    wanted: bool = True


class Library:
    """Reads a ladder for the site.

    Attributes:
        state: rises whenever the ladder has changed.
        is_away: whether the database does not answer just now.
        pulse: what the ladder had when it was looked at last.
        readers: how many pages follow.
    """

    def __init__(self, store: Store, also: Callable[[], Hashable] | None = None) -> None:
        """Reads nothing yet.

        Args:
            store: open until the last question was answered; no other task asks it meanwhile.
            also: what else pages are made of is as it was while this returns the same; in a thread.
        """
        self.state = 0
        self.is_away = False
        self._store, self._also = store, also
        self._seen: Hashable = None
        self._one = trio.CapacityLimiter(1)
        self._others = trio.CapacityLimiter(1)
        """For what reads no database: films of matches, one at a time."""
        self.readers = 0
        self._changed_at = 0.0
        self._spent_s = 0.0
        """How long pages took to make since the last change."""
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

    async def think(self, work: Callable[[], T]) -> T:
        """Return what work comes to that reads no database, one at a time."""
        return await trio.to_thread.run_sync(work, limiter=self._others)

    def reading(self, make: Callable[[Store], T]) -> Callable[[], T]:
        """Return what makes something of the store; for `page`, in whose thread it runs."""
        return partial(make, self._store)

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
        kept.wanted, kept.make = True, make if reads and not lasts else None
        if self._is_new(kept, lasts=lasts):
            return kept.body  # though it may just be made anew
        try:
            async with kept.making:  # who asks for the same waits for it
                if not self._is_new(kept, lasts=lasts):
                    state = self.state  # before it is read: what changes meanwhile is read again
                    body = await self._make(make, reads=reads, lasts=lasts)
                    self._keep(key, kept, state, body)
        finally:
            if kept.state < 0 and not kept.making.locked() and self._made.get(key) is kept:
                del self._made[key]  # it could not be made
        return kept.body

    async def _make(
        self, make: Callable[[], Body], *, reads: bool = True, lasts: bool = False
    ) -> Body:
        """Make a page, and count how long that took once it was its turn; see `page`."""
        async with self._one if reads else self._others:
            begun = trio.current_time()
            try:
                return await trio.to_thread.run_sync(make)
            finally:
                if not lasts:  # no change makes it anew
                    self._spent_s += trio.current_time() - begun

    def is_fresh(self, key: Hashable, *, lasts: bool = False) -> bool:
        """Whether a page need not be made; for arguments see `page`."""
        kept = self._made.get(key)
        return kept is not None and self._is_new(kept, lasts=lasts)

    def _beside(self) -> Hashable:
        """Return what changes whenever something has that pages are made of, but for the facts."""
        also = None if self._also is None else self._also()
        return favours_written(self._store.files), also

    def _is_new(self, kept: _Made, *, lasts: bool) -> bool:
        return kept.state >= self.state or (lasts and kept.state >= 0)

    def _keep(self, key: Hashable, kept: _Made, state: int, body: Body) -> None:
        before, kept.state, kept.body = kept.body, state, body
        if self._made.get(key) is not kept:
            return  # it had to go while it was made: only those who wait for it have it
        self._size += _size(body) - _size(before)
        while self._size > MOST_BYTES and len(self._made) > 1:
            other = next(one for one in self._made if one != key)
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
            also = await trio.to_thread.run_sync(self._beside)
            is_new = (pulse, also) != (self.pulse, self._seen)
            if is_new and trio.current_time() >= self._changed_at + self.rest_s():
                self.pulse, self._seen = pulse, also
                self._spent_s = 0.0
                await self._make_ahead(self.state + 1)
                self.state += 1
                self._changed_at = trio.current_time()
                self._changed.set()
                self._changed = trio.Event()
            await trio.sleep(WATCH_S)

    async def _make_ahead(self, state: int) -> None:
        """Make the pages that people look at, for a state that nobody was told of.

        Who asks meanwhile has them as they were, and who is told of it then waits for nothing.
        """
        wanted = [(key, kept) for key, kept in self._made.items() if kept.wanted and kept.make]
        until = trio.current_time() + LONGEST_AHEAD_S
        for key, kept in wanted[::-1][:MOST_AHEAD]:  # those first that were asked for last
            if trio.current_time() > until:
                break
            with suppress(RefereeError, HostError):  # whoever asks for it is told why
                await self._make_again(key, kept, state)

    async def _make_again(self, key: Hashable, kept: _Made, state: int) -> None:
        make, kept.wanted = kept.make, False
        async with kept.making:
            if make is not None and kept.state < state:
                self._keep(key, kept, state, await self._make(make))

    def rest_s(self) -> float:
        """Return how long after the last change the next one may come."""
        return max(min(REST * self._spent_s, LONGEST_REST_S), self.spread_s())

    def spread_s(self) -> float:
        """Return over how long a change is told: not all who follow ask at once."""
        return self.readers * A_READER_S


def _size(body: Body) -> int:
    """Return how much a page counts that was made; nothing before."""
    return len(body.plain) + len(body.zipped) + A_PAGE_BYTES if body.etag else 0
