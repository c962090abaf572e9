"""A signed head: what a ladder's chain of facts ended with, under the organiser's signature.

The chain alone shows damage: whoever can change facts can hash them anew. A head that others keep
shows forgery, too, since its hash fits no other facts, and its signature comes from a key that
only the organiser has.
"""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from typing import Annotated, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Meta, Struct

from ladder.files import atomic_write
from referee.errors import RefereeError

KEY_FILE: Final = "head-key"
CONTEXT: Final = b"briscola-referee ladder head 1\n"
"""What comes before a head when it is signed, so that no signature of ours is of anything else."""

_LONGEST: Final = 4096
_KEY_BYTES: Final = 32
_HEX64: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OTHERS: Final = 0o077

Made = Callable[[Path], None]
"""Is told where a new key lies."""

Count = Annotated[int, Meta(ge=0, le=2**53)]
Hex32 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Hex64 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Hex128 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{128}\Z")]


class Head(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a ladder stands.

    Attributes:
        ladder: its id.
        facts: how many it has.
        hash: of the last of them, and so of all.
        at_ms: when that was said; milliseconds since 1970, UTC.
    """

    ladder: Hex32
    facts: Count
    hash: Hex64
    at_ms: Count


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
    signature = key.sign(_canonical(head))
    return SignedHead(head=head, public_key=public_of(key), signature=signature.hex())


def check(found: SignedHead, public_key: str | None = None) -> None:
    """Proves that a head was signed by the key that it names.

    Args:
        found: the head.
        public_key: whose it must be, in hex; without it, anybody's will do.

    Raises:
        RefereeError: it was not, or whose it must be is no key.
    """
    if public_key is not None:
        wanted = public_key.strip().lower()
        if not _HEX64.fullmatch(wanted):
            raise RefereeError(f"public key {public_key!r} is not {2 * _KEY_BYTES} hex digits")
        if found.public_key != wanted:
            raise RefereeError(f"the head was signed with another key, {found.public_key}")
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(found.public_key))
        key.verify(bytes.fromhex(found.signature), _canonical(found.head))
    except (InvalidSignature, ValueError) as error:
        raise RefereeError("the head's signature does not fit: it was changed or forged") from error


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


def read(path: Path) -> SignedHead:
    """A signed head from a file; it is not checked yet.

    Raises:
        RefereeError: it cannot be read, or a byte of it is not as `as_json` writes it.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST)
    except OSError as error:
        raise RefereeError(f"head {str(path)!r}: {error.strerror}") from error
    return from_json(text, str(path))


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


def sign_now(
    folder: Path, *, ladder: str, facts: int, last: str, made: Made = lambda _: None
) -> SignedHead:
    """Signs where a ladder stands at this moment, with its own key.

    Args:
        folder: the ladder's files; made if need be.
        ladder: its id.
        facts: how many it has.
        last: the hash of the last of them.
        made: as for `kept_key`.

    Raises:
        RefereeError: as for `kept_key`.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RefereeError(f"key {str(folder / KEY_FILE)!r}: {error.strerror}") from error
    now = time.time_ns() // 1_000_000
    head = Head(ladder=ladder, facts=facts, hash=last, at_ms=now)
    return signed(head, kept_key(folder, made))


def kept_key(folder: Path, made: Made = lambda _: None) -> Ed25519PrivateKey:
    """The key of a ladder; made when there is none. Of several makers at once the first one wins.

    Args:
        folder: the ladder's files; the key lies there as hex, for its owner only.
        made: is told if there was none, since nobody knows the new one's public half.

    Raises:
        RefereeError: it cannot be read or kept, is no key, or others may read it.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            _make(path)
            made(path)
        with path.open("rb") as file:
            if S_IMODE(os.fstat(file.fileno()).st_mode) & _OTHERS:
                raise RefereeError(
                    f"key {str(path)!r} may be read by others, who can sign with it then: make it "
                    "your own (chmod 600), or remove it and have another one made"
                )
            text = file.read(_LONGEST)
    except OSError as error:
        raise RefereeError(f"key {str(path)!r}: {error.strerror}") from error
    return _key_of(text, path)


def _key_of(text: bytes, path: Path) -> Ed25519PrivateKey:
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise RefereeError(f"key {str(path)!r} is not {2 * _KEY_BYTES} hex digits")
    return Ed25519PrivateKey.from_private_bytes(key)


def _make(path: Path) -> None:
    """Writes a new key: whole, or not under its name; one that is there meanwhile stays."""
    key = Ed25519PrivateKey.generate().private_bytes_raw().hex()
    with suppress(FileExistsError), atomic_write(path, mode=0o600, replace=False) as file:
        file.write(f"{key}\n".encode())


def _canonical(head: Head) -> bytes:
    return CONTEXT + msgspec.json.encode(head)
