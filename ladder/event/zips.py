"""Bots of an event that are zips: each is unpacked once, in a sandbox, beside the event's log."""

import shutil
from collections.abc import Callable
from pathlib import Path

import trio

from ladder.submissions.copy_in import MAGIC, taken
from ladder.submissions.frozen_bots import BOTS, scratch
from ladder.submissions.unzip import unzipped
from referee.bots.files import hash_file
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError
from referee.record.opened import opened
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.whole_file import sync_folder

Unzip = Callable[[str, SandboxName], str]
"""Returns what is to be found in the place of a bot: the folder of a zip, else the same path.

Raises:
    RefereeError: the zip breaks a rule, or cannot be unpacked here.
"""


def as_it_is(path: str, _: SandboxName) -> str:
    """Return the same path: a zip is no bot where nothing is unpacked."""
    return path


def unzip_to(folder: Path, settings: Settings) -> Unzip:
    """Return what unpacks zips into the folder of an event.

    Args:
        folder: of the event; made if need be.
        settings: what the organiser allows.
    """

    def unzip(path: str, sandbox: SandboxName) -> str:
        if not _is_zip(Path(path)):
            return path
        if sandbox is SandboxName.BARE:
            raise RefereeError(
                f"bot {path!r}: what a zip has in it runs in a sandbox only; unpack it yourself, "
                "and name the folder"
            )
        to = folder.absolute() / BOTS / hash_file(Path(path))  # as a ladder's, so known as theirs
        if not to.exists():
            trio.run(_unzip, path, to, sandbox, settings)
        return str(to)

    return unzip


def _is_zip(path: Path) -> bool:
    try:
        with opened(path, "bot") as file:
            return file.read(4) in MAGIC
    except OSError:
        return False  # a folder, or nothing: who looks for the bot says it


async def _unzip(path: str, to: Path, name: SandboxName, settings: Settings) -> None:
    """Unpack a zip under its name, which is its hash, whole or not at all."""
    async with opened_for(name, (), settings, strangers=True) as sandbox:
        try:
            with scratch(to.parent) as place:
                upload = await trio.to_thread.run_sync(taken, path, place, settings, ())
                if upload.source != to.name:  # it would be kept as another's bot
                    raise RefereeError(f"bot {path!r}: it was changed while it was being unpacked")
                async with unzipped(upload, sandbox) as inside:
                    made = place / "whole"
                    await trio.to_thread.run_sync(shutil.copytree, inside.folder, made)
                made.rename(to)
                sync_folder(to.parent)
        except OSError as error:
            raise HostError(f"bot {path!r}: {error.strerror}") from error
