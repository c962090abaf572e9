"""Lines out of a pipe, however long they are."""

import trio


class Lines:
    """Reads a pipe line by line."""

    def __init__(self, pipe: trio.lowlevel.FdStream) -> None:
        """Nothing is read yet."""
        self._pipe = pipe
        self._rest = b""

    async def next(self) -> bytes | None:
        """The next line without its newline, or None when the pipe has ended.

        To cancel this may lose what was read of a line.
        """
        pieces = []
        piece = self._rest
        while b"\n" not in piece:
            pieces.append(piece)
            piece = bytes(await self._pipe.receive_some())
            if not piece:
                return None
        end, _, self._rest = piece.partition(b"\n")
        return b"".join((*pieces, end))
