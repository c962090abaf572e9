"""Bots on their way to a machine: packed, and unpacked where they have the same hash again."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec import Struct

from ladder.files.scratch import scratch_name
from ladder.submissions.bot_toml import TOML
from ladder.submissions.pack import unzip, zip_of
from referee.bots.files import opened
from referee.bots.find import HANDED_IN, find
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError, shortage
from referee.sandbox.folders import remove_tree

MOST_BOTS: Final = 200
"""So many bots stay on a machine; one that has gone comes again when it is to play.

More than a machine plays at a time, so that none goes that is just read.
"""


class Parcel(Struct, frozen=True):
    """A bot as it travels.

    Attributes:
        name: its own.
        hash: of its files.
        files: a zip of them; empty for a sample, which every machine has.
    """

    name: str
    hash: str
    files: bytes


def parcel_of(typed: str, settings: Settings) -> Parcel:
    """Pack a bot.

    Raises:
        RefereeError: it is none, or needs what does not travel.
        HostError: the disk does not let us.
    """
    source = find(typed, settings)
    if source.sample:
        if "=" in typed:
            raise RefereeError(
                f"bot {typed!r}: a file beside a sample does not travel in a cluster"
            )
        return Parcel(source.name, source.hash, b"")
    try:
        files = zip_of(source.files, lambda name: opened(source.files[name]))
    except ValueError as error:
        raise RefereeError(f"bot {typed!r}: {error}") from error
    except OSError as error:
        told = HostError(f"bot {typed!r}: {error.strerror}")
        raise shortage(error) or told from error
    return Parcel(source.name, source.hash, files)


class BotShelf:
    """The bots that have come to a machine, each in a folder that is called by its hash."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        """Has none yet.

        Args:
            folder: of this process alone.
            settings: of this machine.
        """
        self._folder, self._settings = folder / HANDED_IN, settings
        self._last_used: dict[str, None] = {}
        """Hashes, the one that was used last at the end."""

    def use(self, digests: Collection[str]) -> None:
        """Note that bots are used now; of the others the longest unused go, where they are many."""
        for digest in digests:
            self._last_used.pop(digest, None)
            self._last_used[digest] = None
        for digest in list(self._last_used)[: -max(MOST_BOTS, len(digests))]:
            del self._last_used[digest]
            remove_tree(self._folder / digest)

    def typed(self, digest: str) -> str | None:
        """Return how a bot is named here; None if it has not come."""
        folder = self._folder / digest
        if not folder.is_dir():
            return None
        return str(folder if (folder / TOML).exists() else next(folder.iterdir()))

    def add(self, digest: str, files: bytes) -> None:
        """Unpack a bot; it is there whole, or not at all.

        Raises:
            RefereeError: it is not what it says.
            HostError: the disk does not let us.
        """
        made = self._folder / scratch_name(".")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            unzip(files, made)
            if not (self._folder / digest).exists():
                made.rename(self._folder / digest)
        except (OSError, ValueError) as error:
            told = HostError(f"bot {digest[:16]} cannot be unpacked: {error}")
            raise shortage(error) or told from error
        finally:
            remove_tree(made)
        typed = self.typed(digest)
        if typed is None or find(typed, self._settings).hash != digest:
            remove_tree(self._folder / digest)
            raise RefereeError(f"bot {digest[:16]} has come as another one")
