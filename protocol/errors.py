"""Whose mistake it was. Raises nothing itself and knows no message."""

from enum import StrEnum


class RemoteFault(StrEnum):
    """What the bytes from a bot can be guilty of (SPEC 6)."""

    MALFORMED = "malformed"
    """Bytes that are no message: not UTF-8, not JSON, not an object, a wrong type of field."""
    PROTOCOL = "protocol"
    """A message at the wrong moment: no question was asked, or the id is not the one asked for."""
    OUTPUT = "output"
    """More bytes than a line or a match may have."""


class Mistake(StrEnum):
    """What a bot's author has probably overlooked, where it can be told: advice goes by it."""

    ENCODING = "encoding"
    """The bytes are not UTF-8, or begin with a byte order mark."""
    FIELD = "field"
    """A field is missing, or is not of its type."""
    ID = "id"
    """The `id` of the act is missing, or is another act's."""
    SILENT = "silent"
    """It has read the question and waits for more, though it has said nothing."""


class ProtocolError(Exception):
    """The conversation is broken. Raised only as one of its two children."""


class LocalProtocolError(ProtocolError):
    """We tried to say something that this moment does not allow: a bug of ours, never a bot's."""


class RemoteProtocolError(ProtocolError):
    """The bot said something that the protocol does not allow.

    Caught by the seat, which turns it into a fault of the bot.

    Attributes:
        fault: the stable word of SPEC 6.
        detail: one sentence for people; it may change between versions.
        mistake: what was probably overlooked, where it can be told.
        line: the beginning of the line that it is about, where there is one.
    """

    line = b""

    def __init__(self, fault: RemoteFault, detail: str, mistake: Mistake | None = None) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail
        self.mistake = mistake
