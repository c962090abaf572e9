"""What a request brings: a form or bytes, no larger and no slower than they may be."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Final

import trio
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData
from starlette.requests import Request

from ladder.web.connections import PATIENCE_S, SLOWEST
from ladder.web.content import Refused, TooLarge, TooSlow

LARGEST_FORM: Final = 8192
"""Bytes of a form without a file."""

_UTF8: Final = (b"utf-8", b"utf8")


@asynccontextmanager
async def sent_form(
    request: Request, *, fields: int = 4, field: int = 128, file: int = 0
) -> AsyncIterator[FormData]:
    """Yield the form that a request brings; its file lasts for as long as the block.

    Args:
        request: has the form as its body.
        fields: so many it may have.
        field: so many bytes each, with its name.
        file: so many bytes a file may have; 0 where there is to be none.

    Raises:
        Refused: its text is not in UTF-8, since another code may take a minute to read, as punycode
            does; or it does not say how long it is, so that a file would have no end.
        TooLarge: it has more bytes than that.
        TooSlow: they did not come in time.
    """
    _, options = parse_options_header(request.headers.get("content-type"))
    if options.get(b"charset", _UTF8[0]).lower() not in _UTF8:
        raise Refused("A form has to be in UTF-8.")
    if "content-length" not in request.headers:
        raise Refused("A form has to say how long it is.")
    most = LARGEST_FORM + file
    with trio.move_on_after(patience(request, most)) as waited:
        form = await request.form(max_files=min(file, 1), max_fields=fields, max_part_size=field)
    if waited.cancelled_caught:
        raise TooSlow
    try:
        yield form
    finally:
        await form.close()


async def bytes_of(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of a request, as they come.

    Args:
        request: has them as its body.
        most: so many there may be.

    Raises:
        TooLarge: it says that it has more.
        TooSlow: they did not come in time.
    """
    until = trio.current_time() + patience(request, most)
    async with aclosing(request.stream()) as chunks:
        while True:
            with trio.CancelScope(deadline=until) as waited:  # closed before what comes is yielded
                chunk = await anext(chunks, None)
            if waited.cancelled_caught:
                raise TooSlow
            if chunk is None:
                return
            if chunk:
                yield chunk


def patience(request: Request, most: int) -> float:
    """Return how many seconds the body of a request may take to come.

    Args:
        request: may say how long its body is.
        most: so many bytes it may have.

    Raises:
        TooLarge: it says that it has more.
    """
    size = int(request.headers.get("content-length", "") or most)
    if size > most:
        largest = f"{most >> 20} MiB" if most >> 20 else f"{most:,} bytes"
        raise TooLarge(f"No more than {largest} are taken here.")
    return PATIENCE_S + size / SLOWEST
