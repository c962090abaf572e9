"""What the organiser allows: the file `settings.toml`, and defaults where there is none."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.errors import RefereeError

VARIABLE: Final = "REFEREE_SETTINGS"
"""The environment variable that names the file."""

_LARGEST: Final = 64 * 1024
_SYSTEM: Final = ("/usr", "/bin", "/lib", "/sbin", "/tmp", "/var/tmp", "/home", "/boot", "/srv")  # noqa: S108  # none of these
_NO_PROGRAMS: Final = ("/proc", "/sys", "/dev", "/run", "/etc", "/var/lib/briscola-referee")

Positive = Annotated[int, Meta(ge=1, le=1 << 20)]


class Bounds(Struct, frozen=True, forbid_unknown_fields=True):
    """What all processes of one bot may use together.

    Attributes:
        memory: MiB, files in memory included.
        processes: processes and threads.
        tmp: MiB in /tmp.
    """

    memory: Positive = 256
    processes: Positive = 64
    tmp: Positive = 16


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """The part `[limits]` of a bot.toml: what a bot asks for; the rest is as the organiser says.

    With less than these no sandbox starts every time, and a start that fails is the host's fault.
    """

    memory: Annotated[int, Meta(ge=16, le=1 << 20)] | UnsetType = UNSET
    processes: Annotated[int, Meta(ge=4, le=1 << 20)] | UnsetType = UNSET
    tmp: Positive | UnsetType = UNSET


class CopyLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """What the copies of bots may take of the disk; those in use stay, however many they are.

    Attributes:
        size: MiB of all copies together.
        number: how many copies.
    """

    size: Positive = 2048
    number: Positive = 500


class BuildOutput(Struct, frozen=True, forbid_unknown_fields=True):
    """What a build may leave in its folder, sources included.

    Attributes:
        size: MiB.
        files: files, links and folders.
    """

    size: Positive = 256
    files: Positive = 20_000


class Heads(Struct, frozen=True, forbid_unknown_fields=True):
    """When a runner publishes the signed head of its ladder.

    Attributes:
        every: after so many matches, and at both ends of a run; 0: never.
    """

    every: Annotated[int, Meta(ge=0, le=1 << 20)] = 100


class ClusterChecks(Struct, frozen=True, forbid_unknown_fields=True):
    """How much of what the machines of a cluster bring is looked at closely, drawn by chance.

    Attributes:
        verify: of so many records one is played again before its result counts; 1: each is.
        again: of so many matches one is played on another machine, too.
    """

    verify: Positive = 1
    again: Positive = 100


class SignIn(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """By whom authors of a site may sign in instead of by their link: a provider of OpenID Connect.

    Attributes:
        issuer: its address, as it calls itself.
        client_id: what it calls the site.
        name: what people call it.
        secret_file: has the secret that it gave the site; "" where an environment variable has it.
    """

    issuer: Annotated[str, Meta(min_length=1, max_length=500)]
    client_id: Annotated[str, Meta(pattern=r"^[\x21-\x7e]{1,200}\Z")]
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    secret_file: str = ""


class SiteLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """What a site takes in of each author, who else plays there, and what is shown live.

    Attributes:
        upload: MiB of what is handed in at a time.
        uploads: how many in a day.
        waiting: how many may wait for their trial.
        bots: with more that play, the author hands in none until one is retired.
        tables: at how many people play at a time, an author at one; 0: none do.
        connected: how many bots play from their authors' machines, of an author one; 0: none do.
        live: whether matches are shown while they are played.
        live_delay: in seconds, after which of them a deck is shown that is dealt no more.
        sign_in: by whom authors may sign in; None: by their link alone.
        get: the address where authors get `referee` itself; "" where the site does not say it.
    """

    upload: Annotated[int, Meta(ge=1, le=1024)] = 32
    uploads: Positive = 24
    waiting: Positive = 3
    bots: Positive = 8
    tables: Annotated[int, Meta(ge=0, le=1000)] = 2
    connected: Annotated[int, Meta(ge=0, le=1000)] = 2
    live: bool = True
    live_delay: Annotated[int, Meta(ge=0, le=86_400)] = 10
    sign_in: SignIn | None = None
    get: Annotated[str, Meta(pattern=r"^(https?://[\x21-\x7e]{1,500})?\Z")] = ""


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for all bots.

    Attributes:
        toolchains: folders outside /usr that bots may read and run programs of.
        images: the container images that a bot.toml may name; what is in them, such bots can read.
        docker_runtime: the runtime of containers, by the daemon's name; "" for its usual one.
        default: the bounds of a bot that asks for nothing.
        most: the bounds that a bot may ask for.
        build: the bounds of a build.
        copies: what the copies that bots run from may take of the disk.
        heads: when ladders publish signed heads.
        cluster: how much of what machines of a cluster bring is looked at closely.
        site: what the site of a ladder takes in of each author.
    """

    toolchains: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    docker_runtime: str = ""
    default: Bounds = Bounds()
    most: Bounds = Bounds(memory=1024, processes=128, tmp=256)
    build: Bounds = Bounds(memory=2048, processes=512, tmp=512)
    copies: CopyLimits = CopyLimits()
    heads: Heads = Heads()
    cluster: ClusterChecks = ClusterChecks()
    site: SiteLimits = SiteLimits()

    def grant(self, wish: Wish) -> Bounds:
        """The bounds of a bot.

        Raises:
            RefereeError: it asks for more than the organiser allows.
        """
        found = {}
        for name in Bounds.__struct_fields__:
            asked, most = getattr(wish, name), getattr(self.most, name)
            if asked is UNSET:
                asked = getattr(self.default, name)
            elif asked > most:
                raise RefereeError(f"limits: {name} = {asked}: at most {most} here")
            found[name] = asked
        return Bounds(**found)


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this machine and user.

    The first of these files: what REFEREE_SETTINGS names, `briscola-referee/settings.toml` under
    the user's configuration, and under /etc.

    Raises:
        RefereeError: the file is wrong, or REFEREE_SETTINGS names none.
    """
    named = environment.get(VARIABLE)
    home = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    usual = (Path(base, "briscola-referee", "settings.toml") for base in (home, "/etc"))
    path = Path(named) if named else next((path for path in usual if path.is_file()), None)
    if path is None:
        return Settings()
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise RefereeError(f"settings {str(path)!r}: that is no file")
        if status.st_size > _LARGEST:
            raise RefereeError(f"settings {str(path)!r}: more than {_LARGEST} bytes")
        found = msgspec.toml.decode(path.read_bytes(), type=Settings)
    except OSError as error:
        raise RefereeError(f"settings {str(path)!r}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RefereeError(f"settings {str(path)!r}: {error}") from error
    problem = _problem(found)
    if problem is not None:
        raise RefereeError(f"settings {str(path)!r}: {problem}")
    return found


def _problem(settings: Settings) -> str | None:
    """What is wrong with settings that can be read."""
    for folder in settings.toolchains:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            return f"toolchains: no folder {folder!r}"
        if _shows_too_much(Path(folder).resolve()):
            return f"toolchains: {folder!r} holds more than programs: name the one folder of a tool"
    for name in Bounds.__struct_fields__:
        usual, most = getattr(settings.default, name), getattr(settings.most, name)
        if usual > most:
            return f"default: {name} = {usual} is more than most: {name} = {most}"
    return None


def _shows_too_much(folder: Path) -> bool:
    """Whether a folder is one of the system's or a user's own, or lies where no programs are."""
    kept = [Path(name) for name in (*_SYSTEM, os.path.expanduser("~"))]
    below = [Path(name) for name in _NO_PROGRAMS]
    return any(one.is_relative_to(folder) for one in kept) or any(
        folder.is_relative_to(one) for one in below
    )
