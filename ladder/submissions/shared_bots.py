"""The frozen bots of a ladder on all its machines: in the folder of each, and in the store, if any.

With a store (`ladder.files.object_store`) a bot is there, as a zip, before the ladder's facts speak
of it, and a machine brings it when it is to play there. What comes is compared with its hash.
"""

import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

from ladder.files.object_store import Absent, Objects, Stored, store_of
from ladder.submissions.bot_toml import TOML
from ladder.submissions.frozen_bots import BOTS, freeze, frozen_in, hash_of, keep, scratch
from ladder.submissions.pack import unzip, zip_of
from referee.bots.held_folder import LARGEST_FOLDER, HeldFolder
from referee.errors import HostError, RefereeError, shortage

_ENDING: Final = ".zip"
_HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def share(files: Path, digest: str) -> None:
    """Put a frozen bot where other machines find it.

    Args:
        files: the folder of the ladder's files.
        digest: its hash.

    Raises:
        StoreAway: the store does not let us.
        HostError: the disk does not let us.
    """
    store = store_of(files)
    if store is not None:
        _put(files, store, digest)


def _put(files: Path, store: Objects, digest: str) -> None:
    with scratch(files / BOTS) as made:
        packed = made / f"{digest}{_ENDING}"
        try:
            with HeldFolder((files / BOTS / digest).resolve()) as held:
                packed.write_bytes(zip_of(sorted(held.files()), held.opened))
        except (OSError, ValueError) as error:
            told = HostError(f"bot {digest[:16]} cannot be packed: {error}")
            raise shortage(error) or told from error
        store.put(_name(digest), packed, replaces=True)  # as new: it is not cleared as old


def found(files: Path, digest: str) -> Path:
    """Return where a frozen bot lies, or would if it were there; one of the store is brought first.

    Args:
        files: the folder of the ladder's files.
        digest: its hash.

    Raises:
        RefereeError: what the store has is something else.
        StoreAway: the store does not answer.
        HostError: the disk does not let us.
    """
    store = store_of(files)
    if store is not None:
        _bring(files, store, digest)
    return files / BOTS / digest


def _bring(files: Path, store: Objects, digest: str) -> None:
    bots = files / BOTS
    if (bots / digest).is_dir():
        return
    with scratch(bots) as given, scratch(bots) as frozen:
        try:
            packed = b"".join(store.pieces(_name(digest), 2 * LARGEST_FOLDER))
            unzip(packed, given / digest)
            toml = given / digest / TOML
            freeze(given / digest, toml.read_text() if toml.is_file() else "", frozen, digest)
            if hash_of(frozen) != digest:
                raise RefereeError(f"'{store.url}/{_name(digest)}' was changed")
            keep(frozen, digest)
        except Absent:
            pass
        except ValueError as error:
            raise RefereeError(f"'{store.url}/{_name(digest)}' was changed: {error}") from error
        except OSError as error:
            told = HostError(f"bot {digest[:16]} cannot be unpacked: {error}")
            raise shortage(error) or told from error


def stored(files: Path) -> list[Stored]:
    """Return the bots of the store, named by their hashes; none without one.

    Raises:
        StoreAway: the store does not answer.
    """
    store = store_of(files)
    return [] if store is None else listed_in(store)


def listed_in(store: Objects) -> list[Stored]:
    """Return the bots of a store, named by their hashes.

    Raises:
        StoreAway: the store does not answer.
    """
    found = [
        (one, one.name.removeprefix(f"{BOTS}/").removesuffix(_ENDING)) for one in store.listed(BOTS)
    ]
    return [
        Stored(digest, one.size, one.at)
        for one, digest in found
        if _HASH.fullmatch(digest) and one.name == _name(digest)
    ]


def remove(files: Path, digests: Collection[str]) -> None:
    """Remove frozen bots from the store.

    Raises:
        StoreAway: the store does not let us.
    """
    store = store_of(files)
    if store is not None:
        store.remove([_name(digest) for digest in digests])


def put_all(
    files: Path, store: Objects, wanted: Callable[[str], bool], watch: Callable[[], None]
) -> int:
    """Put the frozen bots that lie here into a store, but those that it has; return how many.

    Args:
        files: the folder of the ladder's files.
        store: it.
        wanted: whether the bot of a hash belongs there.
        watch: is called for each of them.

    Raises:
        StoreAway: the store does not let us.
        HostError: the disk does not let us.
    """
    there = {one.name for one in listed_in(store)}
    here = frozen_in(files / BOTS)
    lacking = [digest for digest in here if digest not in there and wanted(digest)]
    for digest in lacking:
        _put(files, store, digest)
        watch()
    return len(lacking)


def bring_all(files: Path, store: Objects, watch: Callable[[], None]) -> int:
    """Have all bots here that a store has; return how many came.

    Args:
        files: the folder of the ladder's files.
        store: it.
        watch: is called for each that comes.

    Raises:
        RefereeError: what the store has is something else.
        StoreAway: it does not answer.
        HostError: the disk does not let us.
    """
    here = frozenset(frozen_in(files / BOTS))
    lacking = [one.name for one in listed_in(store) if one.name not in here]
    for digest in lacking:
        _bring(files, store, digest)
        watch()
    return len(lacking)


def _name(digest: str) -> str:
    """What a bot is called in the store."""
    return f"{BOTS}/{digest}{_ENDING}"
