"""Bots run from a copy, named by the hash of their files, which neither they nor we write to again.

Root never opens a file where a bot can write while it looks: a build's folder is read only when
all of its processes are gone, and links in it are copied as links.
"""

import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import trio

from referee.bots import LARGEST_FOLDER, BotSpec, Found, hash_files
from referee.builds import BUILD_SECONDS, build_failed, copy_files
from referee.errors import RefereeError, SandboxError
from referee.programs import View, why_not
from referee.sandbox import BotProcess, Sandbox
from referee.sandbox.place import Place, own_folder

BOT_FOLDER: Final = "/bot"
_MOST_FILES: Final = 20_000
_SAID_KEPT: Final = 16 * 1024
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def search_path(toolchains: Iterable[str]) -> str:
    """The PATH of bots: the programs of the toolchains, then those of the system."""
    folders = [os.path.join(folder, "bin") for folder in toolchains]
    own = [bin_ if os.path.isdir(bin_) else os.path.dirname(bin_) for bin_ in folders]
    return ":".join((*own, _SYSTEM_PATH))


class Copies:
    """The copies that one sandbox runs bots from."""

    def __init__(self, place: Place) -> None:
        """Makes the folder.

        Raises:
            SandboxError: it cannot be made, or is not ours alone.
        """
        self._place = place
        self._store = own_folder(place.store, 0o755)
        toolchains = place.settings.toolchains
        self._view = View(search_path(toolchains), ("/usr", "/bin", "/sbin", *toolchains))

    async def prepare(self, found: Found, sandbox: Sandbox) -> BotSpec:
        """The copy of a bot, built in the sandbox if it is not there yet.

        Raises:
            RefereeError: it does not build, or its program cannot be run.
            SandboxError: the copy cannot be made.
        """
        digest = found.hash if found.folder else hash_files(found.files, found.typed)
        final = self._store / (f"{digest}-built" if found.build else digest)
        if not final.is_dir():
            with self._scratch() as scratch:
                made = await self._make(found, scratch, sandbox)
                _seal(made)
                try:
                    made.rename(final)
                except OSError:
                    if not final.is_dir():  # else somebody made the same at the same time
                        raise
        return self._spec(found, final)

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """A folder for what is not done yet; what a dead referee left there is taken away."""
        folder = self._store / f".{self._place.run}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(mode=0o711)
            yield folder
        except OSError as error:
            raise SandboxError(f"cannot copy a bot to {self._store}: {error}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _make(self, found: Found, scratch: Path, sandbox: Sandbox) -> Path:
        if found.build and not found.image and not _is_program(found.build[0], found, self._view):
            raise RefereeError(f"bot {found.typed!r}: build: no program {found.build[0]!r}")
        source = scratch / "source"
        copy_files(found.files, source)
        source.chmod(0o755)
        if not found.build:
            return source
        spec = BotSpec(
            name=f"build of {found.name}",
            command=found.build,
            folder=str(source),
            hash=found.hash,
            typed=found.typed,
            bounds=self._place.settings.build,
            image=found.image,
            writable=True,
        )
        await _build(found, spec, sandbox)
        _take_over(source, scratch / "built", found.typed)
        return scratch / "built"

    def _spec(self, found: Found, folder: Path) -> BotSpec:
        program, *rest = found.words
        if program == sys.executable:  # our own Python, which is not the sandbox's
            program = "python3"
        elif found.folder is None:
            program = f"./{program}"
        if "/" in program and not found.image:
            if not (folder / program).is_file():
                raise RefereeError(
                    f"bot {found.typed!r}: bot.toml: command: no program {program!r}"
                )
            problem = why_not(folder / program, self._view)
            if problem is not None:
                raise RefereeError(f"bot {found.typed!r} cannot be run: {problem}")
        elif not found.image and not self._view.finds(program):
            raise RefereeError(
                f"bot {found.typed!r}: the sandbox has no program {program!r}: it has what is in "
                "/usr, and the toolchains of settings.toml"
            )
        return BotSpec(
            name=found.name,
            command=(program, *rest),
            folder=str(folder),
            hash=found.hash,
            typed=found.typed,
            bounds=found.bounds,
            image=found.image,
        )


def _is_program(word: str, found: Found, view: View) -> bool:
    """Whether there is a program of this name, in the bot's own folder or where all bots look."""
    return word.removeprefix("./") in found.files or view.finds(word)


async def _build(found: Found, spec: BotSpec, sandbox: Sandbox) -> None:
    """Runs a build to its end.

    Raises:
        RefereeError: it failed, or took too long.
    """
    process = await sandbox.launch(spec)
    try:
        process.close_stdin()
        said = bytearray()
        with trio.move_on_after(BUILD_SECONDS) as waited:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_listen, process, process.stdout, said)
                nursery.start_soon(_listen, process, process.stderr, said)
                await trio.lowlevel.wait_readable(process.exited_fd)
                await trio.sleep(0.01)  # for its last words
                nursery.cancel_scope.cancel()
        if waited.cancelled_caught:
            raise RefereeError(f"bot {found.typed!r}: the build took over {BUILD_SECONDS} s")
        if process.out_of_memory():
            said += b"\n(it wanted more memory than a build may have)"
        if process.status() != "exit status 0":
            raise RefereeError(build_failed(found, bytes(said)))
    finally:
        process.kill()
        process.release()


async def _listen(process: BotProcess, descriptor: int, said: bytearray) -> None:
    while True:
        await trio.lowlevel.wait_readable(descriptor)
        try:
            data = os.read(descriptor, 65536)
        except BlockingIOError:
            continue
        if not data:
            return
        said += data
        del said[:-_SAID_KEPT]


def hand_over(folder: Path, uid: int) -> None:
    """Gives a folder, in which nobody works yet, to the user who will build in it.

    Raises:
        OSError: that is not ours to do.
    """
    os.chown(folder, uid, uid, follow_symlinks=False)
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(Path(place) / name, uid, uid, follow_symlinks=False)


def _take_over(built: Path, to: Path, typed: str) -> None:
    """Copies what a build has made: files, folders and links, and nothing of any other kind."""
    size = count = 0
    to.mkdir(mode=0o755)
    for place, folders, names in os.walk(built):
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


def _seal(folder: Path) -> None:
    """Takes away the right to write, so that nobody changes a copy by mistake."""
    for place, folders, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & 0o111 else 0o444)
        for name in folders:
            path = Path(place) / name
            if not path.is_symlink():
                path.chmod(0o755)
    folder.chmod(0o755)
