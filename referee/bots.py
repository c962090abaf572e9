"""From what a person types to something that can be started: a file, a folder, or a sample.

A folder's build runs on a copy, named by the hash of its files, so that sources stay as they are
and nothing is built twice.
"""

import hashlib
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError

SAMPLES: Final = Path(__file__).parent.parent / "sample_bots"
_PREFIX: Final = "sample:"
_TOML: Final = "bot.toml"
_BUILD_SECONDS: Final = 300
_COMPILER_LINES: Final = 8
_TAIL_READ: Final = 16 * 1024
_LARGEST_TOML: Final = 16 * 1024
_LARGEST_FOLDER: Final = 256 * 1024 * 1024


class BotSpec(Struct, frozen=True):
    """A bot that can be started: `command` runs in `folder`; `hash` is over what was submitted."""

    name: str
    command: tuple[str, ...]
    folder: str
    hash: str
    typed: str


class BotToml(Struct, frozen=True, forbid_unknown_fields=True):
    """The file `bot.toml` of a bot's folder."""

    name: str
    command: str
    build: str = ""
    language: str = ""


def sample_names() -> tuple[str, ...]:
    """What can follow `sample:`."""
    single = (path.stem.removesuffix("_bot") for path in SAMPLES.glob("*_bot.py"))
    folders = (path.parent.name for path in SAMPLES.glob(f"*/{_TOML}"))
    return tuple(sorted((*single, *folders)))


def resolve(typed: str) -> BotSpec:
    """Finds a bot, and builds it if it has a build.

    Raises:
        RefereeError: it is missing, cannot be started, or does not build.
    """
    try:
        return _resolve(typed)
    except (OSError, ValueError, RecursionError) as error:
        what = error.strerror if isinstance(error, OSError) else str(error)
        where = getattr(error, "filename", None) or typed
        raise RefereeError(f"bot {typed!r}: {where}: {what}") from error


def _resolve(typed: str) -> BotSpec:
    if typed.startswith(_PREFIX):
        return _sample(typed)
    path = Path(typed)
    if path.is_dir():
        return _folder(path, typed)
    if not path.exists():
        raise RefereeError(
            f"bot {typed!r}: there is no such file or folder (samples are written sample:NAME)"
        )
    if not path.is_file():
        raise RefereeError(f"bot {typed!r} is neither a file nor a folder")
    if not os.access(path, os.X_OK):
        raise RefereeError(f"bot {typed!r} is not executable: chmod +x {shlex.quote(typed)}")
    path = path.resolve()
    os.fsencode(path).decode()  # a name that is no text cannot be recorded
    return BotSpec(path.stem, (str(path),), str(path.parent), _hash_file(path), typed)


def _sample(typed: str) -> BotSpec:
    name, _, argument = typed.removeprefix(_PREFIX).partition("=")
    if name not in sample_names():
        raise RefereeError(f"no sample bot {name!r}; there are {', '.join(sample_names())}")
    if (SAMPLES / name).is_dir():
        return _folder(SAMPLES / name, typed)
    script = SAMPLES / f"{name}_bot.py"
    command = [sys.executable, "-I", str(script)]
    if name == "script":
        if not argument:
            raise RefereeError(f"bot {typed!r}: write sample:script=FILE with a file of actions")
        if not Path(argument).is_file():
            raise RefereeError(f"bot {typed!r}: there is no such file {argument!r}")
        command.append(str(Path(argument).resolve()))
    elif argument:
        raise RefereeError(f"bot {typed!r}: the sample {name} takes no argument")
    return BotSpec(name, tuple(command), str(SAMPLES), _hash_file(script), typed)


