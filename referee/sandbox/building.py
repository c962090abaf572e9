"""Builds inside a sandbox: watched while they run, and taken over when nothing of them runs.

Root opens nothing where a bot can write while it looks.
"""

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from referee.bots import BotSpec, Found
from referee.builds import BUILD_SECONDS, build_failed
from referee.errors import RefereeError
from referee.folders import DEEPEST, LARGEST_FOLDER, LONGEST_PATH, MOST_FILES, OUR_TROUBLE
from referee.sandbox import BotProcess, Sandbox

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
        self._end(
            f"it made more than {2 * LARGEST_FOLDER >> 20} MiB or {2 * MOST_FILES} files, or a "
            "path that is too long"
        )

    def _end(self, why: str) -> None:
        self.why = why
        self._process.kill()


def _is_too_large(folder: Path) -> bool:
    """Whether there is twice as much as a build may leave, or more than paths can tell.

    Only looks, opens nothing.
    """
    size = count = 0
    places = [os.fspath(folder)]
    while places:  # os.walk calls itself for each level, and a build may make thousands
        try:
            with os.scandir(places.pop()) as entries:
                for entry in entries:
                    count += 1
                    with suppress(OSError):
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        places.append(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return True  # it is never taken over, and nobody can see how much lies there
        if size > 2 * LARGEST_FOLDER or count > 2 * MOST_FILES:
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
    """Copies what a build has made: files, folders and links, and nothing of any other kind.

    Args:
        built: nobody writes there any more.
        to: is made here.
        typed: how its author says the bot.

    Raises:
        RefereeError: it is too much, or something in it cannot be copied.
        OSError: the disk is full, and the like.
    """
    to.mkdir(mode=0o755)
    try:
        _copy_built(built, to, typed)
    except OSError as error:
        if error.errno in OUR_TROUBLE:
            raise
        what = os.path.relpath(error.filename or built, built)
        raise RefereeError(
            f"bot {typed!r}: what the build has made: {what!r}: {error.strerror}"
        ) from error


def _copy_built(built: Path, to: Path, typed: str) -> None:
    size = count = 0
    for place, folders, names in os.walk(built, onerror=_raise):
        inside = Path(place).relative_to(built)
        if len(inside.parts) > DEEPEST:
            raise RefereeError(f"bot {typed!r}: the build made folders more than {DEEPEST} deep")
        for name in [*folders, *names]:
            if len(os.fsencode(inside / name)) > LONGEST_PATH:
                raise RefereeError(
                    f"bot {typed!r}: the build made a path of more than {LONGEST_PATH} bytes"
                )
            source, target = Path(place) / name, to / inside / name
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
            if size > LARGEST_FOLDER or count > MOST_FILES:
                raise RefereeError(
                    f"bot {typed!r}: the build made more than 256 MiB or {MOST_FILES} files"
                )


def _raise(error: OSError) -> None:
    """What cannot be looked into is not left out without a word."""
    raise error
