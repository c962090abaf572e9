"""Bots run from a copy, named by the hash of their files, which neither they nor we write to again.

Root never opens a file where a bot can write while it looks: a build's folder is read only when
all of its processes are gone, and links in it are copied as links.
"""

import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from referee.botfiles import copy_files, hash_file, hash_files
from referee.bots import BotSpec, Found
from referee.errors import RefereeError, SandboxError
from referee.folders import OUR_TROUBLE
from referee.programs import View, why_not
from referee.sandbox import Sandbox
from referee.sandbox.building import build, take_over
from referee.sandbox.place import Place, own_folder, remove_tree

BOT_FOLDER: Final = "/bot"
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
        digest = _name_of(found)
        final = self._store / (f"{digest}-built" if found.build else digest)
        if not final.is_dir():
            with self._scratch() as scratch:
                made = await self._make(found, digest, scratch, sandbox)
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
            folder.mkdir(mode=0o700)
            yield folder
        except OSError as error:
            raise SandboxError(f"cannot copy a bot to {self._store}: {error}") from error
        finally:
            remove_tree(folder)

    async def _make(self, found: Found, digest: str, scratch: Path, sandbox: Sandbox) -> Path:
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
            submitted=found.submitted,
            writable=True,
        )
        await build(found, spec, sandbox)
        take_over(source, scratch / "built", found.typed)
        return scratch / "built"

    def _spec(self, found: Found, folder: Path) -> BotSpec:
        program, *rest = found.words
        if program == sys.executable:  # our own Python, which is not the sandbox's
            program = "python3"
        elif found.folder is None:
            program = f"./{program}"
        if "/" in program and not found.image:
            if not os.path.isfile(folder / program):
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


def _is_program(word: str, found: Found, view: View) -> bool:
    """Whether there is a program of this name, in the bot's own folder or where all bots look."""
    return word.removeprefix("./") in found.files or view.finds(word)


def _name_of(found: Found) -> str:
    """The hash that names a copy: of a folder the bot's own, else over its files and their names.

    Raises:
        RefereeError: a file cannot be read.
    """
    try:
        return found.hash if found.folder else hash_files(found.files)
    except (OSError, ValueError) as error:
        raise RefereeError(f"bot {found.typed!r}: {error}") from error


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
