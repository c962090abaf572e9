"""Bots made ready to run as plain processes: where they lie, or built in a cache of the user's.

A build runs on a copy, named by the hash of its files, so that sources stay as they are and
nothing is built twice.
"""

import os
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import trio

from referee.bots.files import copy_files
from referee.bots.find import BotSource, BotSpec, check_program
from referee.bots.held_folder import LARGEST_FOLDER
from referee.errors import RefereeError
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.folders import remove_tree

BUILD_SECONDS: Final = 300
_COMPILER_LINES: Final = 8
_TAIL_READ: Final = 16 * 1024


async def in_place(found: BotSource, builds: CopyStore) -> BotSpec:
    """Make a bot ready to run as a plain process.

    Args:
        found: the bot.
        builds: where builds are kept; that of this bot is held there.

    Raises:
        RefereeError: it cannot be started, does not build, or a stranger has submitted it.
    """
    if found.submitted:
        raise RefereeError(f"bot {found.typed!r} was submitted: it never runs without a sandbox")
    try:
        return await _in_place(found, builds)
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else str(error)
        where = getattr(error, "filename", None) or found.typed
        raise RefereeError(f"bot {found.typed!r}: {where}: {what}") from error


async def _in_place(found: BotSource, builds: CopyStore) -> BotSpec:
    folder, (program, *arguments) = found.folder, found.words
    if folder is None:
        lying = [str(found.files.get(word, word)) for word in found.words]
        program, *arguments = lying
        folder = next(iter(found.files.values())).parent
    elif found.build:
        folder = await _built(found, builds)
    located = shutil.which(str(folder / program) if "/" in program else program)
    if located is None:
        where = folder / program
        if where.is_file():
            check_program(where, found.typed)
        raise RefereeError(f"bot {found.typed!r}: bot.toml: command: no program {program!r}")
    check_program(Path(located), found.typed)
    return BotSpec(
        name=found.name,
        command=(located, *arguments),
        folder=str(folder),
        hash=found.hash,
        typed=found.typed,
        bounds=found.bounds,
    )


def cache_folder() -> Path:
    """Where builds are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "briscola-referee" / "builds"


async def _built(found: BotSource, builds: CopyStore) -> Path:
    """Return the bot's copy in the cache, with its build done; a half-done one is never seen."""
    try:
        builds.folder.mkdir(parents=True, exist_ok=True)
        final = builds.hold(found.hash)
        if final is not None:
            return final
        builds.sweep()
        scratch = builds.scratch_path()
        try:
            copy_files(found.files, scratch, found.folder)
            await _run_build(found, scratch)
            return builds.add(scratch, found.hash)
        finally:
            remove_tree(scratch)
    except OSError as error:
        raise RefereeError(
            f"bot {found.typed!r}: cannot build under {builds.folder}: {error}"
        ) from error


async def _run_build(found: BotSource, folder: Path) -> None:
    """Runs a build, and ends whatever it leaves behind; its output is bounded by the tail kept."""
    typed = found.typed
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: ASYNC220, S603  # the author's own, and it is at once
                found.build,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as error:
            # a folder of PATH that we may not read makes it a PermissionError, too
            name = found.build[0]
            denied = "/" in name and isinstance(error, PermissionError)
            what = f"{name!r} is not executable" if denied else f"no program {name!r}"
            raise RefereeError(f"bot {typed!r}: build: {what}") from error
        try:
            limit = (LARGEST_FOLDER, LARGEST_FOLDER)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
            with trio.move_on_after(BUILD_SECONDS) as waited:
                await _ended(process)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        if waited.cancelled_caught:
            raise RefereeError(f"bot {typed!r}: the build took over {BUILD_SECONDS} s")
        if code:
            raise RefereeError(build_failed(found, _tail(output)))


async def _ended(process: subprocess.Popen[bytes]) -> None:
    """Waits for the end of a process."""
    exited = os.pidfd_open(process.pid)
    try:
        await trio.lowlevel.wait_readable(exited)
    finally:
        os.close(exited)


def _tail(output: BinaryIO) -> bytes:
    output.seek(0, os.SEEK_END)
    output.seek(max(0, output.tell() - _TAIL_READ))
    return output.read()


def build_failed(found: BotSource, said: bytes) -> str:
    """What to say of a build that failed, with the end of what it said."""
    last = said.decode(errors="replace").splitlines()[-_COMPILER_LINES:]
    lines = "".join(f"\n  {line[:200]}" for line in last)
    return f"bot {found.typed!r}: the build failed: {shlex.join(found.build)}{lines}"
