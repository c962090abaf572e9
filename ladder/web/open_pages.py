"""Pages that are open: what one says now is sent to all browsers that have it open.

A page is made once for each state of the ladder, and compressed once for all who have it open: to
send it costs less than to answer who asks for it.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

import trio

from ladder.store.database import DatabaseGone
from ladder.web.library import Body
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE, News
from ladder.web.page_stream import Gzip, Piece, digest_of, main_of, told
from ladder.web.rate_limit import TooMany
from referee.errors import HostError, RefereeError

_MOST_DIGESTS: Final = 1000
_MOST_BYTES: Final = 2 << 20
"""Of pieces that are kept; those sent longest ago go first: what pages said before is not asked."""

_LATER_S: Final = 1.0

_OPEN: Final = Piece.of(b": open\n\n")
"""Said at once: the head of an answer is sent with its first bytes."""
_BEAT: Final = Piece.of(STILL_HERE)


class OpenPages:
    """Sends pages to who has them open."""

    def __init__(self, news: News) -> None:
        """Begin with no page that is open.

        Args:
            news: says when there may be more, and when to end.
        """
        self._news = news
        self._digests: OrderedDict[str, str] = OrderedDict()
        self._kept: OrderedDict[str, Piece] = OrderedDict()
        self._size = 0

    def _digest(self, body: Body) -> str:
        """Return what tells what a page says from what it said before."""
        found = self._digests.get(body.etag)
        if found is None:
            found = self._digests[body.etag] = digest_of(main_of(body.plain))
            if len(self._digests) > _MOST_DIGESTS:
                self._digests.popitem(last=False)
        return found

    def _piece(self, body: Body) -> Piece:
        """Return the event that has what a page says."""
        kept = self._kept.get(body.etag)
        if kept is None:
            kept = self._kept[body.etag] = Piece.of(told(main_of(body.plain)))
            self._size += kept.size
            while self._size > _MOST_BYTES and len(self._kept) > 1:
                self._size -= self._kept.popitem(last=False)[1].size
        self._kept.move_to_end(body.etag)
        return kept

    async def pieces(self, page: Callable[[], Awaitable[Body]], has: str) -> AsyncGenerator[Piece]:
        """Say what a page says, whenever that is something else.

        Args:
            page: returns it as it is now.
            has: the digest of what the browser has of it.
        """
        said = trio.current_time()
        until = said + LONGEST_S
        yield _OPEN
        while self._news.goes_on(until):
            state = self._news.state
            try:
                body = await page()
            except TooMany as error:  # the visitor had enough made: what others have made is sent
                await self._news.pause(max(error.wait_s, _LATER_S))
                yield _BEAT
                continue
            except (DatabaseGone, HostError, RefereeError):
                return  # the browser comes again, and is told why
            if self._digest(body) != has:
                has, said = self._digest(body), trio.current_time()
                yield self._piece(body)
            elif trio.current_time() >= said + BEAT_S:
                said = trio.current_time()
                yield _BEAT
            await self._news.turn(state)


async def gzipped(pieces: AsyncGenerator[Piece]) -> AsyncGenerator[bytes]:
    """Yield what browsers take as one stream of gzip."""
    stream = Gzip()
    async with aclosing(pieces):
        async for piece in pieces:
            yield stream.add(piece)
    yield stream.end()


async def plain(pieces: AsyncGenerator[Piece]) -> AsyncGenerator[bytes]:
    """Yield the same without compression."""
    async with aclosing(pieces):
        async for piece in pieces:
            yield piece.plain
