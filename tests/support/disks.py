"""Small disks for tests, which are soon full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.sandboxes import lacking, need


@contextmanager
def small_disk(folder: Path, kib: int) -> Iterator[Path]:
    """A file system of so many KiB, at a folder that is made for it if need be.

    The test is left out where none can be mounted, or fails where nothing may be skipped.
    """
    need("mount", "umount", root=True)
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        lacking(f"no small file system: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
