"""What stands over and under a table: of an event, or of a ladder. Pure."""

from msgspec import Struct

from ladder.files.signed_head import Head


class Heading(Struct, frozen=True, kw_only=True):
    """What stands over and under the standings of a whole event, or of a ladder.

    Attributes:
        kind: "event" or "ladder".
        key: the event's key, once it may be known; "" before.
        commitment: what was published before the event in place of the key; "" if nothing was.
        secret: what that commits to, where decks follow from it and from contributions; "" where
            it is the key itself, and before it is published.
        digest: of all game digests of the event.
        version: of the referee.
        files: where what is: ("log", path), ("records", folder).
        head: of a ladder: the facts that the standings follow from, and the date of the last one.
    """

    name: str
    kind: str = "event"
    key: str = ""
    commitment: str = ""
    secret: str = ""
    digest: str = ""
    version: str = ""
    files: tuple[tuple[str, str], ...] = ()
    head: Head | None = None
