"""Bytes into lines, within bounds. Holds no more than one line too many."""

from protocol.errors import RemoteFault, RemoteProtocolError


class LineBuffer:
    """Collects what a bot wrote and hands it out line by line.

    The search for a newline never begins again where it has been, however small the pieces are in
    which a line comes; what is kept is never longer than a line and a read.
    """

    def __init__(self, *, line: int, total: int) -> None:
        """Makes an empty buffer for lines of at most `line` bytes and `total` bytes in all."""
        self._line = line
        self._left = total
        self._total = total
        self._bytes = b""  # not a bytearray: a line that comes in one piece is never copied
        self._searched = 0

    def __len__(self) -> int:
        return len(self._bytes)

    def feed(self, data: bytes) -> None:
        """Takes bytes in.

        Raises:
            RemoteProtocolError: `output`, when the bot has now sent more than it may in all.
        """
        self._left -= len(data)
        if self._left < 0:
            raise RemoteProtocolError(
                RemoteFault.OUTPUT, f"more than {self._total} bytes of answers"
            )
        self._bytes += data

    def passes(self, size: int) -> bool:
        """Counts a whole line that is read elsewhere.

        False, and nothing is counted, where it is none: it is too long, or begins in the buffer.
        """
        if self._bytes or size > self._line or size > self._left:
            return False
        self._left -= size
        return True

    def next_line(self) -> bytes | None:
        r"""Hands out the next whole line without its `\n` or `\r\n`, or None for "not yet".

        Raises:
            RemoteProtocolError: `output`, when the line, finished or not, is longer than allowed.
        """
        end = self._bytes.find(b"\n", self._searched)
        if end >= self._line or (end < 0 and len(self._bytes) >= self._line):
            raise RemoteProtocolError(RemoteFault.OUTPUT, f"a line longer than {self._line} bytes")
        if end < 0:
            self._searched = len(self._bytes)
            return None
        line = self._bytes[:end]
        self._bytes = self._bytes[end + 1 :]
        self._searched = 0
        return line[:-1] if line.endswith(b"\r") else line

    def rest(self) -> bytes:
        """What has come and was not handed out, for evidence."""
        return self._bytes
