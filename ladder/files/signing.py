"""The key that a ladder signs with, in its folder of files, and what is signed with it now."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from ladder.files.signed_head import KEY_BYTES, Head, SignedHead, signed
from referee.errors import RefereeError
from referee.record.opened import opened
from referee.whole_file import atomic_write

KEY_FILE: Final = "head-key"

_LONGEST: Final = 4096
_OTHERS: Final = 0o077

Made = Callable[[Path], None]
"""Is told where a new key lies."""


def sign_now(folder: Path, head: Head, made: Made = lambda _: None) -> SignedHead:
    """Signs where a ladder stands, with its own key and the time of this moment.

    Args:
        folder: the ladder's files; made if need be.
        head: where it stands; its time is left out.
        made: as for `kept_key`.

    Raises:
        RefereeError: as for `kept_key`.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RefereeError(f"key {str(folder / KEY_FILE)!r}: {error.strerror}") from error
    return signed(replace(head, at_ms=now_ms()), kept_key(folder, made))


def now_ms() -> int:
    """Return milliseconds since 1970, UTC, by the clock of this machine."""
    return time.time_ns() // 1_000_000


def kept_key(folder: Path, made: Made = lambda _: None) -> Ed25519PrivateKey:
    """The key of a ladder; made when there is none. Of several makers at once the first one wins.

    Args:
        folder: the ladder's files; the key lies there as hex, for its owner only.
        made: is told if there was none, since the new one's public half is unknown.

    Raises:
        RefereeError: it cannot be read or kept, is no key, or others may read it.
    """
    path = folder / KEY_FILE
    try:
        if not path.exists():
            _make(path)
            made(path)
        with opened(path, "key") as file:
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
    if len(key) != KEY_BYTES:
        raise RefereeError(f"key {str(path)!r} is not {2 * KEY_BYTES} hex digits")
    return Ed25519PrivateKey.from_private_bytes(key)


def _make(path: Path) -> None:
    """Writes a new key: whole, or not under its name; one that is there meanwhile stays."""
    key = Ed25519PrivateKey.generate().private_bytes_raw().hex()
    with suppress(FileExistsError), atomic_write(path, mode=0o600, replace=False) as file:
        file.write(f"{key}\n".encode())
