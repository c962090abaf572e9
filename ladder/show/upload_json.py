"""A bot that was handed in on a ladder's site, as one value for programs."""

from enum import StrEnum

from msgspec import Struct

from ladder.core.tokens import Scope
from ladder.show.submit_json import AcceptedJson


class UploadState(StrEnum):
    """How far an upload is."""

    WAITING = "waiting"
    TRYING = "trying"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class UploadJson(Struct, frozen=True, kw_only=True):
    """A bot that was handed in.

    Attributes:
        position: the how-manieth it is in the queue; 0 once its trial has begun.
        begun_ms: when its last trial began; null before the first.
        stage: what its trial does just now, in words; null where it is not being tried.
        why: why it was refused; null if it was not.
        accepted: what it has become; null until it was taken in.
    """

    id: str
    author: str
    file: str
    bytes: int
    at_ms: int
    state: UploadState
    position: int
    begun_ms: int | None
    stage: str | None
    why: str | None
    accepted: AcceptedJson | None


class MeJson(Struct, frozen=True):
    """Who asks: the author, what the token is for, until when, and the uploads, newest first."""

    author: str
    scopes: tuple[Scope, ...]
    expires_ms: int
    uploads: tuple[UploadJson, ...]
