"""What the organiser allows: the file `settings.toml`, and defaults where there is none."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.errors import RefereeError

VARIABLE: Final = "REFEREE_SETTINGS"
"""The environment variable that names the file."""

_LARGEST: Final = 64 * 1024

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
    """The part `[limits]` of a bot.toml: what a bot asks for; the rest is as the organiser says."""

    memory: Positive | UnsetType = UNSET
    processes: Positive | UnsetType = UNSET
    tmp: Positive | UnsetType = UNSET


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for all bots.

    Attributes:
        toolchains: folders outside /usr that bots may read and run programs of.
        locks: whether bots may lock files; no, where bots might talk to each other by them.
        default: the bounds of a bot that asks for nothing.
        most: the bounds that a bot may ask for.
        build: the bounds of a build.
    """

    toolchains: tuple[str, ...] = ()
    locks: bool = True
    default: Bounds = Bounds()
    most: Bounds = Bounds(memory=1024, processes=256, tmp=256)
    build: Bounds = Bounds(memory=2048, processes=512, tmp=512)

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
        if path.stat().st_size > _LARGEST:
            raise RefereeError(f"settings {str(path)!r}: more than {_LARGEST} bytes")
        found = msgspec.toml.decode(path.read_bytes(), type=Settings)
    except OSError as error:
        raise RefereeError(f"settings {str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise RefereeError(f"settings {str(path)!r}: {error}") from error
    for folder in found.toolchains:
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            raise RefereeError(f"settings {str(path)!r}: toolchains: no folder {folder!r}")
    return found
