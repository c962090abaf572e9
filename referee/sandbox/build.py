"""Builds inside a sandbox: in a folder of memory with a bound, and taken over as an archive.

The disk sees nothing of a build but what it leaves, counted while it comes. Root opens nothing
where a build can write.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from referee.bots.find import BotSource, BotSpec
from referee.bots.held_folder import LARGEST_FOLDER, MOST_FILES
from referee.errors import HostError, RefereeError
from referee.sandbox import UNKNOWN_STATUS, BotProcess, Sandbox
from referee.sandbox.build_archive import Unpacker
from referee.sandbox.build_cache import BUILD_SECONDS, build_failed
from referee.sandbox.procfs import children

SOURCE_FOLDER: Final = "/source"
"""Where a build sees its sources; it cannot write there."""

FOLDER_MIB: Final = 2 * LARGEST_FOLDER >> 20
"""MiB that a build's folder can hold, whether what lies there has a name or not."""

FOLDER_FILES: Final = 2 * MOST_FILES
"""Files, links and folders that a build's folder can hold, those without a name included."""

_SCRIPT: Final = (
    "while read -r _; do :; done; exec 3>&1 >&2; "
    f'cp -R {SOURCE_FOLDER}/. . && (exec "$@" 3>&-) || exit; '
    "TAR_OPTIONS=--format=gnu tar -cf - . >&3 3>&-"
)
"""Once its input ends: the sources go into the folder, the build runs, an archive comes out.

It runs in a shell of its own: where its name is a word of the shell, that could change this one.
"""

_WATCH_S: Final = 0.05
_SAID_KEPT: Final = 16 * 1024
_MOST_SAID: Final = 16 * 1024 * 1024
_IN_MEMORY: Final = ("bot", "tmp", "dev/shm")


def build_command(build: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a sandbox runs for a build: in its folder, with the sources beside it."""
    return ("/bin/sh", "-c", _SCRIPT, "sh", *build)


async def build(found: BotSource, spec: BotSpec, to: Path, sandbox: Sandbox) -> None:
    """Run a build to its end, and unpack what it has made.

    Args:
        found: the bot; says how much its build may leave.
        spec: the build; its folder has the sources.
        to: is made here.
        sandbox: where it runs.

    Raises:
        RefereeError: it failed, took too long, or left too much.
        HostError: it is not known how it has ended.
        OSError: the disk is full, and the like.
    """
    process = await sandbox.launch(spec)
    watched = _Watched(process)
    try:
        unpacker = Unpacker(to, found)
        process.close_stdin()
        with trio.move_on_after(BUILD_SECONDS) as waited:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watched.listen)
                nursery.start_soon(watched.look)
                await watched.receive(unpacker)
                await trio.lowlevel.wait_readable(process.exited_fd)
                await trio.sleep(0.01)  # for its last words
                nursery.cancel_scope.cancel()
        if watched.refusal is not None:
            raise watched.refusal
        if waited.cancelled_caught:
            raise RefereeError(f"bot {found.typed!r}: the build took over {BUILD_SECONDS} s")
        if process.out_of_memory():
            watched.why = "it wanted more memory than a build may have"
        if process.status() == UNKNOWN_STATUS and not watched.why:
            raise HostError(f"bot {found.typed!r}: it is not known how its build has ended")
        if process.status() != "exit status 0" or not unpacker.is_complete:
            why = f"\n({watched.why})" if watched.why else ""
            raise RefereeError(build_failed(found, bytes(watched.said) + why.encode()))
    finally:
        process.kill()
        process.release()


class _Watched:
    """A build while it runs.

    Attributes:
        said: the end of what it said.
        why: why it was ended, or failed; "" if we know of nothing.
        refusal: what was wrong with what it left, if anything.
    """

    def __init__(self, process: BotProcess) -> None:
        """It has said nothing yet."""
        self.said = bytearray()
        self.why = ""
        self.refusal: Exception | None = None
        self._process = process
        self._heard = 0

    async def listen(self) -> None:
        """Hear what it says, until that ends or is too much."""
        while data := await _read(self._process.stderr):
            self._heard += len(data)
            self.said += data
            del self.said[:-_SAID_KEPT]
            if self._heard > _MOST_SAID:
                self._end(f"it said more than {_MOST_SAID >> 20} MiB")
                return

    async def receive(self, unpacker: Unpacker) -> None:
        """Unpack what it has made, until that ends or is refused."""
        try:
            while data := await _read(self._process.stdout):
                unpacker.feed(data)
        except (RefereeError, OSError) as error:
            self.refusal = error
            self._process.kill()
        finally:
            unpacker.close()

    async def look(self) -> None:
        """End it when it has more files than it may, where its folder itself has no such bound."""
        while True:
            await trio.sleep(_WATCH_S)
            files, is_full = _in_memory(self._process.pid)
            if is_full and not self.why:
                self.why = (
                    f"its folder can hold {FOLDER_MIB} MiB and {FOLDER_FILES:,} files, and was full"
                )
            if files > FOLDER_FILES:
                self._end(f"it made more than {FOLDER_FILES:,} files")
                return

    def _end(self, why: str) -> None:
        self.why = why
        self._process.kill()


async def _read(descriptor: int) -> bytes:
    """Return what comes next; nothing at the end."""
    while True:
        await trio.lowlevel.wait_readable(descriptor)
        with suppress(BlockingIOError):
            return os.read(descriptor, 65536)


def _in_memory(pid: int) -> tuple[int, bool]:
    """Count the files in the memory of a sandbox, those without a name included.

    Args:
        pid: of a process whose child is inside.

    Returns:
        How many there are, 0 where we cannot look; and whether the build's folder is full.
    """
    files, is_full = 0, False
    for inside in children(pid):
        with suppress(OSError):
            for name in _IN_MEMORY:
                status = os.statvfs(f"/proc/{inside}/root/{name}")
                files += status.f_files - status.f_ffree
                if name == "bot":
                    is_full |= not status.f_bavail or (status.f_files > 0 and not status.f_ffree)
    return files, is_full


def show_sources(folder: Path, uid: int) -> None:
    """Let the user who builds, and no other, come to a folder with sources; it stays ours.

    Raises:
        OSError: that is not ours to do.
    """
    os.chown(folder.parent, -1, uid)
    folder.parent.chmod(0o710)
