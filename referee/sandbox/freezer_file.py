"""The file by which the kernel stops the processes of a bot and lets them go on."""

import os
from typing import Final, NamedTuple

_STATE_MOST: Final = 127


class FreezerFile(NamedTuple):
    """What is written to which open file.

    Attributes:
        descriptor: of the file; -1: there is none.
        thaw: what lets the processes go on.
        freeze: what stops them again; empty: that is done otherwise.
        state: the open file that tells how far they are.
        stopped: what it contains once all have come to a stop.
    """

    descriptor: int
    thaw: bytes
    freeze: bytes
    state: int
    stopped: bytes

    def is_there(self) -> bool:
        """Whether there is a file."""
        return self.descriptor >= 0


NO_FILE: Final = FreezerFile(-1, b"", b"", -1, b"")


def has_stopped(state: int, stopped: bytes) -> bool:
    """Whether all processes have come to a stop; as `FreezerFile` has it.

    Raises:
        OSError: the group is gone.
    """
    return stopped in os.pread(state, _STATE_MOST, 0)
