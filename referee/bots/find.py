"""From what a person types to what can be started: a file, a folder, or a sample."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.bots.files import hash_file, hash_files
from referee.bots.held_folder import OUR_TROUBLE, HeldFolder
from referee.bots.runnable import HERE, why_not
from referee.bots.settings import Bounds, BuildOutput, Settings, Wish
from referee.errors import HostError, RefereeError
from referee.text import printable

SAMPLES: Final = Path(__file__).parent.parent.parent / "sample_bots"
LARGEST_TOML: Final = 16 * 1024
"""So many bytes has a bot.toml at most."""

HANDED_IN: Final = "bots"
"""The folder in which ladders and events keep what strangers hand in, each under its hash."""

_OF_STRANGERS: Final = re.compile(f"/{HANDED_IN}/[0-9a-f]{{64}}(/|$)")
_PREFIX: Final = "sample:"
_TOML: Final = "bot.toml"
_ACTIONS: Final = "actions"
_ZIP: Final = b"PK\x03\x04"


class BotSpec(Struct, frozen=True):
    """A bot that can be started where it was prepared for.

    Attributes:
        command: the program and its arguments, as they are called in the place where it runs.
        folder: the host's folder that it runs in, or that becomes /bot.
        hash: SHA-256 over what was submitted.
        image: the container image it wants, or nothing for the usual one.
        submitted: whether a stranger handed it in; such a bot never runs bare.
        is_build: whether it is a build: its folder has the sources, it works in another.
        idle: whether it leaves the processor to bots that play: a build or a trial.
    """

    name: str
    command: tuple[str, ...]
    folder: str
    hash: str
    typed: str
    bounds: Bounds = Bounds()
    image: str = ""
    submitted: bool = False
    is_build: bool = False
    idle: bool = False


class Doubt(Struct, frozen=True):
    """Why a bot is not run without a sandbox unless the user asks for that.

    Attributes:
        why: a clause of a message.
        mend: the command that removes the reason, or "" where only a sandbox helps.
    """

    why: str
    mend: str = ""


class BotSource(Struct, frozen=True):
    """A bot as it was found, before it is built or copied.

    Attributes:
        words: the command; a word that is a key of `files` is that file.
        files: what belongs to it, by the name in its own folder.
        folder: the folder that it lives in, or None where the files lie apart.
        build: the command that makes it, or nothing.
        submitted: whether a stranger handed it in; such a bot is never built or run bare.
        build_output: what its build may leave.
    """

    name: str
    words: tuple[str, ...]
    files: Mapping[str, Path]
    folder: Path | None
    hash: str
    typed: str
    build: tuple[str, ...] = ()
    bounds: Bounds = Bounds()
    image: str = ""
    sample: bool = False
    submitted: bool = False
    build_output: BuildOutput = BuildOutput()

    def doubt(self) -> Doubt | None:
        """Return why a person other than the user may have written this bot, or None for no reason.

        As root no file counts as the user's own: its owner says nothing of who wrote it.
        """
        if self.sample:
            return None
        if os.geteuid() == 0:
            return Doubt("it would run as root")
        for path in self.files.values():
            status = path.stat()
            if status.st_uid != os.geteuid():
                return Doubt(f"another user owns {str(path)!r}")
            if status.st_mode & 0o002:
                chmod = f"chmod o-w {shlex.quote(str(path))}"
                return Doubt(f"any user may change {str(path)!r}", chmod)
        return None


class BotToml(Struct, frozen=True, forbid_unknown_fields=True):
    """The file `bot.toml` of a bot's folder."""

    name: str
    command: str
    build: str = ""
    language: str = ""
    image: str = ""
    limits: Wish = Wish()


def sample_names() -> tuple[str, ...]:
    """What can follow `sample:`."""
    single = (path.stem.removesuffix("_bot") for path in SAMPLES.glob("*_bot.py"))
    folders = (path.parent.name for path in SAMPLES.glob(f"*/{_TOML}"))
    return tuple(sorted((*single, *folders)))


def is_handed_in(path: str) -> bool:
    """Whether a file or folder lies where a ladder or an event keeps what strangers handed in.

    By its name, should that folder be a link, and by where links lead.
    """
    places = os.path.abspath(path), os.path.realpath(path)
    return any(_OF_STRANGERS.search(place) for place in places)


def find(typed: str, settings: Settings) -> BotSource:
    """Finds a bot.

    Raises:
        RefereeError: it is missing, cannot be run on this machine, or wants more than it may have.
        HostError: the disk does not let us look, which may pass.
    """
    try:
        found = _find(typed, settings)
        handed_in = not found.sample and is_handed_in(typed)
        return msgspec.structs.replace(found, submitted=handed_in)
    except (OSError, ValueError, RecursionError) as error:
        what = error.strerror if isinstance(error, OSError) else str(error)
        where = getattr(error, "filename", None) or typed
        place = "" if where == typed else f"{where}: "
        ours = isinstance(error, OSError) and error.errno in OUR_TROUBLE
        kind = HostError if ours else RefereeError
        raise kind(f"bot {typed!r}: {printable(f'{place}{what}')}") from error


