"""Unpacks a zip of a stranger's: a program of its own, `python3 -I -S unzip_program.py`.

In the folder that it runs in, it reads the zip `ZIP`, writes what is in it into the new folder
`FILES`, and says in the file `REPORT` what came of it. It stands on the standard library only and
knows nothing of us. That it is a process of its own, with bounds on its memory, time and files, is
what keeps a hostile zip from growing or hanging us: Python's zip reader takes whatever an archive
says of itself.
"""

import errno
import json
import os
import resource
import signal
import stat
import struct
import zipfile
from contextlib import suppress
from typing import BinaryIO, Final

ZIP: Final = "bot.zip"
FILES: Final = "files"
REPORT: Final = "report.json"
LONGEST_REPORT: Final = 4096

LARGEST_TOTAL: Final = 64 << 20
LARGEST_ZIP: Final = LARGEST_TOTAL + (1 << 20)
"""What a folder may hold, with room for the names: files may be packed or not."""
LARGEST_FILE: Final = 32 << 20
MOST_ENTRIES: Final = 2000
MOST_LEFT_OUT: Final = 20_000
"""Of what is not looked at; it is never written, and so costs but its line in the list."""
MOST_RATIO: Final = 200
SMALL: Final = 64 << 10
"""A file of this size may be packed as tightly as it will."""
DEEPEST: Final = 12
LONGEST_PATH: Final = 200
LONGEST_NAME: Final = 100

MEMORY: Final = 256 << 20
CPU_S: Final = 20
WALL_S: Final = 60

LEFT_OUT: Final = (
    "__MACOSX",
    "__pycache__",
    ".git",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
)
"""Folders that are no part of a bot, wherever they lie; what is in them is not looked at."""

RECORDS: Final = "records"
RECORD_ENDINGS: Final = (".jsonl", ".jsonl.zst", ".stderr.zst")
"""Nor are the records in a folder of this name. All of this as `referee.bots.held_folder` has it,
which is not there where this program runs."""

_CHARACTERS: Final = frozenset(map(chr, range(32, 127))) - frozenset('"*/:<>?\\|')
_FOR_PEOPLE: Final = 'printable ASCII without " * / : < > ? \\ |'
OUR_TROUBLE: Final = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EROFS,
    errno.EMFILE,
    errno.ENFILE,
    errno.ESTALE,
)
"""As `referee.errors` has them, but for the want of memory: here it is the zip that wants it."""

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_LOCAL_HEADER: Final = 30
_MADE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class ZipRefused(Exception):
    """What was handed in is not taken; the text says why, in words for its author."""


def shown(name: str) -> str:
    """A name as it can be printed, whatever is in it."""
    return ascii(name if len(name) <= 60 else f"{name[:60]}...")


class Names:
    """The names in an upload, each looked at as it comes; what stands in none may be written."""

    def __init__(self) -> None:
        """None so far."""
        self._known: dict[str, tuple[str, bool]] = {}

    def add(self, name: str, *, folder: bool) -> tuple[str, ...]:
        """Takes a name, and those of the folders above it.

        Returns:
            Its parts.

        Raises:
            Refused: it cannot be a name, or not beside the others.
        """
        parts = _parts(name)
        for count in range(1, len(parts) + 1):
            self._take("/".join(parts[:count]), folder=folder or count < len(parts))
        return parts

    def _take(self, name: str, *, folder: bool) -> None:
        known = self._known.get(name.casefold())
        if known is None:
            self._known[name.casefold()] = (name, folder)
            if len(self._known) > MOST_ENTRIES:
                raise ZipRefused(f"it holds more than {MOST_ENTRIES} files and folders")
        elif known[0] != name:
            raise ZipRefused(f"{shown(known[0])} and {shown(name)} differ only in case")
        elif known[1] != folder:
            raise ZipRefused(f"{shown(name)} is a file and a folder at once")
        elif not folder:
            raise ZipRefused(f"{shown(name)} is there twice")


