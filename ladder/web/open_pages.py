"""Pages that are open: what one says now is sent to all browsers that have it open.

A page is made once for each state of the ladder, and compressed once for all who have it open: to
send it costs less than to answer who asks for it.
"""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from itertools import count
from typing import Final

import trio

from ladder.store.database import DatabaseGone
from ladder.web.library import MOST_AHEAD, Body
from ladder.web.live import BEAT_S, LONGEST_S, STILL_HERE, News
from ladder.web.page_stream import Gzip, Piece, digest_of, main_of, told
from ladder.web.rate_limit import TooMany
from referee.errors import HostError, RefereeError

_MOST_KEPT: Final = MOST_AHEAD
_GOLDEN: Final = 0.6180339887498949
"""Multiples of it, less whole numbers, lie evenly between 0 and 1, however many there are."""

_OPEN: Final = Piece.of(b": open\n\n")
"""Said at once: the head of an answer is sent with its first bytes."""
_BEAT: Final = Piece.of(STILL_HERE)


class OpenPages:
    """Sends pages to who has them open."""

    def __init__(self, news: News) -> None:
        """Nobody has a page open yet.

        Args:
            news: says when there may be more, and when to end.
        """
        self._news = news
        self._numbers = count()
        self._kept: OrderedDict[str, tuple[str, Piece]] = OrderedDict()

    def _piece(self, body: Body) -> tuple[str, Piece]:
        """Return the digest of a page, and the event that has it."""
        kept = self._kept.get(body.etag)
        if kept is None:
            main = main_of(body.plain)
            kept = self._kept[body.etag] = digest_of(main), Piece.of(told(main))
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(body.etag)
        return kept

    async def pieces(self, page: Callable[[], Awaitable[Body]], has: str) -> AsyncGenerator[Piece]:
        """Say what a page says, whenever that is something else.

        Args:
            page: returns it as it is now.
            has: the digest of what the browser has of it.
        """
        turn = next(self._numbers) * _GOLDEN % 1.0
        until = trio.current_time() + LONGEST_S
        yield _OPEN
        while await self._news.pause(0, until):
            state = self._news.state
            try:
                digest, piece = self._piece(await page())
            except TooMany as error:  # the visitor had enough made: what others have made is sent
                await self._news.pause(error.wait_s)
                continue
            except (DatabaseGone, HostError, RefereeError):
                return  # the browser comes again, and is told why
            if digest != has:
                has = digest
                yield piece
            if await self._news.changes(state, BEAT_S):
                await self._news.pause(turn * self._news.spread_s())
            else:
                yield _BEAT


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
