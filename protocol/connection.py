"""Who may say what when: the conversation with one bot process, without I/O.

Two rules: every transition by a message stands in `TRANSITIONS`, none is hidden in code; and what
the table does not hold is an error, ours (`LocalProtocolError`) or the bot's
(`RemoteProtocolError`). A broken conversation stays broken.
"""

from enum import StrEnum
from typing import Final

from protocol.codec import decode_answer, decode_ready, encode, plain_answer
from protocol.errors import LocalProtocolError, Mistake, RemoteFault, RemoteProtocolError
from protocol.framing import LineBuffer
from protocol.limits import LINE_FROM_BOT, MATCH_FROM_BOT
from protocol.messages import Act, Answer, Deal, DealEnd, End, Fault, Hello, Ready, ToBot

LINE_SHOWN: Final = 2000
"""How much of a line an error carries."""


class ConnectionState(StrEnum):
    """Where the conversation stands."""

    NEW = "new"
    GREETED = "greeted"
    """`hello` is out; `ready` is due."""
    BETWEEN = "between"
    """Between deals."""
    DEALT = "dealt"
    """In a deal, nothing asked."""
    ASKED = "asked"
    """An `act` is open; its answer is due."""
    OVER = "over"
    """`end` or `fault` was said."""
    BROKEN = "broken"
    """The bot broke the protocol."""


TRANSITIONS: Final[dict[tuple[ConnectionState, type], ConnectionState]] = {
    (ConnectionState.NEW, Hello): ConnectionState.GREETED,
    (ConnectionState.GREETED, Ready): ConnectionState.BETWEEN,
    (ConnectionState.BETWEEN, Deal): ConnectionState.DEALT,
    (ConnectionState.DEALT, Act): ConnectionState.ASKED,
    (ConnectionState.ASKED, Answer): ConnectionState.DEALT,
    (ConnectionState.DEALT, DealEnd): ConnectionState.BETWEEN,
    (ConnectionState.BETWEEN, End): ConnectionState.OVER,
    (ConnectionState.GREETED, Fault): ConnectionState.OVER,
    (ConnectionState.BETWEEN, Fault): ConnectionState.OVER,
    (ConnectionState.DEALT, Fault): ConnectionState.OVER,
    (ConnectionState.ASKED, Fault): ConnectionState.OVER,
    (ConnectionState.BROKEN, Fault): ConnectionState.OVER,
}
"""State and message to state. `Ready` and `Answer` come from the bot, all others from us."""


_ANSWERED: Final = TRANSITIONS[ConnectionState.ASKED, Answer]


class Connection:
    """The referee's end of the conversation with one process.

    Bytes in by `receive`, messages out by `next_message`, or both by `hear`; messages in by `send`,
    bytes out.
    """

    def __init__(self, *, total: int = MATCH_FROM_BOT) -> None:
        """Makes a conversation in which nothing was said yet; the bot may say `total` bytes."""
        self.state = ConnectionState.NEW
        self._buffer = LineBuffer(line=LINE_FROM_BOT, total=total)
        self._id: str | None = None

    def send(self, message: ToBot) -> bytes:
        """Says a message; returns the line to write.

        Raises:
            LocalProtocolError: this is not the moment for it; nothing has changed.
        """
        state = TRANSITIONS.get((self.state, type(message)))
        if state is None:
            raise LocalProtocolError(f"no {type(message).__name__} while {self.state}")
        line = encode(message)
        self.state = state
        if type(message) is Act:
            self._id = message.id
        return line

    def passes(self, line: bytes) -> bool:
        """Takes in a whole line that was found to be a plain answer with the id of the open act.

        False, and nothing is taken in, where the bot may not say it so: `hear` tells why.
        """
        if self.state is ConnectionState.ASKED and self._buffer.passes(len(line)):
            self.state = _ANSWERED
            return True
        return False

    def hear(self, data: bytes) -> Ready | Answer | None:
        """Takes in bytes and hands out the message that they complete, or None for "not yet".

        Nearly always it is one whole line that says nothing but what was asked: that way is short.

        Raises:
            RemoteProtocolError: as `receive` and `next_message` do.
        """
        if self.state is ConnectionState.ASKED and data[-1:] == b"\n":
            answer = plain_answer(data)
            if answer is not None and answer.id == self._id and self.passes(data):
                return answer
        self.receive(data)
        return self.next_message()

    def replay(self, message: Ready | Answer) -> None:
        """Takes in a message as it stands in a record, as if the bot had said it now.

        Raises:
            LocalProtocolError: this is not the moment for it.
        """
        state = TRANSITIONS.get((self.state, type(message)))
        if state is None or (type(message) is Answer and message.id != self._id):
            raise LocalProtocolError(f"no {type(message).__name__} while {self.state}")
        self.state = state

    def receive(self, data: bytes) -> None:
        """Takes in bytes that the bot wrote.

        Raises:
            RemoteProtocolError: `output`, more than a match may have.
        """
        try:
            self._buffer.feed(data)
        except RemoteProtocolError:
            self.state = ConnectionState.BROKEN
            raise

    def next_message(self) -> Ready | Answer | None:
        """Hands out what the bot said, or None while it has not finished a line.

        Raises:
            RemoteProtocolError: the line breaks the protocol, or was not asked for.
        """
        if self.state is ConnectionState.BROKEN:
            raise RemoteProtocolError(RemoteFault.PROTOCOL, "the conversation is already broken")
        line = self._buffer.rest()
        try:
            found = self._buffer.next_line()
            if found is None:
                return None
            line = found
            return self._read(line)
        except RemoteProtocolError as error:
            self.state = ConnectionState.BROKEN
            error.line = line[:LINE_SHOWN]
            raise

    def _read(self, line: bytes) -> Ready | Answer:
        message: Ready | Answer
        if self.state is ConnectionState.ASKED:
            message = decode_answer(line)
            if message.id != self._id:
                raise RemoteProtocolError(
                    RemoteFault.PROTOCOL,
                    f"the id of the open act is {self._id!r}, the answer has {message.id[:40]!r}",
                    Mistake.ID,
                )
        elif self.state is ConnectionState.GREETED:
            message = decode_ready(line)
        else:
            raise RemoteProtocolError(RemoteFault.PROTOCOL, "a line that nobody asked for")
        self.state = TRANSITIONS[self.state, type(message)]
        return message

    def unread(self) -> bytes:
        """What the bot wrote beyond the last message handed out."""
        return self._buffer.rest()