def _parts(name: str) -> tuple[str, ...]:
    if name.startswith("/"):
        raise ZipRefused(f"{shown(name)}: a name must not begin with /")
    parts = tuple(name.split("/"))
    if len(parts) > DEEPEST:
        raise ZipRefused(f"{shown(name)} lies more than {DEEPEST} folders deep")
    if len(name) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in parts):
        raise ZipRefused(
            f"{shown(name)}: a name has at most {LONGEST_NAME} characters, {LONGEST_PATH} "
            "with its folders"
        )
    for part in parts:
        if not part or part in {".", ".."}:
            raise ZipRefused(f"{shown(name)}: empty parts, . and .. have no place in a name")
        if not _CHARACTERS.issuperset(part):
            raise ZipRefused(f"{shown(name)}: a name is made of {_FOR_PEOPLE}")
        if part.startswith(" ") or part.endswith((" ", ".")):
            raise ZipRefused(
                f"{shown(name)}: a name begins with no blank and ends with none or a dot"
            )
    return parts


def unpack(file: BinaryIO, root: int) -> list[str]:
    """Unpacks a zip; what it brings is as large as it is, not as it says.

    Args:
        file: the zip.
        root: a descriptor of the folder to write into; no other process writes there.

    Returns:
        Names of folders of which something was left out.

    Raises:
        Refused: the zip breaks a rule, or is damaged.
        OSError: the disk is full, and the like.
    """
    if os.fstat(file.fileno()).st_size > LARGEST_ZIP:
        raise ZipRefused(f"the zip is larger than {LARGEST_ZIP >> 20} MiB")
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        taken = _taken(entries)
        names, files = Names(), []
        for entry in taken:
            folder = _is_folder(entry)
            parts = names.add(entry.orig_filename.removesuffix("/"), folder=folder)
            if not folder:
                files.append((entry, parts))
        if sum(entry.file_size for entry in taken) > LARGEST_TOTAL:
            raise ZipRefused(f"unpacked it is larger than {LARGEST_TOTAL >> 20} MiB")
        _look_for_overlaps(file, entries, archive.start_dir)
        left = LARGEST_TOTAL
        for entry, parts in files:
            left -= _write(archive, entry, parts, root, left)
    return sorted({left_out(entry.orig_filename) for entry in entries} - {""})


def _taken(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The entries that are looked at: those of a folder with the same files, handed in as it is.

    Raises:
        Refused: they are too many, or the others are.
    """
    found = [entry for entry in entries if not left_out(entry.orig_filename)]
    if len(found) > MOST_ENTRIES:
        raise ZipRefused(f"it holds more than {MOST_ENTRIES} files and folders")
    if len(entries) - len(found) > MOST_LEFT_OUT:
        raise ZipRefused(f"it holds more than {MOST_LEFT_OUT} files that are no part of a bot")
    return found


def left_out(name: str) -> str:
    """Return the folder because of which a name is no part of a bot; "" if it is."""
    folders = name.split("/")[:-1]
    if folders[-1:] == [RECORDS] and name.endswith(RECORD_ENDINGS):
        return RECORDS
    return next((folder for folder in folders if folder in LEFT_OUT), "")


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a folder, and not a file.

    Raises:
        Refused: it is neither, or not as we take it.
    """
    name, mode = shown(entry.orig_filename), entry.external_attr >> 16
    kind, folder = stat.S_IFMT(mode), entry.orig_filename.endswith("/")
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        what = "a link" if kind == stat.S_IFLNK else "no plain file"
        hint = "; is it of a virtual environment, which works on its own machine only?"
        hint = hint if "/bin/python" in name or "/lib64" in name else ""
        raise ZipRefused(f"{name} is {what}: a zip holds files and folders only{hint}")
    if (kind and folder != (kind == stat.S_IFDIR)) or (folder and entry.file_size):
        raise ZipRefused(f"{name} is a file and a folder at once")
    if mode & 0o7000 and not folder:
        raise ZipRefused(
            f"{name} has the mode {mode & 0o7777:o}: no setuid, setgid or sticky files"
        )
    if entry.flag_bits & _ENCRYPTED:
        raise ZipRefused(f"{name} is encrypted")
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ZipRefused(f"{name} is packed by method {entry.compress_type}: only deflate is taken")
    if entry.file_size > LARGEST_FILE:
        raise ZipRefused(f"{name} is larger than {LARGEST_FILE >> 20} MiB")
    return folder


def _look_for_overlaps(file: BinaryIO, entries: list[zipfile.ZipInfo], end: int) -> None:
    """Sees to it that no byte of a zip belongs to two entries.

    Raises:
        Refused: one does, as in the worst of zip bombs; or there is no entry where one should be.
    """
    until = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < until:
            raise ZipRefused(f"{shown(entry.orig_filename)} overlaps with what is before it")
        file.seek(entry.header_offset)
        header = file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER:
            raise ZipRefused(f"{shown(entry.orig_filename)} is damaged: it is not there")
        until = entry.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:]))
        until += entry.compress_size
    if until > end:
        raise ZipRefused("its last entry overlaps with its list of entries")


