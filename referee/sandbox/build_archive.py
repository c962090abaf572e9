"""Unpack what a build has made, from the archive that tar writes inside the sandbox.

No process of ours opens a file where a build can write: the archive is bytes from a stranger, and
every file of it is made anew, counted while it comes. The formats are those of GNU tar and ustar.
"""

import os
import re
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.bots.find import BotSource
from referee.bots.held_folder import DEEPEST, LONGEST_PATH, OUR_TROUBLE
from referee.errors import RefereeError
from referee.text import in_bytes, plural

_BLOCK: Final = 512
_LONGEST_NAME: Final = 64 * 1024
"""Bytes of a name that is looked at, before it is refused for its length or its depth."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_FILES: Final = (b"0", b"\0", b"7")
_LINK, _SYMLINK, _FOLDER = b"1", b"2", b"5"
_NO_FILES: Final = (b"3", b"4", b"6")
"""Devices and pipes, which no bot needs."""
_KINDS: Final = (*_FILES, _LINK, _SYMLINK, _FOLDER, *_NO_FILES)
_LONG_NAME, _LONG_TARGET = b"L", b"K"
_OCTAL: Final = re.compile(rb"[0-7]+")


class _Header(Struct, frozen=True):
    """One header of an archive.

    Attributes:
        kind: the type flag.
        name: of the entry, as it stands there.
        target: what a link names.
        size: bytes that follow.
        executable: whether any of its execute bits is set.
    """

    kind: bytes
    name: bytes
    target: bytes
    size: int
    executable: bool


class Unpacker:
    """An archive, while it comes.

    Attributes:
        is_complete: whether its end has come.
    """

    def __init__(self, to: Path, bot: BotSource) -> None:
        """Make the folder.

        Args:
            to: where the files go; no other process writes there.
            bot: says how much its build may leave.

        Raises:
            OSError: it cannot be made.
        """
        to.mkdir(mode=0o755)
        self.is_complete = False
        self._to, self._bot = to, bot
        self._size = self._count = 0
        self._folders = {b""}
        self._files: dict[bytes, int] = {}
        """Their sizes."""
        self._block = bytearray()
        self._left = self._padding = 0
        self._sink = -1
        self._long: dict[bytes, bytearray] = {}
        self._text: bytearray | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            RefereeError: it is too much, or no archive.
            OSError: the disk is full, and the like.
        """
        view = memoryview(data)
        try:
            while view and not self.is_complete:
                view = view[self._take(view) :]
        except OSError as error:
            if error.errno in OUR_TROUBLE:
                raise
            raise self._refusal(error.strerror or str(error)) from error

    def close(self) -> None:
        """Close the file that has begun, if any. Idempotent."""
        if self._sink >= 0:
            os.close(self._sink)
            self._sink = -1

    def _take(self, view: memoryview) -> int:
        """Take the first of these bytes that belong together; how many those were."""
        if self._left:
            size = min(len(view), self._left)
            self._keep(view[:size])
            self._left -= size
            if not self._left:
                self._text = None
                self.close()
        elif self._padding:
            size = min(len(view), self._padding)
            self._padding -= size
        else:
            size = min(len(view), _BLOCK - len(self._block))
            self._block += view[:size]
            if len(self._block) == _BLOCK:
                self._begin(bytes(self._block))
                self._block.clear()
        return size

    def _keep(self, data: memoryview) -> None:
        if self._text is not None:
            self._text += data
            return
        while data and self._sink >= 0:
            data = data[os.write(self._sink, data) :]

    def _begin(self, block: bytes) -> None:
        """Take a header."""
        if not any(block):
            self.is_complete = True
            return
        header = self._read(block)
        self._left, self._padding = header.size, -header.size % _BLOCK
        if header.kind in (_LONG_NAME, _LONG_TARGET):
            if not 0 < header.size <= _LONGEST_NAME:
                raise self._path_refusal()
            self._text = self._long[header.kind] = bytearray()
            return
        name = bytes(self._long.pop(_LONG_NAME, header.name)).rstrip(b"\0")
        target = bytes(self._long.pop(_LONG_TARGET, header.target)).rstrip(b"\0")
        if b"\0" in name + target:
            raise self._refusal("a name has a zero in it")
        self._make(header, self._inside(name), target)

    def _make(self, header: _Header, name: bytes, target: bytes) -> None:
        """Make what a header says."""
        if header.kind not in _KINDS:
            raise self._refusal(f"an entry is of the kind {header.kind!r}, not of GNU tar's")
        if header.size and header.kind not in _FILES:
            raise self._refusal("an entry that is no file has contents")
        if not name and header.kind == _FOLDER:
            return
        if name.rpartition(b"/")[0] not in self._folders:
            raise self._refusal("an entry lies in no folder")
        path = os.fsencode(self._to) + b"/" + name
        if header.kind in _FILES:
            self._count_in(header.size)
            self._files[name] = header.size
            self._sink = os.open(path, _NEW, 0o755 if header.executable else 0o644)
            if not header.size:
                self.close()
        elif header.kind == _FOLDER:
            self._count_in(0)
            os.mkdir(path, 0o755)
            self._folders.add(name)
        elif header.kind == _SYMLINK:
            self._count_in(0)
            os.symlink(target, path)
        elif header.kind == _LINK:
            self._link(self._inside(target), path)

    def _link(self, original: bytes, path: bytes) -> None:
        """Give a file that was unpacked one more name; it counts again: copies will be two."""
        if original not in self._files:
            raise self._refusal("an entry is a link to none before it")
        self._count_in(self._files[original])
        os.link(os.fsencode(self._to) + b"/" + original, path, follow_symlinks=False)
        self._files[path[len(os.fsencode(self._to)) + 1 :]] = self._files[original]

    def _count_in(self, size: int) -> None:
        self._size, self._count = self._size + size, self._count + 1
        most = self._bot.build_output
        if self._size > most.size << 20 or self._count > most.files:
            raise RefereeError(
                f"bot {self._bot.typed!r}: the build left {in_bytes(self._size)} or more in "
                f"{plural(self._count, 'file')} or more; at most {most.size:,} MiB and "
                f"{plural(most.files, 'file')} may be left, sources and folders included"
            )

    def _inside(self, name: bytes) -> bytes:
        """Return a name as it is below the folder."""
        parts = [part for part in name.split(b"/") if part not in (b"", b".")]
        if name.startswith(b"/") or b".." in parts:
            raise self._refusal("a name leads out of its folder")
        if len(parts) > DEEPEST + 1:
            raise RefereeError(
                f"bot {self._bot.typed!r}: the build made folders more than {DEEPEST} deep"
            )
        inside = b"/".join(parts)
        if len(inside) > LONGEST_PATH:
            raise self._path_refusal()
        return inside

    def _read(self, block: bytes) -> _Header:
        """Read a header: fields at fixed places, numbers in octal."""
        said = self._number(block[148:156])
        if said != sum(block) - sum(block[148:156]) + 8 * 0x20:
            raise self._refusal("the sum of a header is wrong")
        name, prefix = _text(block[0:100]), _text(block[345:500])
        if prefix and block[257:263] == b"ustar\0":  # GNU's own has times there
            name = prefix + b"/" + name
        return _Header(
            kind=block[156:157],
            name=name,
            target=_text(block[157:257]),
            size=self._number(block[124:136]),
            executable=bool(self._number(block[100:108]) & 0o111),
        )

    def _number(self, field: bytes) -> int:
        if field[0] & 0x80:  # GNU's way to write what octal has no room for
            return int.from_bytes(field) & ~(1 << (8 * len(field) - 1))
        digits = field.strip(b" \0") or b"0"
        if _OCTAL.fullmatch(digits) is None:  # int() would take a sign
            raise self._refusal("a number of a header is none")
        return int(digits, 8)

    def _path_refusal(self) -> RefereeError:
        return RefereeError(
            f"bot {self._bot.typed!r}: the build made a path of more than {LONGEST_PATH} bytes"
        )

    def _refusal(self, why: str) -> RefereeError:
        return RefereeError(
            f"bot {self._bot.typed!r}: what the build left cannot be taken over: {why}"
        )


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]
