"""Looks whether there is memory, where its want would end us without a word.

Python raises MemoryError, but libraries in other languages do what they will: those for linear
algebra exit with code 1, which means to us that the answer is no.
"""

import mmap

from referee.errors import Shortage

_MIB = 1024 * 1024


def check_memory(mib: int) -> None:
    """Reserve memory, and let it go again; none of it is touched.

    Args:
        mib: how much, in MiB.

    Raises:
        Shortage: there is not so much.
    """
    try:
        mmap.mmap(-1, mib * _MIB).close()
    except (OSError, MemoryError) as error:
        raise Shortage(f"not enough memory: {mib} MiB are needed") from error
