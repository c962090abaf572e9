"""What came of bots that were handed in, as one value for programs."""

from msgspec import Struct

from ladder.store.receipts import SignedReceipt


class AcceptedJson(Struct, frozen=True, kw_only=True):
    """A bot that was taken in; without `new` it had been before, unchanged.

    Attributes:
        left_out: names of folders of which something is no part of it: records, caches.
    """

    entrant: int
    bot: str
    author: str
    version: int
    hash: str
    source: str
    new: bool
    receipt: SignedReceipt
    left_out: tuple[str, ...]


class RefusedJson(Struct, frozen=True):
    """A bot that was not."""

    path: str
    why: str


class SubmitJson(Struct, frozen=True):
    """What `referee submit --json` prints."""

    ladder: str
    taken_in: tuple[AcceptedJson, ...]
    refused: tuple[RefusedJson, ...]
