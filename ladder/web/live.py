"""Streams of server-sent events: which browsers follow one, how many may, and when all end."""

import math
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Final

import trio
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ladder.web.library import Library

BEAT_S: Final = 15.0
"""So often something is said, so that what stands between knows that we live."""

MOST_READERS: Final = 2000
MOST_OF_ONE: Final = 40
"""Pages of one visitor: a school may have one address."""

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
    """The browsers that follow, when the ladder has changed, and when all streams end."""

    def __init__(self, library: Library) -> None:
        """Begin with no browser that follows."""
        self._library = library
        self._of: Counter[str] = Counter()
        self._closed = trio.Event()
        self._waiting: set[trio.CancelScope] = set()

    def close(self) -> None:
        """Let all who follow go."""
        self._closed.set()
        for scope in self._waiting:
            scope.cancel()

    @property
    def state(self) -> int:
        """The state of the ladder that pages are of."""
        return self._library.state

    def spread_s(self) -> float:
        """Return over how long a change is told."""
        return self._library.spread_s()

    async def changes(self, state: int, seconds: float) -> bool:
        """Wait, and return whether the state is another one; False after that long, or at the end.

        Args:
            state: of the ladder.
            seconds: the longest wait.
        """
        if self._closed.is_set():
            return False
        with trio.move_on_after(seconds) as waited:
            self._waiting.add(waited)
            try:
                await self._library.change(state)
            finally:
                self._waiting.discard(waited)
        return self.state != state

    def stream(
        self,
        visitor: str,
        events: Callable[[], AsyncGenerator[bytes]],
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Return an answer that goes on; or one that says that too many follow already.

        Args:
            visitor: who follows.
            events: what is said, as often as something has to be; it ends where `pause` says so.
            headers: more of them.
        """
        if self._is_full(visitor):
            return PlainTextResponse(
                "too many pages follow already\n", 503, headers={"retry-after": "60"}
            )
        given = {"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})}
        return StreamingResponse(
            self._counted(visitor, events), media_type="text/event-stream", headers=given
        )

    def _is_full(self, visitor: str) -> bool:
        return self._library.readers >= MOST_READERS or self._of[visitor] >= MOST_OF_ONE

    async def pause(self, seconds: float, until: float = math.inf) -> bool:
        """Wait, and return whether there is to be more: not once we are to end, or from then on."""
        with trio.move_on_after(seconds):
            await self._closed.wait()
        return not self._closed.is_set() and trio.current_time() < until

    async def _counted(
        self, visitor: str, events: Callable[[], AsyncGenerator[bytes]]
    ) -> AsyncIterator[bytes]:
        if self._is_full(visitor):
            return  # others have begun to follow since it was answered
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
