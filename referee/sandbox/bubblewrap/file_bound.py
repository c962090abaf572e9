"""A bound for the number of files in a folder of memory that bubblewrap has made; for root only."""

import ctypes
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_CLONE_FS, _CLONE_NEWNS = 0x200, 0x20000
_MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 2, 4, 32
_THERE_S: Final = 10.0
_LOOK_S: Final = 0.001


def bound_files(pid: int, folder: str, most: int) -> None:
    """Bound how many files a folder of memory can hold; bubblewrap itself can only bound bytes.

    A thread goes into the mount namespace, changes that one mount, and ends: it opens nothing
    there. Nothing changes where that is not ours to do.

    Args:
        pid: of a process inside, which bubblewrap may still be preparing.
        folder: where the memory is mounted, as that process sees it.
        most: files, links and folders, those without a name included.
    """

    def change() -> None:
        libc = ctypes.CDLL(None)
        with suppress(OSError):
            space = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
            try:
                if libc.unshare(_CLONE_FS) == 0 and libc.setns(space, _CLONE_NEWNS) == 0:
                    flags = _MS_REMOUNT | _MS_NOSUID | _MS_NODEV
                    libc.mount(None, os.fsencode(folder), None, flags, b"nr_inodes=%d" % most)
            finally:
                os.close(space)

    if _is_mounted(pid, folder):
        thread = threading.Thread(target=change, name="remount")
        thread.start()
        thread.join()


def _is_mounted(pid: int, folder: str) -> bool:
    """Wait until bubblewrap has mounted it; whether it has."""
    until = time.monotonic() + _THERE_S
    with suppress(OSError):
        while time.monotonic() < until:
            mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
            if any(mount.split()[4] == folder for mount in mounts):
                return True
            time.sleep(_LOOK_S)
    return False
