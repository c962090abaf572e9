"""Tokens by which an author is known to the site: made once, told once, kept as a hash. Pure."""

import base64
import hashlib
import re
from enum import StrEnum
from typing import Final

from msgspec import Struct

from referee.errors import RefereeError

SECRET_BYTES: Final = 32
ID_BYTES: Final = 4
_TEXT: Final = re.compile(r"bref_[0-9a-f]{8}_[A-Za-z0-9_-]{43}", re.ASCII)


class Scope(StrEnum):
    """What a token is for."""

    SUBMIT = "submit"
    """Hand in bots."""
    LOGS = "logs"
    """Read what one's own bots wrote to stderr, and their notes and evals."""
    PLAY = "play"
    """Play at a table."""


class Token(Struct, frozen=True, kw_only=True):
    """A token as the ladder keeps it.

    Attributes:
        id: eight hex digits by which the organiser names it.
        author: whose bots it may hand in.
        hash: SHA-256 of its text; the text itself is kept nowhere.
        scopes: what it is for.
        made_ms: when it was made; milliseconds since 1970, UTC, as all times here.
        expires_ms: when it ends.
        revoked_ms: when the organiser has ended it; 0 while not.
        binding: by which it was made, as a session; "" for an invitation.
    """

    id: str
    author: str
    hash: str
    scopes: tuple[Scope, ...]
    made_ms: int
    expires_ms: int
    revoked_ms: int = 0
    binding: str = ""

    def state(self, now_ms: int) -> str:
        """Return how it stands with it, in a word: valid, expired or revoked."""
        if self.revoked_ms:
            return "revoked"
        return "expired" if now_ms >= self.expires_ms else "valid"


class Binding(Struct, frozen=True, kw_only=True):
    """An account elsewhere by which an author signs in, as long as an invitation is valid.

    Attributes:
        id: eight hex digits by which the organiser names it, as of a token.
        author: who signs in by it.
        issuer: who vouches for the account: a provider of OpenID Connect.
        subject: the account, in the provider's words.
        token: the invitation that it stands for; with that it ends.
        made_ms: when it was made.
    """

    id: str
    author: str
    issuer: str
    subject: str
    token: str
    made_ms: int


def token_text(identity: bytes, secret: bytes) -> str:
    """Return the text of a token.

    Args:
        identity: `ID_BYTES` bytes, which are no secret.
        secret: `SECRET_BYTES` bytes.
    """
    return f"bref_{identity.hex()}_{base64.urlsafe_b64encode(secret).decode().rstrip('=')}"


def hash_of(text: str) -> str:
    """Return the hash that a token is known by.

    A hash that is quick is enough: the text has 256 random bits, which no program can guess.
    """
    return hashlib.sha256(text.encode()).hexdigest()


def is_token(text: str) -> bool:
    """Whether a text looks like a token."""
    return _TEXT.fullmatch(text) is not None


def scopes_of(names: tuple[str, ...]) -> tuple[Scope, ...]:
    """Return scopes by their names, each once; all of them where none is named.

    Raises:
        RefereeError: there is no such scope.
    """
    for name in names:
        if name not in tuple(Scope):
            raise RefereeError(f"scope {name!r}: there are {', '.join(Scope)}")
    return tuple(scope for scope in Scope if not names or scope in names)
