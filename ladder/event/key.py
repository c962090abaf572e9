"""The secret that all decks of an event come from: kept until the event is over, then published."""

import hashlib
import secrets
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.match.chance import KEY_BITS, event_key
from referee.whole_file import atomic_write

FILE: Final = "key"


def commitment(key: str) -> str:
    """What can be published before the event, and checked when the key is: 64 hex digits.

    It is SHA-256 of the 32 bytes that SPEC 8.1 makes of the key's text. SHA-256 of the text itself
    would be those bytes, and who has them can deal all decks.
    """
    return hashlib.sha256(event_key(key)).hexdigest()


def kept_key(folder: Path, *, begun: bool) -> str:
    """The key of an event whose file has none: drawn once, and kept in the event's folder.

    Args:
        folder: that folder; no other user may write to it meanwhile.
        begun: whether the log has begun, so that there must be one.

    Raises:
        RefereeError: it is gone, or cannot be read or kept.
    """
    path = folder / FILE
    try:
        if path.exists():
            return path.read_text().strip()
        if begun:
            raise RefereeError(
                f"the event's key is gone: its log has begun, and there is no {str(path)!r}: "
                "restore it, or begin anew with --out DIR"
            )
        key = secrets.token_hex(KEY_BITS // 8)
        with atomic_write(path, mode=0o600) as file:
            file.write(f"{key}\n".encode())
    except (OSError, UnicodeDecodeError) as error:
        raise RefereeError(f"key {str(path)!r}: {error}") from error
    return key
