"""What a site and a bot on its author's machine say to each other during a match. Pure.

A bot has a life each time that its process begins; what is said of an earlier one is left alone.
"""

from typing import Final

from msgspec import Raw, Struct

LONGEST: Final = 1 << 16
"""So many bytes an envelope may have."""

MATCH_HEADER: Final = "referee-match"
"""Has the id of a match, by which its bot connects again."""

MOST_DATA: Final = 1 << 15
"""So many bytes of a pipe are said at a time: in base64 they fit into an envelope."""


class Begin(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A process of the bot is to begin: the first of a match, or the next after its end."""

    life: int


class Data(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """Bytes for a process, or from it, as they came; lines may be in pieces."""

    life: int
    data: bytes


class Ended(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """A process has ended, or is to end."""

    life: int


class Over(Struct, frozen=True, tag=True, forbid_unknown_fields=True):
    """The match is over.

    Attributes:
        text: how it ended, in a sentence.
        scores: by bot, the connected one first; none where it was broken off.
        faults: what the referee has said of the connected bot.
    """

    text: str
    scores: tuple[int, ...] = ()
    faults: tuple[str, ...] = ()


ToAuthor = Begin | Data | Ended | Over
"""What a site says."""

ToSite = Data | Ended
"""What a bot's machine says."""


class Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    """What a connection carries.

    Attributes:
        number: of the message; 0: there is none, only what is confirmed.
        heard: how many messages of the receiver have come.
        message: what is said.
    """

    number: int
    heard: int
    message: Raw = Raw(b"null")
