"""A user id for each running bot that no other running bot has; root gives them, or a daemon."""

import fcntl
import os
from pathlib import Path
from typing import Final

FIRST_UID: Final = 60800
"""Users that no distribution gives out, as systemd lists them."""

SLOTS: Final = 100

READERS: Final = FIRST_UID - 1
"""The group that may come to the bots' copies: bubblewrap as a bot's user is in it, no other."""


class Slot:
    """A user id, held until `free` or until the referee ends, whatever ends it."""

    def __init__(self, uid: int, lock: int) -> None:
        """Takes over the descriptor of the lock."""
        self.uid = uid
        self._lock = lock

    def free(self) -> None:
        """Gives the id back. Idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def take(folder: Path) -> Slot:
    """Takes the first free id; referees on one machine share the folder.

    Raises:
        OSError: all are taken, or the folder is not ours.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for number in range(SLOTS):
        lock = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return Slot(FIRST_UID + number, lock)
    raise OSError(f"all {SLOTS} user ids for bots are in use")
