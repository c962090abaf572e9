"""One request of an author at a time, where what is counted decides what is done."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


class AuthorLocks:
    """A lock for each author who asks for something just now."""

    def __init__(self) -> None:
        """Hold none yet."""
        self._locks: dict[str, trio.Lock] = {}
        self._asking = Counter[str]()

    @asynccontextmanager
    async def held(self, author: str) -> AsyncIterator[None]:
        """Look at one request of an author at a time, in the block."""
        self._asking[author] += 1
        try:
            async with self._locks.setdefault(author, trio.Lock()):
                yield
        finally:
            self._asking[author] -= 1
            if not self._asking[author]:
                del self._asking[author], self._locks[author]
