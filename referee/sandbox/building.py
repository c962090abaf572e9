"""Builds inside a sandbox: watched while they run, and taken over when nothing of them runs.

Root opens nothing where a bot can write while it looks.
"""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from referee.botfiles import LARGEST_FOLDER
from referee.bots import BotSpec, Found
from referee.builds import BUILD_SECONDS, build_failed
from referee.errors import RefereeError
from referee.sandbox import BotProcess, Sandbox

_MOST_FILES: Final = 20_000
_DEEPEST: Final = 50
_WATCH_S: Final = 0.2
_SAID_KEPT: Final = 16 * 1024
_MOST_SAID: Final = 16 * 1024 * 1024


async def build(found: Found, spec: BotSpec, sandbox: Sandbox) -> None:
    """Runs a build to its end.

    Raises:
        RefereeError: it failed, or took too long.
    """
    process = await sandbox.launch(spec)
    watched = _Watched(process)
    try:
        process.close_stdin()
        with trio.move_on_after(BUILD_SECONDS) as waited:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(watched.listen, process.stdout)
                nursery.start_soon(watched.listen, process.stderr)
                nursery.start_soon(watched.look, Path(spec.folder))
                await trio.lowlevel.wait_readable(process.exited_fd)
                await trio.sleep(0.01)  # for its last words
                nursery.cancel_scope.cancel()
        if waited.cancelled_caught:
            raise RefereeError(f"bot {found.typed!r}: the build took over {BUILD_SECONDS} s")
        if process.out_of_memory():
            watched.why = "it wanted more memory than a build may have"
        if process.status() != "exit status 0":
            why = f"\n({watched.why})" if watched.why else ""
            raise RefereeError(build_failed(found, bytes(watched.said) + why.encode()))
    finally:
        process.kill()
        process.release()


class _Watched:
    """A build while it runs.

    Attributes:
        said: the end of what it said.
        why: why it was ended; "" if it was not.
    """

    def __init__(self, process: BotProcess) -> None:
        """It has said nothing yet."""
        self.said = bytearray()
        self.why = ""
        self._process = process
        self._heard = 0

    async def listen(self, descriptor: int) -> None:
        """Hears one of its streams, until it ends or has said too much."""
        while True:
            await trio.lowlevel.wait_readable(descriptor)
            try:
                data = os.read(descriptor, 65536)
            except BlockingIOError:
                continue
            if not data:
                return
            self._heard += len(data)
            self.said += data
            del self.said[:-_SAID_KEPT]
            if self._heard > _MOST_SAID:
                self._end(f"it said more than {_MOST_SAID >> 20} MiB")
                return

    async def look(self, folder: Path) -> None:
        """Ends it when it fills the disk: what it made is too large to be taken over then."""
        while True:
            await trio.sleep(_WATCH_S)
            if await trio.to_thread.run_sync(_is_too_large, folder):
                break
        self._end(f"it made more than {2 * LARGEST_FOLDER >> 20} MiB or {2 * _MOST_FILES} files")

    def _end(self, why: str) -> None:
        self.why = why
        self._process.kill()


def _is_too_large(folder: Path) -> bool:
    """Whether there is twice as much as a build may leave; only looks, opens nothing."""
    size = count = 0
    places = [os.fspath(folder)]
    while places:  # os.walk calls itself for each level, and a build may make thousands
        with suppress(OSError), os.scandir(places.pop()) as entries:
            for entry in entries:
                count += 1
                with suppress(OSError):
                    size += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    places.append(entry.path)
        if size > 2 * LARGEST_FOLDER or count > 2 * _MOST_FILES:
            return True
    return False


def hand_over(folder: Path, uid: int) -> None:
    """Gives a folder, in which nobody works yet, to the user who will build in it.

    Raises:
        OSError: that is not ours to do.
    """
    os.chown(folder.parent, -1, uid)
    folder.parent.chmod(0o710)  # and nobody else can come to what it makes
    os.chown(folder, uid, uid, follow_symlinks=False)
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(Path(place) / name, uid, uid, follow_symlinks=False)


def take_over(built: Path, to: Path, typed: str) -> None:
    """Copies what a build has made: files, folders and links, and nothing of any other kind."""
    size = count = 0
    to.mkdir(mode=0o755)
    for place, folders, names in os.walk(built):
        if len(Path(place).relative_to(built).parts) > _DEEPEST:
            raise RefereeError(f"bot {typed!r}: the build made folders more than {_DEEPEST} deep")
        here = to / Path(place).relative_to(built)
        for name in [*folders, *names]:
            source, target = Path(place) / name, here / name
            status, count = source.lstat(), count + 1
            if stat.S_ISLNK(status.st_mode):
                target.symlink_to(source.readlink())
            elif stat.S_ISDIR(status.st_mode):
                target.mkdir(mode=0o755)
            elif stat.S_ISREG(status.st_mode):
                size += status.st_size
                if size <= LARGEST_FOLDER:
                    shutil.copyfile(source, target, follow_symlinks=False)
                    target.chmod(0o755 if status.st_mode & 0o111 else 0o644)
            if size > LARGEST_FOLDER or count > _MOST_FILES:
                raise RefereeError(
                    f"bot {typed!r}: the build made more than 256 MiB or {_MOST_FILES} files"
                )