def _find(typed: str, settings: Settings) -> BotSource:
    if typed.startswith(_PREFIX):
        return _sample(typed, settings)
    path = Path(typed)
    if path.is_dir():
        return _folder(path, typed, settings)
    if not path.exists():
        raise RefereeError(
            f"bot {typed!r}: there is no such file or folder (samples are written sample:NAME)"
        )
    if not path.is_file():
        raise RefereeError(f"bot {typed!r} is neither a file nor a folder")
    path = path.resolve()
    os.fsencode(path).decode()  # a name that is no text cannot be recorded
    _check_no_zip(path, typed)
    check_program(path, typed)
    return BotSource(
        name=path.stem,
        words=(path.name,),
        files={path.name: path},
        folder=None,
        hash=hash_file(path),
        typed=typed,
        bounds=settings.default,
    )


def is_alone(typed: str) -> bool:
    """Whether a bot is a program in a file of its own: no folder, no zip of one, no sample."""
    try:
        with open(typed, "rb") as file:
            return file.read(4) != _ZIP
    except (OSError, ValueError):
        return False


def _check_no_zip(path: Path, typed: str) -> None:
    with path.open("rb") as file:
        if file.read(4) == _ZIP:
            raise RefereeError(
                f"bot {typed!r} is a zip: unpack it and name the folder "
                "(`referee submit` takes it as it is)"
            )
    if path.suffix.lower() == ".zip":
        raise RefereeError(f"bot {typed!r}: it is no zip, whatever its name says")


def check_program(path: Path, typed: str) -> None:
    """Looks whether a bot's program can be run at all.

    Raises:
        RefereeError: saying which file cannot, and why.
    """
    problem = why_not(path, HERE)
    if problem is not None:
        which = "" if Path(typed).resolve() == path else f": {str(path)!r}"
        raise RefereeError(f"bot {typed!r}{which} cannot be run: {problem}")


def _sample(typed: str, settings: Settings) -> BotSource:
    name, _, argument = typed.removeprefix(_PREFIX).partition("=")
    if name not in sample_names():
        raise RefereeError(f"no sample bot {name!r}; there are {', '.join(sample_names())}")
    if (SAMPLES / name).is_dir():
        found = _folder(SAMPLES / name, typed, settings)
        return msgspec.structs.replace(found, sample=True)
    script = SAMPLES / f"{name}_bot.py"
    words, files = [sys.executable, "-I", script.name], {script.name: script}
    if name == "script":
        if not argument:
            raise RefereeError(f"bot {typed!r}: write sample:script=FILE with a file of actions")
        if not Path(argument).is_file():
            raise RefereeError(f"bot {typed!r}: there is no such file {argument!r}")
        words.append(_ACTIONS)
        files[_ACTIONS] = Path(argument).resolve()
    elif argument:
        raise RefereeError(f"bot {typed!r}: the sample {name} takes no argument")
    return BotSource(
        name=name,
        words=tuple(words),
        files=files,
        folder=None,
        hash=hash_file(script),
        typed=typed,
        bounds=settings.default,
        sample=True,
    )


def _folder(folder: Path, typed: str, settings: Settings) -> BotSource:
    with HeldFolder(folder.resolve()) as held:
        toml = held.path / _TOML
        if toml.is_symlink() or not toml.is_file():
            raise RefereeError(f"bot {typed!r}: the folder has no {_TOML} (name, command, build)")
        wanted = _read_toml(held, typed)
        try:
            bounds = settings.grant(wanted.limits)
        except RefereeError as error:
            raise RefereeError(f"bot {typed!r}: {_TOML}: {error}") from error
        if wanted.image and wanted.image not in settings.images:
            raise RefereeError(
                f"bot {typed!r}: image {wanted.image!r} is not among those of settings.toml"
            )
        files = held.files()
        digest = hash_files(files, held)
    return BotSource(
        name=wanted.name[:64],
        words=tuple(shlex.split(wanted.command)),
        files=files,
        folder=held.path,
        hash=digest,
        typed=typed,
        build=tuple(shlex.split(wanted.build)),
        bounds=bounds,
        image=wanted.image,
    )


def _read_toml(folder: HeldFolder, typed: str) -> BotToml:
    with folder.opened(_TOML) as file:
        text = file.read(LARGEST_TOML + 1)
    if len(text) > LARGEST_TOML:
        raise RefereeError(f"bot {typed!r}: {_TOML} has more than {LARGEST_TOML} bytes")
    try:
        wanted = msgspec.toml.decode(text, type=BotToml)
        shlex.split(wanted.command)
        shlex.split(wanted.build)
    except (ValueError, RecursionError) as error:
        keys = f"its keys: {', '.join(BotToml.__struct_fields__)}; texts stand in quotes"
        said = f"{printable(str(error))} ({keys})"
        raise RefereeError(f"bot {typed!r}: {_TOML}: {said}") from error
    if not wanted.command.strip() or not wanted.name:
        raise RefereeError(f"bot {typed!r}: {_TOML}: name and command must not be empty")
    if not (wanted.name + wanted.command + wanted.build + wanted.image).isprintable():
        raise RefereeError(f"bot {typed!r}: {_TOML}: control characters have no place in it")
    return wanted
