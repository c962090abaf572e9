"""Streams of server-sent events: which browsers follow one, how many may, and when all end."""

import math
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing
from typing import Final

import trio
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from ladder.web.library import A_READER_S, Library

BEAT_S: Final = 15.0
"""Who was told nothing for so long is told that we live, at the next turn: turns come as often."""

MOST_READERS: Final = 2000
MOST_OF_ONE: Final = 40
"""Pages of one visitor: a school may have one address."""

LONGEST_S: Final = 15 * 60.0
"""After that a page connects anew: none that forgot to leave is held for ever."""

STILL_HERE: Final = b": still here\n\n"

_AT_ONCE: Final = 4
"""So many who follow are told together: the site wakes as many times less often."""


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
        self._following = trio.lowlevel.ParkingLot()

    def close(self) -> None:
        """Let all who follow go."""
        self._closed.set()
        self._following.unpark_all()

    @property
    def state(self) -> int:
        """The state of the ladder that pages are of."""
        return self._library.state

    async def tell(self) -> None:
        """Give turns for ever: whenever the ladder changes, and at least every `BEAT_S`.

        Those who follow have them one after another, so that to tell them costs a part of a core,
        in the order in which they began to wait: each waits equally long from change to change.
        """
        told = self._library.state
        while True:
            with trio.move_on_after(BEAT_S):
                told = await self._library.change(told)
            for _ in range(0, len(self._following), _AT_ONCE):
                self._following.unpark(count=_AT_ONCE)
                await trio.sleep(_AT_ONCE * A_READER_S)

    async def turn(self, state: int) -> None:
        """Wait for a turn; not where the ladder has changed already, nor at the end.

        Args:
            state: of the ladder, when the caller looked at it last.
        """
        if self.state == state and not self._closed.is_set():
            await self._following.park()

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
        """Wait, and return whether there is to be more; see `goes_on`."""
        with trio.move_on_after(seconds):
            await self._closed.wait()
        return self.goes_on(until)

    def goes_on(self, until: float) -> bool:
        """Return whether there is to be more: not once we are to end, or from then on."""
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
