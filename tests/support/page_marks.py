"""The marks that the kernel has for the pages of a file that are in memory; root's to see."""

import mmap
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

_FLAGS: Final = Path("/proc/kpageflags")
_REFERENCED, _ACTIVE = 1 << 2, 1 << 6
_PRESENT: Final = 1 << 63
_FRAME: Final = (1 << 55) - 1
_WORD: Final = 8


def marks(path: Path) -> list[tuple[bool, bool]]:
    """Of each page whether it is marked as used, and as used again; to look marks none."""
    if not _FLAGS.exists():
        pytest.skip("this kernel was built without /proc/kpageflags")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
        for at in range(0, len(mapped), mmap.PAGESIZE):
            mapped[at]
        frames = list(_frames(_address_of(path), -(-len(mapped) // mmap.PAGESIZE)))
    with _FLAGS.open("rb", buffering=0) as flags_of:
        words = [os.pread(flags_of.fileno(), _WORD, frame * _WORD) for frame in frames]
    flags = [struct.unpack("Q", word)[0] for word in words]
    return [(bool(one & _REFERENCED), bool(one & _ACTIVE)) for one in flags]


def _address_of(path: Path) -> int:
    """Where this process has mapped it."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    (found,) = (line for line in lines if line.endswith(f" {path}"))
    return int(found.split("-")[0], 16)


def _frames(address: int, pages: int) -> Iterator[int]:
    with open("/proc/self/pagemap", "rb", buffering=0) as file:
        data = os.pread(file.fileno(), pages * _WORD, address // mmap.PAGESIZE * _WORD)
    for (entry,) in struct.iter_unpack("Q", data):
        assert entry & _PRESENT
        yield entry & _FRAME
