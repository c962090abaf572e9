"""Unpacks zips that nobody trusts, in a process with bounds (`ladder.submissions.unzip_program`).

The process only keeps a zip from growing or hanging us: it is our own code, reads nothing but the
zip, and writes nowhere but into its folder. Here is looked at nothing but the report.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from ladder.submissions import unzip_program
from ladder.submissions.bot_toml import TOML
from ladder.submissions.unzip_program import WALL_S, ZipRefused
from referee.errors import HostError
from referee.text import printable

MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""What a zip begins with, whatever its name: an entry, or the end of one that is empty."""

_SAID_KEPT: Final = 300
"""So many bytes of what it complains of are told."""

_TOO_LONG: Final = (-signal.SIGALRM, -signal.SIGXCPU)


def unpacked(zip_file: Path, folder: Path) -> Path:
    """Unpacks a zip.

    Args:
        zip_file: a file that nobody changes meanwhile.
        folder: is made here; the caller takes it away, whatever comes of the zip.

    Returns:
        Where its bot.toml lies: there, or in the one folder that wraps everything.

    Raises:
        Refused: the zip breaks a rule, is damaged, or holds no bot.toml.
        HostError: the machine does not let us.
    """
    folder.mkdir(mode=0o700)
    code, report, said = _unpacker(zip_file, folder)
    if code in _TOO_LONG:
        raise ZipRefused("it takes too long to unpack")
    if code or report is None:
        raise HostError(f"the unpacker of zips ended with status {code}{said}")
    if "host" in report:
        raise HostError(f"cannot unpack a zip to {str(folder)!r}: {report['host']}")
    if "refused" in report:
        raise ZipRefused(report["refused"])
    return _with_toml(folder)


def _with_toml(folder: Path) -> Path:
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
    if not (folder / TOML).is_file():
        raise ZipRefused(f"it has no {TOML}, neither at its top nor in the one folder at its top")
    return folder


def _unpacker(zip_file: Path, folder: Path) -> tuple[int, dict[str, str] | None, str]:
    """Runs the unpacker.

    Returns:
        How it ended, its report if that can be understood, and its last words.
    """
    with zip_file.open("rb") as source, TemporaryFile() as complaint:
        try:
            done = subprocess.run(  # noqa: S603  # our own program
                [sys.executable, "-I", "-S", unzip_program.__file__],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=complaint,
                env={},
                cwd=folder,
                start_new_session=True,
                timeout=WALL_S + 1,  # it ends itself before
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -signal.SIGALRM, None, ""
        said = _last_words(complaint)
    try:
        return done.returncode, json.loads(done.stdout), said
    except ValueError:
        return done.returncode, None, said


def _last_words(complaint: IO[bytes]) -> str:
    """The end of what the unpacker has complained of, in one line that begins with a colon."""
    complaint.seek(max(0, complaint.seek(0, os.SEEK_END) - _SAID_KEPT - 1))
    text = complaint.read().decode(errors="replace")
    short = text if len(text) <= _SAID_KEPT else f"...{text[-_SAID_KEPT:]}"
    words = printable(" ".join(short.split()))
    return f": {words}" if words else ""
