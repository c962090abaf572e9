"""Files that no process has read lately, and whether they have been read since."""

import ctypes
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SYSTEM: Final = ("/usr/share/doc", "/usr/share", "/usr/lib")
_TRIED: Final = 400
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)


def cold(paths: Iterator[Path], count: int) -> list[Path]:
    """Return the first files whose beginning the kernel could drop from memory.

    Args:
        paths: those to try.
        count: how many are wanted.
    """
    found: list[Path] = []
    for path, _ in zip(paths, range(_TRIED), strict=False):
        if len(found) == count:
            break
        if _is_dropped(path):
            found.append(path)
    return found


def system_files() -> Iterator[Path]:
    """Yield files of /usr that every user can read, and few do."""
    for folder in _SYSTEM:
        for parent, folders, names in os.walk(folder):
            folders.sort()
            for path in (Path(parent, name) for name in sorted(names)):
                if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o004:
                    yield path


def in_memory(path: Path) -> bool:
    """Whether the beginning of a file is in memory; root sees that of every file.

    Raises:
        OSError: the file cannot be opened, or is empty.
    """
    with _opened(path) as descriptor, _mapped(descriptor) as address:
        states = ctypes.create_string_buffer(1)
        if _LIBC.mincore(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE), states):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return bool(states.raw[0] & 1)


@contextmanager
def _mapped(descriptor: int) -> Iterator[int]:
    """Map the first page of a file; a read, even one that must not wait, would begin to load it."""
    address = _LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, descriptor, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        yield address
    finally:
        _LIBC.munmap(ctypes.c_void_p(address), ctypes.c_size_t(mmap.PAGESIZE))


def _is_dropped(path: Path) -> bool:
    with _opened(path) as descriptor:
        os.fsync(descriptor)  # what is not on the disk yet stays in memory
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    return path.stat().st_size > 0 and not in_memory(path)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
