"""Small disks for tests, which are soon full."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.sandboxes import lacking, need


def resize(folder: Path, options: str) -> None:
    """Gives a small disk other options, such as `ro`, `size=64k` or `nr_inodes=9`."""
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def leave(folder: Path, what: str, left: int) -> None:
    """Leaves so many pages (`size`) or names for files (`nr_inodes`) of a small disk free."""
    disk = os.statvfs(folder)
    used = disk.f_files - disk.f_ffree
    if what == "size":
        used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        left *= disk.f_frsize
    resize(folder, f"{what}={used + left}")


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[Path]:
    """A file system of so many KiB, at a folder that is made for it if need be.

    The test is left out where none can be mounted, or fails where nothing may be skipped.
    """
    need("mount", "umount", root=True)
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=0755", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        lacking(f"no small file system: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
