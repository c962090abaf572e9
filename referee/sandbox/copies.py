"""Bots run from a copy, named by the hash of their files, which neither they nor we write to again.

Root never opens a file where a bot can write: what a build has made comes as an archive.
"""

import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

from referee.bots.files import copy_files, hash_file, hash_files
from referee.bots.find import BotSource, BotSpec
from referee.bots.held_folder import OUR_TROUBLE
from referee.bots.real_path import real_path
from referee.bots.runnable import View, why_not
from referee.errors import RefereeError, SandboxError
from referee.sandbox import Sandbox
from referee.sandbox.build import build, build_command
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.folders import SandboxFolders, own_store, remove_tree

BOT_FOLDER: Final = "/bot"
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def search_path(toolchains: Iterable[str]) -> str:
    """The PATH of bots: the programs of the toolchains, then those of the system."""
    folders = [os.path.join(folder, "bin") for folder in toolchains]
    own = [bin_ if os.path.isdir(bin_) else os.path.dirname(bin_) for bin_ in folders]
    return ":".join((*own, _SYSTEM_PATH))


class Copies:
    """The copies that one sandbox runs bots from."""

    def __init__(self, folders: SandboxFolders) -> None:
        """Makes the folder.

        Raises:
            SandboxError: it cannot be made, or is not ours alone.
        """
        self._folders = folders
        self._store = CopyStore(own_store(folders.store), folders.settings.copies)
        toolchains = folders.settings.toolchains
        self._view = View(search_path(toolchains), ("/usr", "/bin", "/sbin", *toolchains))

    async def prepare(self, found: BotSource, sandbox: Sandbox) -> BotSpec:
        """Return the copy of a bot, built in the sandbox if it is not there yet.

        No process removes it until `release` or `close`.

        Raises:
            RefereeError: it does not build, or its program cannot be run.
            SandboxError: the copy cannot be made.
        """
        digest = _name_of(found)
        name = f"{digest}-built" if found.build else digest
        with self._telling():
            final = self._store.hold(name)
            if final is None:
                with self._scratch() as scratch:
                    made = await self._make(found, digest, scratch, sandbox)
                    final = self._store.add(made, name)
        try:
            return self._spec(found, final)
        except BaseException:
            self._store.release(name)
            raise

    @asynccontextmanager
    async def temporarily(self, found: BotSource, sandbox: Sandbox) -> AsyncIterator[BotSpec]:
        """Make a copy of a bot that no other shares, and remove it when the block is left.

        Should this process be killed, the next referee removes it.

        Args:
            found: the bot.
            sandbox: where it is built.

        Raises:
            RefereeError: as `prepare` has it.
            SandboxError: likewise.
        """
        digest, copy = _name_of(found), self._store.scratch_path()
        try:
            with self._telling(), self._scratch() as scratch:
                (await self._make(found, digest, scratch, sandbox)).rename(copy)
            yield self._spec(found, copy)
        finally:
            remove_tree(copy)

    def hold(self, bot: BotSpec) -> bool:
        """Use the copy of a bot that was prepared before, as `prepare` does; whether it is there.

        Raises:
            SandboxError: the disk does not let us.
        """
        with self._telling():
            return self._store.hold(Path(bot.folder).name) is not None

    def release(self, bot: BotSpec) -> None:
        """Let go of the copy of a bot: it may be removed from now on."""
        self._store.release(Path(bot.folder).name)

    def close(self) -> None:
        """Let go of all copies."""
        self._store.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Make one error of the kind that callers expect of what the disk says."""
        try:
            yield
        except OSError as error:
            raise SandboxError(f"cannot copy a bot to {self._store.folder}: {error}") from error

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        """Yield a folder for what is not done yet; the next referee removes what we leave there."""
        folder = self._store.scratch_path()
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            remove_tree(folder)

    async def _make(self, found: BotSource, digest: str, scratch: Path, sandbox: Sandbox) -> Path:
        """Copy a bot, build the copy if need be, and take away the right to write to it."""
        source = self._copied(found, digest, scratch)
        if found.build:
            spec, source = self._build_spec(found, source), scratch / "built"
            await build(found, spec, source, sandbox)
        _seal(source)
        return source

    def _copied(self, found: BotSource, digest: str, scratch: Path) -> Path:
        if found.build and not found.image and not _is_program(found.build[0], found, self._view):
            raise RefereeError(
                f"bot {found.typed!r}: build: no program {found.build[0]!r} in the sandbox: it has "
                "what is in /usr, and the toolchains of settings.toml"
            )
        source = scratch / "source"
        changed = RefereeError(f"bot {found.typed!r}: it was changed while it was being prepared")
        try:
            copy_files(found.files, source, found.folder)
        except ValueError as error:
            raise RefereeError(f"bot {found.typed!r}: {error}") from error
        except OSError as error:
            if error.errno in OUR_TROUBLE:
                raise
            raise changed from error
        source.chmod(0o755)
        copied = {name: source / name for name in found.files}
        alone = None if found.folder else hash_file(next(iter(copied.values())))
        if hash_files(copied) != digest or alone not in (None, found.hash):
            raise changed
        return source

    def _build_spec(self, found: BotSource, source: Path) -> BotSpec:
        return BotSpec(
            name=f"build of {found.name}",
            command=build_command(found.build),
            folder=str(source),
            hash=found.hash,
            typed=found.typed,
            bounds=self._folders.settings.build,
            image=found.image,
            submitted=found.submitted,
            is_build=True,
            idle=True,
        )

    def _spec(self, found: BotSource, folder: Path) -> BotSpec:
        program, *rest = found.words
        if program == sys.executable:  # our own Python, which is not the sandbox's
            program = "python3"
        elif found.folder is None:
            program = f"./{program}"
        if "/" in program and not found.image:
            if not self._holds(folder, program):
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
            submitted=found.submitted,
        )

    def _holds(self, folder: Path, program: str) -> bool:
        """Whether a bot has a program where it can see it: a build leaves links as it likes."""
        if "\0" in program:
            return False
        try:
            real = real_path(folder / program)
        except OSError:
            return False
        inside = real.is_relative_to(real_path(folder)) or self._view.reaches(str(real))
        return inside and os.path.isfile(real)


def _is_program(word: str, found: BotSource, view: View) -> bool:
    """Whether there is a program of this name, in the bot's own folder or where all bots look."""
    return word.removeprefix("./") in found.files or view.finds(word)


def _name_of(found: BotSource) -> str:
    """The hash that names a copy: of a folder the bot's own, else over its files and their names.

    Raises:
        RefereeError: a file cannot be read.
    """
    try:
        return found.hash if found.folder else hash_files(found.files)
    except (OSError, ValueError) as error:
        raise RefereeError(f"bot {found.typed!r}: {error}") from error


def _seal(folder: Path) -> None:
    """Takes away the right to write, so that no copy is changed by mistake."""
    for parent, folders, names in os.walk(folder):
        for name in names:
            path = Path(parent) / name
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & 0o111 else 0o444)
        for name in folders:
            path = Path(parent) / name
            if not path.is_symlink():
                path.chmod(0o755)
    folder.chmod(0o755)
