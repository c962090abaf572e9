"""The secret that all decks of an event come from: kept until the event is over, then published."""

import secrets
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from referee.match.chance import KEY_BITS
from referee.whole_file import atomic_write

FILE: Final = "key"


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
