"""Unpacks zips of strangers: in the sandbox, by a program with bounds of its own.

To the sandbox it is a build, whose source is the zip and whose result is what was in it: there is
no network, no file of the host's, and a bound on everything. `ladder.submissions.unzip_program`
sees to it that names and sizes are as we take them, and says why if not. Only that is read here.
"""

import os
import shlex
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.submissions import unzip_program
from ladder.submissions.bot_toml import TOML
from ladder.submissions.copy_in import HandedIn
from ladder.submissions.refusal import refusal
from ladder.submissions.unzip_program import (
    FILES,
    LARGEST_TOTAL,
    LARGEST_ZIP,
    LONGEST_REPORT,
    MOST_ENTRIES,
    REPORT,
    ZipRefused,
)
from referee.bots.files import hash_files
from referee.bots.find import BotSource
from referee.bots.settings import BuildOutput
from referee.errors import HostError, RefereeError
from referee.sandbox import Sandbox
from referee.text import printable

_PROGRAM: Final = "unzip_program.py"
_SAID_KEPT: Final = 300
"""So many letters of what the program complains of are told, the last ones."""

_PUT_ONE: Final = (
    f'put a {TOML} beside the bot\'s files, with two lines such as name = "my-bot" and '
    'command = "python3 bot.py" (SPEC 7)'
)

_OUTPUT: Final = BuildOutput(size=(LARGEST_TOTAL + 2 * LARGEST_ZIP) >> 20, files=MOST_ENTRIES + 8)
"""What the program leaves, with the zip itself, which it does not remove."""


class _Report(Struct, frozen=True):
    """Why a zip was not unpacked, for its own fault or the machine's; else what was left out."""

    refused: str = ""
    host: str = ""
    left_out: tuple[str, ...] = ()


@asynccontextmanager
async def unzipped(upload: HandedIn, sandbox: Sandbox) -> AsyncIterator[HandedIn]:
    """What was handed in as a folder, whether it was a zip or not; for as long as the block lasts.

    Args:
        upload: a zip is a file that does not change meanwhile.
        sandbox: where it is unpacked.

    Raises:
        RefereeError: the zip breaks a rule, is damaged, or holds no bot.toml.
        HostError: the machine does not let us.
    """
    if upload.zip is None:
        yield upload
        return
    source = _source_of(upload.zip, upload.typed)
    async with _built(source, sandbox) as folder:
        try:
            inside, left_out = await trio.to_thread.run_sync(taken_from, folder)
        except ZipRefused as error:
            told = f"bot {upload.typed!r}: {error}"
            if isinstance(error, _NoToml):
                told = refusal(told, f"unzip -l {shlex.quote(upload.typed)}", mend=_PUT_ONE)
            raise RefereeError(told) from error
        bot = os.path.join(upload.bot, inside.relative_to(folder / FILES))
        yield replace(upload, folder=inside, bot=bot, zip=None, left_out=left_out)


def _source_of(zip_file: Path, typed: str) -> BotSource:
    """The zip as a bot that is to be built; our program comes into its folder."""
    program = zip_file.with_name(_PROGRAM)
    shutil.copyfile(unzip_program.__file__, program)
    files = {path.name: path for path in (zip_file, program)}
    return BotSource(
        name="zip",
        words=("true",),
        files=files,
        folder=zip_file.parent.resolve(),
        hash=hash_files(files),
        typed=typed,
        build=("python3", "-I", "-S", _PROGRAM),
        submitted=True,
        build_output=_OUTPUT,
    )


@asynccontextmanager
async def _built(source: BotSource, sandbox: Sandbox) -> AsyncIterator[Path]:
    """The folder that the program leaves; if it fails, that is no fault of the zip's author."""
    async with AsyncExitStack() as stack:
        try:
            spec = await stack.enter_async_context(sandbox.temporarily(source))
        except RefereeError as error:
            words = printable(" ".join(str(error).split()))[-_SAID_KEPT:]
            raise HostError(f"cannot unpack a zip in the sandbox: {words}") from error
        yield Path(spec.folder)


def taken_from(folder: Path) -> tuple[Path, tuple[str, ...]]:
    """What the program has left.

    Args:
        folder: that it ran in.

    Returns:
        Where the bot.toml lies: at the top of the zip, or in the one folder that wraps everything;
        and the folders of which something was left out.

    Raises:
        ZipRefused: the zip breaks a rule, is damaged, or holds no bot.toml.
        HostError: the machine did not let it.
    """
    try:
        with (folder / REPORT).open("rb") as file:
            report = msgspec.json.decode(file.read(LONGEST_REPORT), type=_Report)
    except (OSError, ValueError) as error:
        raise HostError(f"the unpacker of zips says nothing that we understand: {error}") from error
    if report.host:
        raise HostError(f"cannot unpack a zip: {printable(report.host)}")
    if report.refused:
        raise ZipRefused(printable(report.refused))
    return _with_toml(folder / FILES), report.left_out


class _NoToml(ZipRefused):
    """There is no bot.toml in a zip."""


def _with_toml(folder: Path) -> Path:
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
    if not (folder / TOML).is_file():
        raise _NoToml(f"it has no {TOML}, neither at its top nor in the one folder at its top")
    return folder
