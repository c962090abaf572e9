"""News of the ladder for pages that are open: server-sent events."""

from collections import Counter
from collections.abc import AsyncIterator
from itertools import count
from typing import Final

import trio
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ladder.web.library import Library

BEAT_S: Final = 15.0
"""So often something is said, so that what stands between knows that we live."""

MOST_READERS: Final = 2000
MOST_OF_ONE: Final = 40
"""Pages of one visitor: a school may have one address."""

_GOLDEN: Final = 0.6180339887498949
"""Multiples of it, less whole numbers, lie evenly between 0 and 1, however many there are."""

LONGEST_S: Final = 15 * 60.0
"""After that a page connects anew: none that forgot to leave is held for ever."""


class News:
    """Who follows, and when it is to end."""

    def __init__(self, library: Library) -> None:
        """Nobody follows yet."""
        self._library = library
        self._numbers = count()
        self._of: Counter[str] = Counter()
        self._closed = trio.Event()

    def close(self) -> None:
        """Let all who follow go."""
        self._closed.set()

    def follow(self, visitor: str) -> Response:
        """Return an answer that goes on; or one that says that too many follow already."""
        if self._library.readers >= MOST_READERS or self._of[visitor] >= MOST_OF_ONE:
            return PlainTextResponse(
                "too many pages follow already\n", 503, headers={"retry-after": "60"}
            )
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._events(visitor), media_type="text/event-stream", headers=headers
        )

    async def _events(self, visitor: str) -> AsyncIterator[bytes]:
        self._library.readers += 1
        turn = next(self._numbers) * _GOLDEN % 1.0
        self._of[visitor] += 1
        try:
            state, until = self._library.state, trio.current_time() + LONGEST_S
            # at once, too: what has changed since the page was made, or while it was away
            yield f"retry: 2000\nevent: news\ndata: {state}\n\n".encode()
            while not self._closed.is_set() and trio.current_time() < until:
                with trio.move_on_after(BEAT_S) as waited:
                    state = await self._next(state)
                # said out here: a scope must not be open while a generator is left
                quiet = waited.cancelled_caught
                if not quiet:
                    with trio.move_on_after(turn * self._library.spread_s()):
                        await self._closed.wait()
                    state = self._library.state
                yield b": still here\n\n" if quiet else f"event: news\ndata: {state}\n\n".encode()
        finally:
            self._library.readers -= 1
            self._of[visitor] -= 1
            if not self._of[visitor]:
                del self._of[visitor]

    async def _next(self, state: int) -> int:
        """Return the next state of the ladder, or the same where we are to end."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_closed, nursery.cancel_scope)
            state = await self._library.change(state)
            nursery.cancel_scope.cancel()
        return state

    async def _until_closed(self, scope: trio.CancelScope) -> None:
        await self._closed.wait()
        scope.cancel()