def _folder(folder: Path, typed: str) -> BotSpec:
    toml = folder / _TOML
    if not toml.is_file():
        raise RefereeError(f"bot {typed!r}: the folder has no {_TOML} (name, command, build)")
    wanted = _read_toml(toml, typed)
    command, build = shlex.split(wanted.command), shlex.split(wanted.build)
    folder = folder.resolve()
    digest = _hash_folder(folder, typed)
    if build:
        folder = _built(folder, build, digest, typed)
    program = shutil.which(_located(command[0], folder))
    if program is None:
        raise RefereeError(f"bot {typed!r}: {_TOML}: command: no program {command[0]!r}")
    return BotSpec(wanted.name[:64], (program, *command[1:]), str(folder), digest, typed)


def _read_toml(path: Path, typed: str) -> BotToml:
    if path.stat().st_size > _LARGEST_TOML:
        raise RefereeError(f"bot {typed!r}: {_TOML} has more than {_LARGEST_TOML} bytes")
    try:
        wanted = msgspec.toml.decode(path.read_bytes(), type=BotToml)
        shlex.split(wanted.command)
        shlex.split(wanted.build)
    except (ValueError, RecursionError) as error:
        raise RefereeError(f"bot {typed!r}: {_TOML}: {error}") from error
    if not wanted.command.strip() or not wanted.name:
        raise RefereeError(f"bot {typed!r}: {_TOML}: name and command must not be empty")
    if not (wanted.name + wanted.command + wanted.build).isprintable():
        raise RefereeError(f"bot {typed!r}: {_TOML}: control characters have no place in it")
    return wanted


def _located(program: str, folder: Path) -> str:
    return str(folder / program) if "/" in program else program


def _hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    """The files of a bot, in order: what is hashed and copied. Links count as what they name."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = Path(place) / name
            if path.is_file():
                yield path


def _copy(folder: Path, to: Path) -> None:
    for path in _files(folder):
        target = to / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)


def _hash_folder(folder: Path, typed: str) -> str:
    """SHA-256 over the names, the right to execute, and the contents of all files."""
    digest, size = hashlib.sha256(), 0
    for path in _files(folder):
        size += path.stat().st_size
        if size > _LARGEST_FOLDER:
            raise RefereeError(f"bot {typed!r}: the folder holds more than 256 MiB")
        mode = "x" if os.access(path, os.X_OK) else "-"
        name = os.fsencode(path.relative_to(folder))
        digest.update(b"%s %s %s\n" % (name, mode.encode(), _hash_file(path).encode()))
    return digest.hexdigest()


def cache_folder() -> Path:
    """Where builds are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "briscola-referee" / "builds"


def _built(folder: Path, build: list[str], digest: str, typed: str) -> Path:
    """The folder's copy in the cache, with its build done; a half-done one is never seen."""
    final = cache_folder() / digest
    if final.is_dir():
        return final
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache_folder(), prefix=".building-") as scratch:
            copy = Path(scratch) / "bot"
            _copy(folder, copy)
            _run_build(build, copy, typed)
            try:
                copy.rename(final)
            except OSError:
                if not final.is_dir():  # else somebody built the same at the same time
                    raise
    except OSError as error:
        raise RefereeError(
            f"bot {typed!r}: cannot build under {cache_folder()}: {error}"
        ) from error
    return final


def _run_build(build: list[str], folder: Path, typed: str) -> None:
    """Runs a build, and ends whatever it leaves behind; its output is bounded by the tail kept."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603  # the build is the bot author's own command
                build,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise RefereeError(f"bot {typed!r}: build: no program {build[0]!r}") from error
        try:
            limit = (_LARGEST_FOLDER, _LARGEST_FOLDER)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
            code = process.wait(_BUILD_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise RefereeError(f"bot {typed!r}: the build took over {_BUILD_SECONDS} s") from error
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            output.seek(max(0, output.tell() - _TAIL_READ))
            said = output.read().decode(errors="replace").splitlines()[-_COMPILER_LINES:]
            lines = "".join(f"\n  {line[:200]}" for line in said)
            raise RefereeError(f"bot {typed!r}: the build failed: {shlex.join(build)}{lines}")
