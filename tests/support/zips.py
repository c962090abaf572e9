"""Zips good and bad, as a hostile author would make them."""

import io
import os
import struct
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.submissions import unzip_program
from ladder.submissions.copy_in import HandedIn
from ladder.submissions.unzip import taken_from
from ladder.submissions.unzip_program import FILES, ZIP

GOOD: Final = {"bot/bot.toml": b'name = "x"\ncommand = "sh x.sh"\n', "bot/x.sh": b"exit 3\n"}
"""A bot that can be unpacked, in the one folder that wraps everything."""

CENTRAL, LOCAL, LAST = b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"


class Entry(Struct, frozen=True):
    """An entry as it is to be written; `mode` with the kind of file."""

    name: str
    data: bytes = b"text"
    mode: int = 0o100644
    method: int = zipfile.ZIP_DEFLATED


def zipped(*entries: Entry) -> bytes:
    """A zip of these entries, whatever they are."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")  # names that are there twice
        for entry in entries:
            info = zipfile.ZipInfo("x", (2020, 1, 1, 0, 0, 0))
            info.filename = info.orig_filename = entry.name
            info.external_attr, info.compress_type = entry.mode << 16, entry.method
            archive.writestr(info, entry.data)
    return out.getvalue()


def good(**more: bytes) -> bytes:
    """A zip of a bot, with more files in its folder."""
    files: Mapping[str, bytes] = GOOD | {f"bot/{name}": data for name, data in more.items()}
    return zipped(*(Entry(name, data) for name, data in files.items()))


def unpacked(data: bytes, folder: Path) -> Path:
    """Unpacks a zip in a new folder, by the program of a sandbox, which needs none."""
    folder.mkdir()
    (folder / ZIP).write_bytes(data)
    words = [sys.executable, "-I", "-S", unzip_program.__file__]
    subprocess.run(words, cwd=folder, check=True)
    return taken_from(folder)[0]


def unzipped_here(upload: HandedIn, folder: Path) -> HandedIn:
    """What was handed in as a folder; a zip is unpacked in a new one, without a sandbox."""
    if upload.zip is None:
        return upload
    inside = unpacked(upload.zip.read_bytes(), folder)
    bot = os.path.join(upload.bot, inside.relative_to(folder / FILES))
    left_out = taken_from(folder)[1]
    return replace(upload, folder=inside, bot=bot, zip=None, left_out=left_out)


def with_central(zip_bytes: bytes, offset: int, form: str, value: int, entry: int = -1) -> bytes:
    """A zip with a number of an entry's row in the list of entries changed."""
    return _patched(zip_bytes, CENTRAL, offset, struct.pack(form, value), entry)


def with_local(zip_bytes: bytes, offset: int, form: str, value: int, entry: int = -1) -> bytes:
    """A zip with a number of an entry's own header changed."""
    return _patched(zip_bytes, LOCAL, offset, struct.pack(form, value), entry)


def _patched(zip_bytes: bytes, mark: bytes, offset: int, value: bytes, entry: int) -> bytes:
    places = [at for at in range(len(zip_bytes)) if zip_bytes.startswith(mark, at)]
    at = places[entry] + offset
    return zip_bytes[:at] + value + zip_bytes[at + len(value) :]


def crowded(entries: int) -> bytes:
    """A zip whose list of entries is as long as it can be, and says that it has one."""
    name = b"a"
    local = LOCAL + struct.pack("<5H3I2H", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0) + name
    row = CENTRAL + struct.pack(
        "<6H3I5H2I", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0
    )
    rows = (row + name) * entries
    end = LAST + struct.pack("<4H2IH", 0, 0, 1, 1, len(rows), len(local), 0)
    return local + rows + end


def overlapping() -> bytes:
    """A zip of which two entries are the same bytes."""
    both = zipped(Entry("bot.toml"), Entry("b.toml"))
    at = both.rindex(CENTRAL)
    return both[: at + 42] + struct.pack("<I", 0) + both[at + 46 :]


def nested(copies: int = 50) -> bytes:
    """A zip bomb of entries each of which contains all that come after it."""
    kernel = zipped(Entry("z", bytes(1 << 20)))
    end = kernel.rindex(CENTRAL)
    body = kernel[:end]
    row, start = kernel[end : kernel.rindex(LAST)], 0
    headers, rows = [], []
    size = struct.unpack("<I", row[20:24])[0]
    for number in range(copies):
        name = b"%02d" % number
        rest = (copies - number - 1) * (30 + len(name)) + len(body) - size
        header = bytearray(body[:30])
        header[26:28] = struct.pack("<H", len(name))
        headers.append(bytes(header) + name)
        one = bytearray(row[:46]) + name
        one[20:24], one[28:30] = struct.pack("<I", size + rest), struct.pack("<H", len(name))
        one[42:46] = struct.pack("<I", start)
        rows.append(bytes(one))
        start += len(headers[-1])
    before = b"".join(headers) + body
    whole = b"".join(rows)
    last = LAST + struct.pack("<4H2IH", 0, 0, copies, copies, len(whole), len(before), 0)
    return before + whole + last
