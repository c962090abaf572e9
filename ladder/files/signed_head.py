"""A signed head: what a ladder's chain of facts ended with, under the organiser's signature.

The chain alone shows damage: who can change facts can hash them anew. A head that others keep
shows forgery, too, since its hash fits no other facts, and its signature comes from a key that
only the organiser has.
"""

import re
from collections.abc import Callable
from typing import Annotated, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta, Struct

from referee.errors import RefereeError

CONTEXT: Final = b"briscola-referee ladder head 1\n"
"""What comes before a head when it is signed, so that no signature of ours is of anything else."""

KEY_BYTES: Final = 32
"""Size of a private key, and of a public one."""

_HEX64: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)

Count = Annotated[int, Meta(ge=0, le=2**53)]
Hex32 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Hex64 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Hex128 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{128}\Z")]


class Head(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a ladder stands.

    Attributes:
        ladder: its id.
        facts: how many it has.
        hash: of the last of them, and so of all.
        at_ms: when that was said; milliseconds since 1970, UTC.
        proved: whether all records and bots up to there were proved when it was signed.
    """

    ladder: Hex32
    facts: Count
    hash: Hex64
    at_ms: Count
    proved: bool = False


class SignedHead(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A head and who says so.

    Attributes:
        head: what was signed, after `CONTEXT` and as compact JSON in the order of its fields.
        public_key: Ed25519, 32 bytes in hex.
        signature: 64 bytes in hex.
    """

    head: Head
    public_key: Hex64
    signature: Hex128


def signed(head: Head, key: Ed25519PrivateKey) -> SignedHead:
    """Signs a head; the same head and key give the same signature."""
    return SignedHead(
        head=head, public_key=public_of(key), signature=signature_of(CONTEXT, head, key)
    )


def check(found: SignedHead, public_key: str | None = None) -> None:
    """Proves that a head was signed by the key that it names.

    Args:
        found: the head.
        public_key: whose it must be, in hex; without it, anybody's will do.

    Raises:
        RefereeError: it was not, or whose it must be is no key.
    """
    signer = (found.public_key, found.signature)
    check_signature("head", CONTEXT, found.head, signer, public_key)


def signature_of(context: bytes, value: Struct, key: Ed25519PrivateKey) -> str:
    """Signs a value; returns the signature, 128 hex digits.

    Args:
        context: names the kind of value, so that no signature fits a value of another kind.
        value: is signed as compact JSON in the order of its fields.
        key: of the ladder.
    """
    return key.sign(context + msgspec.json.encode(value)).hex()


def check_signature(
    what: str, context: bytes, value: Struct, signer: tuple[str, str], public_key: str | None
) -> None:
    """Proves that a value was signed by the key that comes with it.

    Args:
        what: kind of the value, in one word, for messages.
        context: as for `signature_of`.
        value: the value.
        signer: public key and signature, both in hex.
        public_key: the key that it must be, in hex; None: any key.

    Raises:
        RefereeError: it was not, or `public_key` is no key.
    """
    named, signature = signer
    if public_key is not None:
        wanted = public_key.strip().lower()
        if not _HEX64.fullmatch(wanted):
            raise RefereeError(f"public key {public_key!r} is not {2 * KEY_BYTES} hex digits")
        if named != wanted:
            raise RefereeError(f"the {what} was signed with another key, {named}")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(named))
        key.verify(bytes.fromhex(signature), context + msgspec.json.encode(value))
    except (InvalidSignature, ValueError, OverflowError) as error:
        raise RefereeError(
            f"the {what}'s signature does not fit: it was changed or forged"
        ) from error


def misfit(head: Head, ladder: str, hash_of: Callable[[int], str | None]) -> str | None:
    """Says why a ladder is not the one that a head was taken of, or does not go on from there.

    Args:
        head: as it was published, now or long ago.
        ladder: the ladder's id.
        hash_of: the hash of its fact with a number, from 1; None where it has fewer.
    """
    if head.ladder != ladder:
        return f"the head is of ladder {head.ladder}, this is {ladder}"
    there = hash_of(head.facts)
    if there is None:
        return f"the head has {head.facts} facts, the ladder has fewer: some were cut off"
    if there != head.hash:
        return f"fact {head.facts} or one before it is not what it was when the head was signed"
    return None


def as_json(found: SignedHead) -> bytes:
    """A line to be published."""
    return msgspec.json.encode(found) + b"\n"


def from_json(text: bytes, name: str = "-") -> SignedHead:
    """A signed head from text, with or without its newline; it is not checked yet.

    Args:
        text: as `as_json` writes it.
        name: where it is from, for what is said when it is none.

    Raises:
        RefereeError: it is none, or is written in another way.
    """
    try:
        found = msgspec.json.decode(text, type=SignedHead)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefereeError(f"head {name!r} is no signed head: {error}") from error
    if as_json(found) != text.removesuffix(b"\n") + b"\n":
        raise RefereeError(f"head {name!r} is not as it was written")
    return found


def public_of(key: Ed25519PrivateKey) -> str:
    """What others check heads with, 64 hex digits."""
    return key.public_key().public_bytes_raw().hex()