def _write(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, parts: tuple[str, ...], root: int, left: int
) -> int:
    """Writes a file and the folders above it; how large it was."""
    *folders, name = parts
    mode = 0o755 if (entry.external_attr >> 16) & 0o111 else 0o644
    most, size = max(SMALL, entry.compress_size * MOST_RATIO), 0
    place = _folder(root, folders)
    try:
        descriptor = os.open(name, _MADE, mode, dir_fd=place)
    finally:
        os.close(place)
    with open(descriptor, "wb") as target, archive.open(entry) as source:
        os.fchmod(descriptor, mode)
        while data := source.read(1 << 16):
            size += len(data)
            if size > most:
                raise ZipRefused(
                    f"{shown(entry.filename)} unpacks to over {MOST_RATIO} times itself"
                )
            if size > min(left, LARGEST_FILE):
                raise ZipRefused(f"unpacked it is larger than {LARGEST_TOTAL >> 20} MiB")
            target.write(data)
    if size != entry.file_size:
        raise ZipRefused(f"{shown(entry.filename)} is damaged: it ends too early")
    return size


def _folder(root: int, names: list[str]) -> int:
    """A descriptor of a folder, which is made if need be."""
    here = os.dup(root)
    for name in names:
        with suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=here)
        try:
            below = os.open(name, _FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _too_late(*_: object) -> None:
    raise ZipRefused("it takes too long to unpack")


def bind() -> None:
    """Bounds what this process may use, and for how long; too long is a refusal."""
    signal.signal(signal.SIGALRM, _too_late)
    signal.signal(signal.SIGXCPU, _too_late)
    signal.alarm(WALL_S)
    os.umask(0o022)
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        bounds = (most, most + 1)  # the soft one first: its signal says what was exceeded
        if hard != resource.RLIM_INFINITY:
            bounds = (min(most, hard), min(most + 1, hard))
        resource.setrlimit(limit, bounds)


def report_of(file: BinaryIO, root: int) -> dict[str, "str | list[str]"]:
    """Unpacks a zip; why not, under "refused" for the zip's fault and "host" for the machine's."""
    try:
        return {"left_out": unpack(file, root)}
    except ZipRefused as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": "it takes too much memory to unpack"}
    except Exception as error:  # readers of zips raise what they will: they know good ones only
        if isinstance(error, OSError) and error.errno in OUR_TROUBLE:
            return {"host": str(error.strerror)}
        return {"refused": f"it is damaged: {ascii(str(error))[:200]}"}


def main() -> None:
    """Unpacks, and says how it went."""
    bind()
    os.mkdir(FILES)
    with open(REPORT, "w", encoding="ascii") as out:
        out.write(" " * LONGEST_REPORT)  # so that there is room for it afterwards
        out.flush()
        with open(ZIP, "rb") as file:
            report = report_of(file, os.open(FILES, _FOLDER))
        out.seek(0)
        json.dump(report, out)
        out.truncate()


if __name__ == "__main__":
    main()
