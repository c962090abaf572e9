"""News of the ladder for pages that are open: server-sent events."""

import math
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
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


STILL_HERE: Final = b": still here\n\n"


def event(name: str, data: str, again_ms: int | None = None) -> bytes:
    """Return an event as a browser takes it.

    Args:
        name: what has happened.
        data: a line.
        again_ms: how long a browser waits before it connects anew.
    """
    again = "" if again_ms is None else f"retry: {again_ms}\n"
    return f"{again}event: {name}\ndata: {data}\n\n".encode()


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
        """Return an answer that tells whenever the ladder has changed; see `stream`."""
        return self.stream(visitor, self._changes)

    def stream(self, visitor: str, events: Callable[[], AsyncGenerator[bytes]]) -> Response:
        """Return an answer that goes on; or one that says that too many follow already.

        Args:
            visitor: who follows.
            events: what is said, as often as something has to be; it ends where `pause` says so.
        """
        if self._library.readers >= MOST_READERS or self._of[visitor] >= MOST_OF_ONE:
            return PlainTextResponse(
                "too many pages follow already\n", 503, headers={"retry-after": "60"}
            )
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._counted(visitor, events), media_type="text/event-stream", headers=headers
        )

    async def pause(self, seconds: float, until: float = math.inf) -> bool:
        """Wait, and return whether there is to be more: not once we are to end, or from then on."""
        with trio.move_on_after(seconds):
            await self._closed.wait()
        return not self._closed.is_set() and trio.current_time() < until

    async def _counted(
        self, visitor: str, events: Callable[[], AsyncGenerator[bytes]]
    ) -> AsyncIterator[bytes]:
        self._library.readers += 1
        self._of[visitor] += 1
        try:
            async with aclosing(events()) as said:
                async for one in said:
                    yield one
        finally:
            self._library.readers -= 1
            self._of[visitor] -= 1
            if not self._of[visitor]:
                del self._of[visitor]

    async def _changes(self) -> AsyncGenerator[bytes]:
        turn = next(self._numbers) * _GOLDEN % 1.0
        state, until = self._library.state, trio.current_time() + LONGEST_S
        # at once, too: what has changed since the page was made, or while it was away
        yield event("news", str(state), again_ms=2000)
        while await self.pause(0, until):
            with trio.move_on_after(BEAT_S) as waited:
                state = await self._next(state)
            # said out here: a scope must not be open while a generator is left
            if waited.cancelled_caught:
                yield STILL_HERE
            else:
                await self.pause(turn * self._library.spread_s())
                state = self._library.state
                yield event("news", str(state))

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
