"""A bound for the number of files in a folder of memory that bubblewrap has made; for root only."""

import ctypes
import os
import threading
import time
from contextlib import suppress
from errno import EINVAL, ENOENT
from pathlib import Path
from typing import Final

_CLONE_FS, _CLONE_NEWNS = 0x200, 0x20000
_MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 2, 4, 32
_THERE_S: Final = 10.0
_LOOK_S: Final = 0.001
_NOT_THERE: Final = (ENOENT, EINVAL)
"""Said of a path that leads nowhere, or to no mount."""


def bound_files(pid: int, folder: str, most: int) -> None:
    """Bound how many files a folder of memory can hold; bubblewrap itself can only bound bytes.

    A thread goes into the mount namespace, changes that one mount, and ends: it opens nothing
    there. Nothing changes where that is not ours to do.

    Args:
        pid: of a process inside, which bubblewrap may still be preparing.
        folder: where the memory is mounted, as that process sees it.
        most: files, links and folders, those without a name included.
    """
    until = time.monotonic() + _THERE_S
    with suppress(OSError):  # the process is gone
        while time.monotonic() < until:
            if _is_mounted(pid, folder) and _is_bound(pid, folder, most):
                return
            time.sleep(_LOOK_S)


def _is_mounted(pid: int, folder: str) -> bool:
    """Whether bubblewrap has mounted it.

    Raises:
        OSError: the process is gone.
    """
    mounts = Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
    return any(mount.split()[4] == folder for mount in mounts)


def _is_bound(pid: int, folder: str, most: int) -> bool:
    """Bound it; return False where the folder is not found, as while bubblewrap changes its root.

    What the kernel forbids is not tried again: nothing is bound then.

    Raises:
        OSError: the process is gone.
    """
    space = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    missing: list[bool] = []

    def change() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(_CLONE_FS) == 0 and libc.setns(space, _CLONE_NEWNS) == 0:
            flags = _MS_REMOUNT | _MS_NOSUID | _MS_NODEV
            code = libc.mount(None, os.fsencode(folder), None, flags, b"nr_inodes=%d" % most)
            missing.append(code != 0 and ctypes.get_errno() in _NOT_THERE)

    try:
        thread = threading.Thread(target=change, name="remount")
        thread.start()
        thread.join()
    finally:
        os.close(space)
    return not any(missing)
