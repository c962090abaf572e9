"""What a ladder may take of the disk: `[disk]` in its file of games, kept beside its bots."""

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from referee.bots.settings import BuildOutput
from referee.errors import HostError, RefereeError
from referee.whole_file import atomic_write

KEPT_IN: Final = "disk.json"
"""The file of the limits, within the folder of the ladder's files."""

_LARGEST: Final = 4096

Mebibytes = Annotated[int, Meta(ge=1, le=256)]
Files = Annotated[int, Meta(ge=1, le=20_000)]


class DiskLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """What a ladder may take of the disk, matches and their records left aside.

    Attributes:
        build_size: MiB that a build may leave, the bot's sources included.
        build_files: files, links and folders that it may leave.
        old_bots: MiB that the frozen files of versions that do not play may take together.
        copies: MiB that records may take on a machine, where the ladder has a store by URL.
    """

    build_size: Mebibytes = 64
    build_files: Files = 2000
    old_bots: Annotated[int, Meta(ge=0, le=1 << 30)] = 1024
    copies: Annotated[int, Meta(ge=1, le=1 << 30)] = 1024

    @property
    def build_output(self) -> BuildOutput:
        """What a build may leave."""
        return BuildOutput(self.build_size, self.build_files)


def read_limits(files: Path) -> DiskLimits:
    """Read the limits of a ladder; the usual ones where it was never given any.

    Args:
        files: the folder of the ladder's files.

    Raises:
        RefereeError: the file is damaged.
        HostError: it cannot be read.
    """
    path = files / KEPT_IN
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_LARGEST), type=DiskLimits)
    except FileNotFoundError:
        return DiskLimits()
    except OSError as error:
        raise HostError(f"{str(path)!r}: {error.strerror}") from error
    except ValueError as error:
        raise RefereeError(
            f"{str(path)!r}: {error}: give the ladder its [disk] anew with `referee ladder open`"
        ) from error


def write_limits(files: Path, limits: DiskLimits) -> None:
    """Keep the limits of a ladder.

    Args:
        files: the folder of the ladder's files.
        limits: from now on.

    Raises:
        HostError: the disk does not let us.
    """
    path = files / KEPT_IN
    try:
        files.mkdir(mode=0o700, parents=True, exist_ok=True)
        with atomic_write(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(limits)) + b"\n")
    except OSError as error:
        raise HostError(f"{str(path)!r}: {error.strerror}") from error
